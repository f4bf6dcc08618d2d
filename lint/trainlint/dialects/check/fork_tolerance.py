# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Problems held against the trainer that will read the config: forks add keys, values, types and defaults.

The schema says what the published versions do. Where the trainer's own source lies around the config it is
asked; where the user named the trainer, the schema holds; a config alone does not distinguish a mistake from
a fork's own option, unless no published version could run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.dialects.check.unread_by_trainer import (
    choice_is_there,
    in_idle_code,
    is_of_training,
    is_unread,
    mapping_of,
    may_do_without,
    of_own_data,
    of_own_phase,
    of_own_positionals,
    of_own_step,
    own_data_takes,
    own_data_takes_any_root,
    takes_none,
)
from trainlint.dialects.check.words_around import (
    is_class_around,
    is_class_shown,
    is_flag_around,
    is_list_around,
    is_text_around,
)
from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import beginning, inside, lies_with_tests
from trainlint.model.document import Document, Path
from trainlint.model.job import Doubt, Problem
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.option_classes import Structs
    from trainlint.repository.trainer.own_classes import Own
    from trainlint.repository.trainer.trainer_source import TrainerSource

SURE_ALONE: Final = (Doubt.DEFAULT, Doubt.FIGURE, Doubt.SPELLING)
"""What every published version does, so that a config alone is enough."""

IN_CODE: Final = (Doubt.CLASS, Doubt.SPELLING, Doubt.ARGUMENT)
"""What is in a source as a word of the code, not in quotes."""

REGISTERS: Final = "register_model"
"""What enters the models of a copy of timm, which then has all that there are."""

OF_A_CHOICE: Final = (Doubt.CLASS, Doubt.SPELLING, Doubt.MEMBER)
"""What is one of several words, which are in the source where the choice is made there."""

ENTRY_DEPTH: Final = 2
"""Keys that lead to an entry of a mapping: datasets, its phase."""

ONLY_IF_TRAINED: Final = "; right only if it is trained: its folder holds what is tested"
"""What is added to a missing key of an option file that has a train section among those for tests."""


def weigh(
    problems: tuple[Problem, ...],
    document: Document,
    dialect: Dialect,
    trainer: Trainer,
    own: Own | None = None,
) -> tuple[Problem, ...]:
    """Return the problems without those that the trainer's own source excuses; the rest is sure or not."""
    layered = trainer.source is not None and document.format != "command" and trainer.source.joins_files
    left = (problem for problem in problems if not (layered and _is_left_to_another(problem, document)))
    followed = (
        _as_followed(problem, document, dialect, trainer, judged=judged)
        for problem, judged in _weighed(left, document, dialect, trainer, own)
    )
    return tuple(problem for problem in followed if problem is not None)


def _weighed(
    problems: Iterable[Problem], document: Document, dialect: Dialect, trainer: Trainer, own: Own | None
) -> Iterator[tuple[Problem, bool]]:
    """Yield problems, each with whether the source's own choice was looked at and lacks the value."""
    source = trainer.source if document.format != "command" else None
    certain = trainer.named or not dialect.trainer.forks
    for problem in problems:
        if problem.doubt is Doubt.SOURCE:
            if trainer.source is None:
                continue
            from trainlint.dialects.check.lacking_in_source import lacking  # noqa: PLC0415 - of a source alone

            if (settled := lacking(problem, document, dialect, trainer.source)) is not None:
                yield settled, False
            continue
        if _is_passed_over(problem, document, dialect, trainer):
            continue
        excused = _excused(problem, document, dialect, trainer) if problem.doubt else None
        if excused:
            continue
        if problem.rule == "missing-key" and source is not None and _is_tested(document):
            yield (
                replace(problem, doubt=None, harmless=True, message=f"{problem.message}{ONLY_IF_TRAINED}"),
                False,
            )
            continue
        of_data = not certain and of_own_data(problem, document, dialect)
        if of_data and source is not None and own_data_takes(problem, document, source):
            continue
        if of_data or (not certain and of_own_step(problem, own)):
            yield replace(problem, doubt=problem.doubt or Doubt.TYPE), False
            continue
        held = certain and not (problem.doubt is Doubt.CLASS and trainer.around is not None)
        sure = held or (_sure_alone(problem, source) and not _untold(problem, dialect, source))
        yield replace(problem, doubt=None) if sure or excused is False else problem, excused is False


