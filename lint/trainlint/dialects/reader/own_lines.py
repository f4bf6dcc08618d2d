# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's own lines do with a key, so that the published trainers do not say what becomes of it.

A schema says what the published lines do with a value. Where a repository has others that use the same key,
it may set, convert, ask for or pass over it; and a script of its own may read the file otherwise. What is
wrong by the schema is then a warning with the place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.reader.key_problem import CLASS_KEYS, OF_TEXTS, OF_VALUES, OPTION_DEPTH, mapping_of
from trainlint.dialects.reader.own_data_set import file_of, own_name
from trainlint.dialects.reader.own_loop import unread_by_loop
from trainlint.dialects.reader.own_model import MODELS, is_uncompared, unlisted_step
from trainlint.dialects.reader.surroundings import Surroundings, starts_none
from trainlint.dialects.reader.words_around import read_around
from trainlint.dialects.schema.dialect import Dialect
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.keys.key_uses import Use
from trainlint.repository.keys.placed_uses import Placed, placed_uses, read_as_attribute, set_by_reader
from trainlint.repository.keys.published_uses import published_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words

DATA: Final = "datasets"
"""The section of data sets."""

SCRIPTLESS: Final = "the script of this repository that trains is not there"

OF_SAMPLES: Final = ".__getitem__"
"""What gives a data set's samples."""

CHOOSES_DATA: Final = later(r"(?<!def )\b(?:build_dataset|create_dataset|define_Dataset)\(")
"""A call by which the trainers of the family choose a data set's class by its options."""


def unfollowed(
    problem: Problem, document: Document, dialect: Dialect, trainer: Trainer, *, judged: bool
) -> str | None:
    """Say which line of a repository does something else with a problem's key; None where none does.

    `judged`: what it chooses among was looked at, so that only a line that sets the key counts.
    """
    if document.format == "command" or problem.rule in OF_TEXTS:
        return None
    around = Surroundings.of(trainer)
    if around is None:
        return None
    if (script := around.reader_of(document, dialect)) is not None:
        return f"its own {script} reads this file itself"
    declared = trainer.source is not None and trainer.source.structs is not None
    if declared or dialect.id not in published_uses() or not (problem.path or problem.lacks):
        return None
    lost = not around.installed and starts_none(around.words)
    why = SCRIPTLESS if lost else _read_otherwise(problem, document, dialect, around, judged=judged)
    if why is not None:
        return why
    keys = (*mapping_of(problem), problem.lacks) if problem.lacks else problem.path
    return _set_on_the_way(keys, around) if problem.rule in OF_VALUES else None


def _set_on_the_way(keys: Sequence[str | int], around: Surroundings) -> str | None:
    """Say which line of what reads an option file, or starts a training, may set a value in a mapping."""
    places = (
        place
        for place, section in set_by_reader(around.words)
        if around.has(place) and (section is None or section in keys[:-1])
    )
    place = next(places, None)
    return f"its own {place} may set that" if place else None


def completed(problem: Problem, document: Document) -> str | None:
    """Say which script gives a key on its command line that an option file lacks."""
    if not problem.lacks or mapping_of(problem):
        return None
    place = given_next_to([problem.lacks], document)
    return f"{place} gives it" if place is not None else None


def given_next_to(keys: Collection[str], document: Document) -> str | None:
    """Return where a script gives one of some top-level keys on its command line, next to an option file."""
    folder = repository_of(document.source.path)
    if document.format == "command" or folder is None or not keys:
        return None
    from trainlint.repository.keys.given_by_scripts import given_by_script  # noqa: PLC0415 - of what fails alone

    return given_by_script(folder, document.source.path, *keys)


def read_by_unknown(problem: Problem, document: Document) -> str | None:
    """Say which line reads a value in a repository that holds no trainer which is known."""
    if document.format == "command" or problem.lacks or problem.rule not in OF_VALUES or not problem.path:
        return None
    place = read_around(str(problem.path[-1]), document)
    return f"its own {place} may take that" if place else None


