# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the schema refuses and the trainer's own source has no part in: no line of it reads that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.reader.key_problem import OF_VALUES, OPTION_DEPTH, mapping_of, value_at
from trainlint.dialects.reader.other_data_sets import is_of_other_data, is_unread_by_its_class
from trainlint.dialects.reader.own_data_set import own_data_takes_any_root
from trainlint.dialects.reader.own_loop import unread_by_loop
from trainlint.dialects.reader.own_model import is_of_other_models
from trainlint.dialects.reader.surroundings import Surroundings
from trainlint.dialects.reader.words_around import is_class_shown
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import beginning, inside
from trainlint.files.syntax_tree import tree_of
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.keys.placed_uses import placed_uses
from trainlint.repository.survey.python_files import trains_nothing

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource

OF_TORCH: Final = ("optim", "scheduler")
"""Beginnings of the mappings that go to torch's classes, which are no part of a trainer's source."""

TO_CLASSES: Final = (*OF_TORCH, "network")
"""Beginnings of the mappings that go to a class as arguments."""

PHASE: Final = ("datasets", "train")
"""How deep a phase of the data sets is."""

OF_TRAINING: Final = "logger"
"""The section that only training reads."""

OF_THE_LOOP: Final = ("train", "logger", "val")
"""Sections that nothing gets as a whole, so that each key is read by its name."""

USUAL_LOSS: Final = "pixel_opt"
"""A key that a source with a model class reads; one without is not all there."""

LOSS_ENDING: Final = "_opt"
"""What keys of losses end in; a source with the ending alone may go through all keys that have it."""