def _as_followed(
    problem: Problem, document: Document, dialect: Dialect, trainer: Trainer, *, judged: bool
) -> Problem | None:
    """Return a problem, as a warning where the repository's own lines do something else with its key.

    None where these are a model's that was never published: of what that reads nothing is known.
    """
    if problem.doubt is not None or problem.harmless or trainer.named or trainer.source is None:
        return problem
    from trainlint.dialects.check.unfollowed_keys import is_of_its_own_model, unfollowed  # noqa: PLC0415 - of what fails alone

    if is_of_its_own_model(problem, document, dialect, trainer.source):
        return None
    why = unfollowed(problem, document, dialect, trainer.source, judged=judged)
    if why is None:
        return problem
    return replace(problem, harmless=True, suggestion=None, message=f"{problem.message}; {why}")


def _is_left_to_another(problem: Problem, document: Document) -> bool:
    """Return whether another of several option files may have what this one lacks or leaves empty."""
    if problem.rule == "missing-key":
        return True
    return problem.rule == "wrong-type" and bool(problem.path) and _at(document, problem.path) is None


def _is_tested(document: Document) -> bool:
    """Return whether an option file that could train lies with those that test."""
    if document.format == "command" or "train" not in document.value:
        return False
    return lies_with_tests(document.source.path)


def _is_optional(problem: Problem, document: Document, dialect: Dialect) -> bool:
    """Return whether a command's own script, which has flags that no published one has, asks for none."""
    if problem.rule != "missing-key" or document.format != "command":
        return False
    from trainlint.dialects.check.own_parser import parser_around  # noqa: PLC0415 - where a flag is missing

    parser = parser_around(document)
    flags = {} if parser is None else {flag["dest"]: flag for flag in parser["flags"]}
    own = flags.keys() - dialect.schema.get("properties", {}).keys()
    return bool(own) and problem.lacks in flags and not flags[problem.lacks]["required"]


