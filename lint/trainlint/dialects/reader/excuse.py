# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the trainer's own source, or what lies around a config, takes what the schema refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.reader.choice import choice_is_there, may_do_without, takes_none
from trainlint.dialects.reader.key_problem import mapping_of, value_at
from trainlint.dialects.reader.own_flag import is_flag
from trainlint.dialects.reader.words_around import (
    is_choice_around,
    is_class_around,
    is_flag_around,
    takes_around,
)
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import COMMAND, Document
from trainlint.model.job import Doubt, Problem
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.option_classes import Structs
    from trainlint.repository.trainer.trainer_source import TrainerSource

IN_CODE: Final = (Doubt.CLASS, Doubt.SPELLING, Doubt.ARGUMENT)
"""What is in a source as a word of the code, not in quotes."""

REGISTERS: Final = "register_model"
"""What enters the models of a copy of timm, which then has all that there are."""

OF_A_CHOICE: Final = (Doubt.CLASS, Doubt.SPELLING, Doubt.MEMBER)
"""What is one of several words, which are in the source where the choice is made there."""

ENTRY_DEPTH: Final = 2
"""Keys that lead to an entry of a mapping: datasets, its phase."""


OF_NOTHING: Final = ("wrong-type", "wrong-value")
"""What is said of a key that has nothing for a value."""