def is_passed_over(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether the trainer's own script has no part in a problem, or takes it."""
    source = trainer.source
    if _is_optional(problem, document, dialect) or is_of_training(problem, document):
        return True
    if problem.rule == NAMES and is_class_shown(str(value_at(document, problem.path)), document):
        return True
    if source is None:
        return _is_unread_next_to(problem, document, dialect, trainer)
    if problem.rule == "missing-key" and _branches_off(document, dialect, trainer):
        return True
    if document.format == "command":
        again = problem.rule == "duplicate-key" and source.appends(str(problem.path[0]))
        return again or of_own_positionals(problem, document, source)
    idle = in_idle_code(problem, document, source) or own_data_takes_any_root(problem, document, source)
    unread = is_unread(problem, source) or _is_read_by_others(problem, document, dialect, source)
    return idle or unread or of_own_phase(problem, source) or is_no_slip(problem, source)


def _is_unread_next_to(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether an own data set or loop has no such key, where the trainer itself is installed."""
    if document.format == "command" or problem.rule not in OF_VALUES:
        return False
    path = (*mapping_of(problem), problem.lacks) if problem.lacks else problem.path
    if is_left_to_others(path, document, dialect, trainer):
        return True
    around = Surroundings.of(trainer)
    return around is not None and unread_by_loop(path, around) is not None


def is_left_to_others(path: Path, document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether the class that a config names does not read what is at a path, wherever others lie."""
    source = trainer.source
    if source is not None and is_read_by_others(path, document, dialect, source):
        return True
    declared = document.format == "command" or (source is not None and source.structs is not None)
    around = None if declared else Surroundings.of(trainer)
    return around is not None and is_unread_by_its_class(path, document, around.words)


def _is_read_by_others(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether classes that a config does not name are the only ones that read what is wrong."""
    if problem.rule not in (*OF_VALUES, NAMES):
        return False
    path = (*mapping_of(problem), problem.lacks) if problem.lacks else problem.path
    return is_read_by_others(path, document, dialect, source)


def is_read_by_others(path: Path, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether classes that a config does not name are the only ones that read what is at a path."""
    if path[:1] == ("datasets",):
        return is_of_other_data(path, document, source)
    return is_of_other_models(path, document, dialect, source)


def _is_optional(problem: Problem, document: Document, dialect: Dialect) -> bool:
    """Return whether a command's own script has no such flag.

    Nor is one due that it does not require, where it has flags that no published script has.
    """
    if problem.rule != "missing-key" or document.format != "command":
        return False
    from trainlint.dialects.check.own_parser import parser_around  # noqa: PLC0415 - where a flag is missing

    parser = parser_around(document)
    flags = {} if parser is None else {flag["dest"]: flag for flag in parser["flags"]}
    if not flags or problem.lacks is None:
        return False
    own = flags.keys() - dialect.schema.get("properties", {}).keys()
    return problem.lacks not in flags or (bool(own) and not flags[problem.lacks]["required"])


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


def is_of_training(problem: Problem, document: Document) -> bool:
    """Return whether a problem is about what only training reads, in an option file for tests."""
    options = document.value
    path, phases = (*problem.path, problem.lacks), options.get("datasets")
    if path[0] != OF_TRAINING or not isinstance(phases, Mapping) or not phases:
        return False
    if "train" in options:
        return all(str(phase).startswith("test") for phase in phases)
    return not any(str(phase).startswith("train") for phase in phases)


def only_tests(document: Document) -> bool:
    """Return whether an option file has data sets to validate on or to test with alone."""
    phases = document.value.get("datasets") if document.format != "command" else None
    if not isinstance(phases, Mapping) or not phases:
        return False
    return all(str(phase).startswith(("val", "test")) for phase in phases)


def is_unread(problem: Problem, source: TrainerSource) -> bool:
    """Return whether no line of a source mentions the key that a problem is about, or that names a loss."""
    if is_unread_loss(problem.path, source):
        return True
    if problem.rule not in OF_VALUES or source.structs is not None:
        return False
    keys = [step for step in problem.path if isinstance(step, str)]
    if any(key.startswith(OF_TORCH) for key in keys):
        return False
    key = problem.lacks or next(reversed(keys), None)
    if key is None:
        return False
    return source.has(key) is False or _is_said_alone(key, source) or _is_only_set(problem, key, source)


def _is_only_set(problem: Problem, key: str, source: TrainerSource) -> bool:
    """Return whether the code gives a key of the loop's a value, and reads it nowhere."""
    path, words = (*problem.path, problem.lacks) if problem.lacks else problem.path, source.words
    if words is None or len(path) != len(("train", "key")) or path[0] not in OF_THE_LOOP:
        return False
    quoted = (text for text in words.code if f"'{key}'" in text or f'"{key}"' in text)
    if any(tree_of(text) is None for text in quoted) or words.reads_begun(key) or words.reads_part(key):
        return False
    sets = [use.sets for _, use in placed_uses(words, key)]
    as_attribute = re.compile(rf"\.{re.escape(key)}\b")
    return bool(sets) and all(sets) and not any(map(as_attribute.search, words.code))


def _is_said_alone(key: str, source: TrainerSource) -> bool:
    """Return whether a source mentions a key in what it says of its functions alone."""
    words = source.words
    if words is None:
        return False
    pairs = zip(words.files, words.code, strict=False)
    return not any(key in text and not trains_nothing(file) for file, text in pairs)


def is_unread_class(path: Path, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether a path leads to the name of a class, of a loss or a network, that no line makes."""
    return is_unread_loss(path, source) or is_of_other_models(path, document, dialect, source)


def is_unread_loss(path: Path, source: TrainerSource) -> bool:
    """Return whether a path leads to a loss's class, `train.x_opt.type`, and no line asks for any x_opt.

    Nor does a line that only asks whether it is there: `if train_opt.get('x_opt'):`.
    """
    if len(path) != OPTION_DEPTH or path[0] != "train" or path[-1] != "type" or source.structs is not None:
        return False
    key = str(path[1])
    if not key.endswith(LOSS_ENDING) or not source.has(USUAL_LOSS):
        return False
    if source.words is not None and source.words.only_asks(key):
        return True
    return source.has(key) is False and source.has(LOSS_ENDING) is False


def in_idle_code(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether what is wrong is only read where its config does not come.

    Or a key that is missing is one of several like it.
    """
    if source.structs is not None or source.words is None or problem.rule not in OF_VALUES:
        return False
    key = problem.lacks or (problem.path[-1] if len(problem.path) == len(("train", "key")) else None)
    if not isinstance(key, str) or (problem.lacks is None and problem.rule == "wrong-value"):
        return False  # of a word that is none of a choice every branch is another's
    begun = problem.lacks is not None and source.words.reads_begun(key)
    return begun or source.words.is_idle(key, document.value, called=problem.lacks is None)


def of_own_phase(problem: Problem, source: TrainerSource) -> bool:
    """Return whether a key of "datasets" is a phase that the repository's own script asks for."""
    if problem.rule != "unknown-key" or problem.path[:1] != ("datasets",) or len(problem.path) != len(PHASE):
        return False
    return source.quotes(str(problem.path[-1])) is True


def is_no_slip(problem: Problem, source: TrainerSource) -> bool:
    """Return whether what looks like a slip of a key is read itself, or that key is not read."""
    words = source.words
    if problem.rule != "unknown-key" or problem.doubt or not problem.suggestion or source.structs is not None:
        return False
    if words is None or any(str(step).startswith(TO_CLASSES) for step in problem.path[:-1]):
        return False
    return _reads(str(problem.path[-1]), words) or not _reads(problem.suggestion, words)


def _reads(key: str, words: Words) -> bool:
    """Return whether the code has a key in quotes or as an attribute, or reads keys by a part of it."""
    in_code = re.compile(rf"""['"]{re.escape(key)}['"]|\.{re.escape(key)}\b""")
    return words.matches(in_code) or words.reads_begun(key) or words.reads_part(key)


def of_own_positionals(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether words without a flag are as many as the script's own parser takes."""
    words = document.value.get("@args") if problem.path == ("@args",) else None
    return isinstance(words, list) and source.positionals is not None and len(words) <= source.positionals