def _is_passed_over(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether the trainer's own script has no part in a problem, or takes it."""
    source = trainer.source
    if _is_optional(problem, document, dialect) or is_of_training(problem, document):
        return True
    if problem.rule == NAMES and is_class_shown(str(_at(document, problem.path)), document):
        return True
    if source is None:
        return False
    if problem.rule == "missing-key" and _branches_off(document, dialect, trainer):
        return True
    if document.format == "command":
        again = problem.rule == "duplicate-key" and source.appends(str(problem.path[0]))
        return again or of_own_positionals(problem, document, source)
    idle = in_idle_code(problem, document, source) or own_data_takes_any_root(problem, document, source)
    return idle or is_unread(problem, source) or of_own_phase(problem, source)


def _branches_off(document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether a script starts a program of its own for a model that `create_model` does not know."""
    notes, source = dialect.trainer.own, trainer.source
    if notes is None or source is None or trainer.root is None or document.format == "command":
        return False
    entry = inside(trainer.root, f"{trainer.package or notes['package']}/__init__.py")
    text = beginning(entry) if entry is not None else ""
    name = document.value.get(notes["step"])
    return (
        "def create_model" in text
        and isinstance(name, str)
        and name not in text
        and bool(source.quotes(name))
    )


def _sure_alone(problem: Problem, source: TrainerSource | None) -> bool:
    """Return whether a config is enough: not where the source has a default for a missing key somewhere."""
    if problem.doubt is Doubt.DEFAULT and problem.lacks and source and source.structs is None:
        return not source.defaults(problem.lacks)
    return problem.doubt in SURE_ALONE


def _untold(problem: Problem, dialect: Dialect, source: TrainerSource | None) -> bool:
    """Return whether a trainer's own source may do without a key, or round a figure.

    Nothing says of such a dialect's classes whether they are the published ones.
    """
    notes = dialect.trainer.own
    compared = notes is not None and not notes.get("uncompared")
    return source is not None and not compared and problem.doubt in (Doubt.DEFAULT, Doubt.FIGURE)


def _excused(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool | None:
    """Return whether the trainer's own source takes what the schema refuses; None where it cannot say."""
    source = trainer.source
    if source is None:
        return _is_around(problem, document, dialect, trainer)
    apart = problem.doubt in (Doubt.TYPE, Doubt.FIGURE) and _is_taken_apart(problem, document, source)
    if apart or (takes_none(problem, source) and _at(document, problem.path) is None):
        return True
    if document.format == "command" and problem.rule == NAMES:
        return _is_said(str(_at(document, problem.path)), source)
    takes = _is_flag(problem, document, source) if dialect.loader == "argparse" else None
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


def _is_in_code(problem: Problem, document: Document, source: TrainerSource) -> bool | None:
    """Return whether the code has a class, in any case, or an argument, be it by a part of its name."""
    of_an_argument = problem.doubt is Doubt.ARGUMENT
    word = str(problem.path[-1] if of_an_argument else _at(document, problem.path))
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
    return words.annotates_with(str(problem.path[-1]), str(_at(document, problem.path)))


def _is_taken_apart(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a source takes a value's parts where the published one takes a number: `size[0]`.

    Or makes a float of what is a whole number there: `float(scale)`.
    """
    value = _at(document, problem.path)
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


def _is_text_in_file(problem: Problem, document: Document) -> bool:
    """Return whether a file has a text where the published trainer takes another type."""
    if problem.rule != "wrong-type" or document.format == "command":
        return False
    return bool(problem.path) and isinstance(_at(document, problem.path), str)


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
    if problem.doubt is Doubt.TYPE and problem.path and isinstance(_at(document, problem.path), list):
        return is_list_around(str(problem.path[-1]), document)
    if _is_text_in_file(problem, document):
        return None if trainer.named else is_text_around(str(problem.path[-1]), document)
    if problem.doubt is not Doubt.CLASS or document.format == "command":
        return None
    return is_class_around(str(_at(document, problem.path)), document, trainer)


def _by_text(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool | None:
    """Look in a source that declares no options for the words that it would need."""
    value = _at(document, problem.path)
    if problem.doubt is Doubt.KEY:
        return source.takes(str(problem.path[-1]))
    if problem.doubt is Doubt.MEMBER and isinstance(value, str):
        return True if source.words is not None and source.words.takes_apart(value) else source.quotes(value)
    if problem.doubt is Doubt.NUMBER:
        return source.resolves_floats
    if problem.doubt is Doubt.DEFAULT and problem.lacks is not None:
        return _is_done_without(problem, document, dialect, source)
    return None


def _is_done_without(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource
) -> bool | None:
    lacks, mapping = str(problem.lacks), mapping_of(problem)
    read = source.reads(lacks)
    if mapping and source.fills(str(mapping[-1]), lacks):
        return True
    if read and source.defaults(lacks) and _has_below(_at(document, mapping), lacks):
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
    return structs.admits(problem.path, _at(document, problem.path))


def _is_flag(problem: Problem, document: Document, source: TrainerSource) -> bool | None:
    """Return whether argparse takes a flag as it is written, or a value of one whose choices it lists."""
    place = document.places.get(problem.path[:1])
    if (
        problem.doubt not in (Doubt.KEY, Doubt.MEMBER)
        or not source.flags
        or place is None
        or place.key is None
    ):
        return None
    written = document.meta.get("flags", {}).get(problem.path[0])
    if document.meta.get("called") or not written:  # where it is no flag as the program gets it
        written = _spelt_as(str(problem.path[0]), source)
    meant = _meant_flags(written, source)
    if problem.doubt is Doubt.KEY:
        return bool(meant)
    choices = source.flags[meant[0]] if len(meant) == 1 else None
    return None if choices is None else _at(document, problem.path) in choices


def _spelt_as(name: str, source: TrainerSource) -> str:
    """Return a flag, known by its name alone, as the source spells it or one that it begins."""
    spellings = (f"--{name.replace('_', '-')}", f"--{name}", f"-{name}")
    return next((flag for flag in spellings if _meant_flags(flag, source)), spellings[0])


def _meant_flags(written: str, source: TrainerSource) -> list[str]:
    """Return the flags that a word may mean: itself in whole, or those that it cuts short."""
    if written in source.flags:
        return [written]
    return [flag for flag in source.flags if flag.startswith(written)]


def _at(document: Document, path: Path) -> Any:
    try:
        return reduce(getitem, path, document.value)
    except (KeyError, IndexError, TypeError):
        return None