def excused(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool | None:
    """Return whether the trainer's own source takes what the schema refuses; None where it cannot say."""
    source = trainer.source
    if source is None:
        return _is_around(problem, document, dialect, trainer)
    apart = problem.doubt in (Doubt.TYPE, Doubt.FIGURE) and _is_taken_apart(problem, document, source)
    if apart or _is_nothing(problem, document, source):
        return True
    if document.format == "command" and problem.rule == NAMES:
        return _is_said(str(value_at(document, problem.path)), source)
    takes = is_flag(problem, document, source) if dialect.loader == "argparse" else None
    words, is_command = source.words, document.format == "command"
    if takes is None and words is not None and is_command and _is_of_a_field(problem, document, words):
        takes = True
    if is_command or takes:
        return takes
    if problem.doubt in IN_CODE:
        excused = _is_in_code(problem, document, source)
    elif source.structs is not None:
        excused = _by_structs(problem, document, source.structs)
    else:
        excused = _by_text(problem, document, dialect, source)
    if excused is False and problem.doubt in OF_A_CHOICE:
        sure = choice_is_there(problem, document, dialect, source) and not source.enters_elsewhere
        return False if sure else None
    return excused


def _is_nothing(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a file has nothing for a key, and its readers ask whether it is so."""
    if problem.lacks or source.words is None or not _has_nothing(problem, document):
        return False
    if takes_none(problem, source):
        return True
    from trainlint.repository.keys.asked_for_none import may_be_none  # noqa: PLC0415 - of what is nothing alone

    is_phase = problem.path[0] == "datasets" and len(problem.path) == ENTRY_DEPTH
    if source.structs is not None or is_phase or problem.rule not in OF_NOTHING:
        return False
    return may_be_none(source.words, str(problem.path[-1]), everywhere=problem.doubt is Doubt.FIGURE)


def _is_in_code(problem: Problem, document: Document, source: TrainerSource) -> bool | None:
    """Return whether the code has a class, in any case, or an argument, be it by a part of its name."""
    of_an_argument = problem.doubt is Doubt.ARGUMENT
    word = str(problem.path[-1] if of_an_argument else value_at(document, problem.path))
    in_code = source.has(word)
    if in_code is not False or source.words is None:
        return in_code
    if of_an_argument:
        return source.words.reads_part(word)
    return problem.doubt is Doubt.CLASS and source.words.has_folded(word)


def _is_of_a_field(problem: Problem, document: Document, words: Words) -> bool:
    """Return whether a class has a field for a flag, or one with the flag's value among its choices.

    HfArgumentParser makes a flag of each field, and its choices of a Literal's.
    """
    if problem.doubt is Doubt.KEY:
        return words.annotates(str(problem.path[-1]))
    if problem.doubt is not Doubt.MEMBER:
        return False
    return words.annotates_with(str(problem.path[-1]), str(value_at(document, problem.path)))


def _is_taken_apart(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a source takes a value's parts where the published one takes a number: `size[0]`.

    Or makes a float of what is a whole number there: `float(scale)`.
    """
    value = value_at(document, problem.path)
    typed = isinstance(value, str) and document.format == "command"  # its parser takes a number alone
    if source.words is None or not problem.path or typed:
        return False
    if isinstance(value, Mapping):
        return source.words.takes_mappings(str(problem.path[-1]))
    if isinstance(value, float | str):
        takes = source.words.takes_floats if isinstance(value, float) else source.words.takes_texts
        return problem.rule == "wrong-type" and takes(str(problem.path[-1]))
    if not isinstance(value, list):
        return False
    entries = problem.path[0] if len(problem.path) == ENTRY_DEPTH else None
    if source.words.takes_lists(str(problem.path[-1])) or source.words.takes_lists_in(str(entries)):
        return True
    key = re.escape(str(problem.path[-1]))
    return any(re.search(rf"""\b{key}(?:['"]\])?\[[01]\]""", text) for text in source.words.texts)


def _has_nothing(problem: Problem, document: Document) -> bool:
    """Return whether a file has a key with nothing for a value."""
    return bool(problem.path) and document.format != COMMAND and value_at(document, problem.path) is None


def _is_of_a_type(problem: Problem, document: Document, trainer: Trainer) -> bool:
    """Return whether there is a list, a text or nothing where the published trainer takes another type."""
    value = value_at(document, problem.path) if problem.path and not problem.lacks else True
    if isinstance(value, str):
        return problem.rule == "wrong-type" and document.format != COMMAND and not trainer.named
    written = isinstance(value, list) or (value is None and document.format != COMMAND)
    return problem.doubt is Doubt.TYPE and written


def _is_said(name: str, source: TrainerSource) -> bool | None:
    """Return whether a source mentions a name that a command has; None where it has no registry of them."""
    words = source.words
    if words is None or words.has_folded(name) or words.quotes(name) is not False:
        return True
    return False if REGISTERS in words.defined else None


def _is_around(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool | None:
    """Return whether the repository around a config has what the published trainer lacks; None: not known."""
    if problem.doubt is Doubt.KEY and dialect.loader == "argparse":
        return is_flag_around(str(problem.path[-1]), document, dialect)
    if problem.doubt is Doubt.MEMBER:
        return is_choice_around(problem.path, document, dialect)
    if _is_of_a_type(problem, document, trainer):
        if isinstance(problem.path[-1], int):  # an item has no name to look for
            return None
        return takes_around(problem.path[-1], value_at(document, problem.path), document)
    if problem.doubt is not Doubt.CLASS or document.format == "command":
        return None
    return is_class_around(str(value_at(document, problem.path)), document, trainer)


def _by_text(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool | None:
    """Look in a source that declares no options for the words that it would need."""
    value = value_at(document, problem.path)
    if problem.doubt is Doubt.KEY:
        taken = source.takes(str(problem.path[-1]))
        if taken is False and source.chooses_arguments:
            return None if problem.suggestion else True
        return taken
    if problem.doubt is Doubt.MEMBER and isinstance(value, str):
        return _is_member(value, str(problem.path[-1]), source)
    if problem.doubt is Doubt.NUMBER:
        return source.resolves_floats
    if problem.doubt is Doubt.DEFAULT and problem.lacks is not None:
        return _is_done_without(problem, document, dialect, source)
    return None


def _is_member(value: str, key: str, source: TrainerSource) -> bool | None:
    """Return whether a source has a choice, alone or with others; None where its field takes any text."""
    if source.words is not None and source.words.annotates_any(key):
        return None
    return True if source.words is not None and source.words.takes_apart(value) else source.quotes(value)


def _is_done_without(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource
) -> bool | None:
    lacks, mapping = str(problem.lacks), mapping_of(problem)
    read = source.reads(lacks)
    if mapping and source.fills(str(mapping[-1]), lacks):
        return True
    if read and source.defaults(lacks) and _has_below(value_at(document, mapping), lacks):
        return True  # its phases have it, each its own
    if read and (source.defaults(lacks) or may_do_without(problem, document, dialect, source)):
        return None
    return None if read is None else not read


def _has_below(value: Any, key: str) -> bool:
    """Return whether a mapping that a mapping holds, however deep, has a key."""
    if not isinstance(value, Mapping):
        return False
    parts = [part for part in value.values() if isinstance(part, Mapping)]
    return any(key in part or _has_below(part, key) for part in parts)


def _by_structs(problem: Problem, document: Document, structs: Structs) -> bool | None:
    from trainlint.repository.trainer.option_classes import Field  # noqa: PLC0415 - read where there are structs

    if problem.doubt is Doubt.KEY:
        field = structs.field(problem.path)
        return field if field is None else isinstance(field, Field)
    if problem.doubt is Doubt.DEFAULT:
        field = structs.field((*problem.path, problem.lacks or ""))
        return field.optional if isinstance(field, Field) else None if field is None else True
    return structs.admits(problem.path, value_at(document, problem.path))