def _read_otherwise(
    problem: Problem, document: Document, dialect: Dialect, around: Surroundings, *, judged: bool
) -> str | None:
    """Say which line of a repository's own reads a problem's key otherwise than the published ones."""
    path = mapping_of(problem) if problem.lacks else problem.path
    keys = [step for step in path if isinstance(step, str)]
    place = _own_data(problem.path, around.words, published_uses()[dialect.id])
    if place is not None and problem.rule in OF_VALUES and not (problem.lacks or around.installed):
        return f"its own {place} reads that"
    if problem.rule in OF_VALUES and not (problem.lacks or around.installed):
        place = _read_by_class(problem.path, document, around.words, published_uses()[dialect.id])
        if place is not None:
            return f"its own {place} may do something else with that"
    key = problem.lacks or next(reversed(keys), "")
    known = published_uses()[dialect.id].get(key, ())
    mentions = list(placed_uses(around.words, key))
    own = [(place, use) for place, use in mentions if use.digest not in known]
    published = [(place, use) for place, use in mentions if use.digest in known and around.has(place)]
    step = unlisted_step(problem, document, dialect)
    mappings = keys if problem.lacks else keys[:-1]
    by_others = [use for place, use in published if not _is_of_models(place)]
    if step is not None and by_others:  # the script reads it, whatever the model is
        place = None if _within(mappings, by_others) else _handed_on(mappings, dialect, around)
        if place is not None:
            return f"its own {place} may do something else with that"
        step = None
    if step is not None and is_uncompared(dialect):
        return f"what its own {step} reads was not followed"
    counted = _in_question(problem, keys, own, published=bool(published))
    if judged or (published and step is None) or around.installed:  # what uses it as published is come to
        counted = [(place, use) for place, use in counted if use.sets]
    does = "may do without" if problem.lacks else "may change that"
    if counted:
        return f"its own {counted[0][0]} {does}"
    place = read_as_attribute(around.words, key) if problem.rule in OF_VALUES else None
    return f"its own {place} may take that" if place is not None and around.has(place) else None


def _within(mappings: Sequence[str], uses: Iterable[Use]) -> bool:
    """Return whether a use names the mapping too: `opt["train"]["niter"]`, not `opt.pop("type")`."""
    return not mappings or any(use.within == mappings[-1] for use in uses)


def _handed_on(mappings: Sequence[str], dialect: Dialect, around: Surroundings) -> str | None:
    """Return the line of a repository's own that reads one of the mappings in which a key is."""
    known = published_uses()[dialect.id]
    for key in mappings:
        for place, use in placed_uses(around.words, key):
            if use.digest not in known.get(key, ()) and not use.sets:
                return place
    return None


def _own_data(path: Path, words: Words, known: Mapping[str, Collection[str]]) -> str | None:
    """Return the line of a repository's own that goes through the data sets, where nothing chooses these."""
    if path[:1] != (DATA,) or any(map(CHOOSES_DATA.search, words.code)):
        return None
    own = (place for place, use in placed_uses(words, DATA) if use.digest not in known.get(DATA, ()))
    return next(own, None) or next((place for place, _ in placed_uses(words, DATA)), None)


def _is_read_as_published(name: str, key: str, words: Words, known: Mapping[str, Collection[str]]) -> bool:
    """Return whether the file of a data set's class has a published line for an option."""
    file = file_of(name, words)
    uses = placed_uses(words, key) if file is not None else ()
    return any(
        use.digest in known.get(key, ()) and file and place.startswith(f"{file[0]}:") for place, use in uses
    )


def _read_by_class(
    path: Path, document: Document, words: Words, known: Mapping[str, Collection[str]]
) -> str | None:
    """Return the line of a data set's class that reads an option, where its file has no published one."""
    options = dig(document.value, path[:2]) if path[:1] == (DATA,) and len(path) >= OPTION_DEPTH else None
    names = [options.get(key) for key in CLASS_KEYS] if isinstance(options, Mapping) else []
    file = next((file for name in names if isinstance(name, str) and (file := file_of(name, words))), None)
    key, first = str(path[-1]), None
    for place, use in placed_uses(words, key) if file is not None else ():
        if file is not None and place.startswith(f"{file[0]}:"):
            if use.digest in known.get(key, ()):
                return None
            first = first or (place if not use.sets else None)
    return first


def _is_of_models(place: str) -> bool:
    return MODELS in place.split("/")


def _in_question(
    problem: Problem, keys: list[str], own: Sequence[Placed], *, published: bool
) -> list[Placed]:
    """Return the uses of its own after which a problem may be none; `published`: others are left."""
    if not problem.lacks and problem.rule in OF_VALUES:
        return list(own)
    if not problem.lacks:
        return [(place, use) for place, use in own if use.surely and _sets(use, keys[-2:-1])]
    here = (None, *keys[-1:])
    asking = [(place, use) for place, use in own if not use.reads and use.within in here]
    sure = published or any(use.reads and use.surely for _, use in own)
    return asking or ([] if sure else list(own))


def _sets(use: Use, mapping: list[str]) -> bool:
    return use.sets and use.within in (None, *mapping)


def set_by_its_own(
    paths: Iterable[Path], document: Document, dialect: Dialect, trainer: Trainer | None
) -> str | None:
    """Say what of the repository around a config decides a value of it; None where nothing surely does.

    A data set's class, a loop or a line that sets it, next to an installed trainer as in a checkout.
    """
    if trainer is None or trainer.named or document.format == "command":
        return None
    declared = trainer.source is not None and trainer.source.structs is not None
    around = None if declared or dialect.id not in published_uses() else Surroundings.of(trainer)
    if around is None:
        return None
    if (script := around.reader_of(document, dialect)) is not None:
        return f"its own {script} reads this file itself"
    if not around.installed and starts_none(around.words):
        return SCRIPTLESS
    whys = (_set_at(path, document, dialect, around) for path in paths)
    return next((why for why in whys if why is not None), None)


def _set_at(path: Path, document: Document, dialect: Dialect, around: Surroundings) -> str | None:
    known, words = published_uses()[dialect.id], around.words
    if not around.installed and (place := _own_data(path, words, known)) is not None:
        return f"its own {place} reads that"
    if (loop := unread_by_loop(path, around)) is not None:
        return f"its own {loop} never reads that"
    name = own_name(path, document, dialect)
    if name is not None and not _is_read_as_published(name, str(path[-1]), words, known):
        return f'what its own data set "{name}" reads was not followed'
    if (place := _read_by_class(path, document, words, known)) is not None:
        return f"its own {place} may do something else with that"
    keys = [step for step in path if isinstance(step, str)]
    for place, use in placed_uses(words, keys[-1]) if keys else ():
        if use.surely and _sets(use, keys[-2:-1]) and use.digest not in known.get(keys[-1], ()):
            return f"its own {place} may change that"
    return _set_on_the_way(path, around)


def rested_otherwise(
    rests: Iterable[str], document: Document, dialect: Dialect, trainer: Trainer
) -> str | None:
    """Say which function of a repository's own, of those that a rule rests on, may do otherwise.

    Of a data set's class only where the config names it.
    """
    around = Surroundings.of(trainer)
    if around is None or document.format == "command":
        return None
    named = [
        name
        for name in rests
        if not name.endswith(OF_SAMPLES) or name.partition(".")[0] in document.source.text
    ]
    from trainlint.repository.code.published_functions import own_function  # noqa: PLC0415 - of what fails alone

    files = ((path, text) for path, text in around.words.training_code if around.has(path))
    place = own_function(named, dialect.id, files)
    return f"its own {place} may do otherwise" if place is not None else None
