# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What argparse says of a command line: the schema's problems in the words that the user will see."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from trainlint.dialects.messages.value_wording import never_read
from trainlint.dialects.schema.argparse_arguments import spellings, unresolved
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, kinds
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.expressions.patterns import later
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.job import Doubt, Job, Problem
from trainlint.model.start import FINE_TUNING

TYPE_ERRORS = ("wrong-type", "wrong-value", "number-as-string")
NUMBERS = {"integer": "int", "number": "float"}
"""JSON Schema's type -> Python's name for it, as argparse says it."""
UNRECOGNIZED = "unrecognized arguments: "
"""How argparse begins to say what it does not know."""
LITERAL_FLAG = later(r"-[\w-]+")
"""A flag that no variable is a part of."""

MOST_FLAGS: Final = 12
"""Flags that are named."""


def as_argparse_says(
    problems: tuple[Problem, ...], document: Document, dialect: Dialect, known: Mapping[str, Schema]
) -> tuple[Problem, ...]:
    """Return the problems of a command in argparse's words, less those of unknown values.

    `known` are the flags of its script.
    """
    if document.format != COMMAND or dialect.loader != "argparse":
        return problems
    unknown: set[Path] = {(name,) for name in unresolved(document)}
    abridged = bool(document.meta.get("partial"))
    shown = [p for p in problems if not _unknowable(p, document, unknown, abridged=abridged)]
    reworded = (_placed(_reworded(p, document, dialect, known), document) for p in shown)
    return (*reworded, *_misspelt(document, dialect, known), *_never_read(document, dialect, known))


def unheld(job: Job) -> str | None:
    """Say which flags of a command were not held against its script's parser; None where all were.

    A dialect that takes other flags speaks for scripts of which it knows no parser.
    """
    document, source = job.document, job.trainer.source if job.trainer else None
    refused = any(problem.rule == "unknown-key" and not problem.harmless for problem in job.problems)
    if document.format != COMMAND or refused:
        return None
    if job.dialect.id == FINE_TUNING:  # they are keys of the file that it names, and held against that
        return None
    parsed = {_plain(name) for name in source.flags} if source else set()
    names = [name for name in document.value if not name.startswith("@") and name not in job.flags]
    words = source.words if source else None
    left = [
        _spelt(document, name)
        for name in names
        if not _is_parsed(_plain(name), parsed) and not (words is not None and words.annotates(name))
    ]
    script = document.meta.get("script") or "its script"
    more = f" and {len(left) - MOST_FLAGS} more" if len(left) > MOST_FLAGS else ""
    return (
        f"the flags of {script} are not known, {', '.join(left[:MOST_FLAGS])}{more} among them"
        if left
        else None
    )


def _plain(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _is_parsed(name: str, parsed: Collection[str]) -> bool:
    """Return whether a parser knows a flag, or one alone that begins so (allow_abbrev)."""
    return name in parsed or sum(flag.startswith(name) for flag in parsed) == 1


def _spelt(document: Document, name: str) -> str:
    """Return a flag as it is written; by its name where that is in a script that the line calls."""
    place = document.places.get((name,))
    written = document.source.text[place.key.start : place.key.end] if place and place.key else ""
    return written if written.startswith("-") else f"--{name}"


def _placed(problem: Problem, document: Document) -> Problem:
    """Say of a default that a file sets where it does."""
    where = document.meta.get("borrowed", {}).get(problem.path)
    return replace(problem, message=f"{problem.message} ({where})") if where else problem


def _never_read(document: Document, dialect: Dialect, known: Mapping[str, Schema]) -> Iterator[Problem]:
    """Yield what a file of defaults sets and is nearly an argument: argparse says nothing of it."""
    flag, strange = dialect.defaults_flag, document.meta.get("strange", {})
    for name, where in strange.items() if flag else ():
        near = most_alike(name.replace("-", "_"), known, CLOSE_RATIO)
        if near is None:
            continue
        if dialect.unknown == "unused":
            message = f'{dialect.title} never reads "{name}" ({where}); did you mean "{near}"?'
            yield Problem("unknown-key", message, (str(flag),), harmless=True)
        else:
            yield Problem("unused-key", never_read(name, f" ({where})", near), (str(flag),))


def _unknowable(problem: Problem, document: Document, unknown: set[Path], *, abridged: bool) -> bool:
    """Return whether a problem is about a value that is only known when the command runs."""
    if problem.rule == "missing-key":
        return abridged
    if problem.rule == "unknown-key" and problem.path[:1] in unknown:  # the flag may be written all the same
        return LITERAL_FLAG.fullmatch(_spelt(document, str(problem.path[0]))) is None
    absent = problem.path and problem.path not in document.places
    return problem.path[:1] in unknown or (abridged and bool(absent))


def _reworded(problem: Problem, document: Document, dialect: Dialect, known: Mapping[str, Schema]) -> Problem:
    if len(problem.path) != 1 and problem.rule != "missing-key":
        return problem
    if problem.rule == "unknown-key":
        return _unrecognized(problem, document, dialect, known)
    if problem.rule == "missing-key" and problem.message.startswith('missing key "'):
        name = problem.message.split('"')[1]
        flag = spellings(name, known.get(name, {}), dialect)[-1]
        return replace(problem, message=f"the following arguments are required: {flag}")
    if problem.rule == "duplicate-key":
        name = str(problem.path[0])
        flag = spellings(name, known.get(name, {}), dialect)[-1]
        return replace(problem, message=f"{flag} is given twice: the parser keeps the last value")
    whole = dialect.headings and problem.path in document.meta.get(
        "borrowed", ()
    )  # its file is not converted
    if problem.rule in TYPE_ERRORS and not whole:
        return _invalid(problem, document, dialect, known)
    return problem


def _invalid(problem: Problem, document: Document, dialect: Dialect, known: Mapping[str, Schema]) -> Problem:
    """Say of a value what argparse does: no value where one is due, a text that is no number."""
    name = str(problem.path[0])
    value, part = document.value.get(name), known.get(name, {})
    flag = f"argument {spellings(name, part, dialect)[-1]}"
    kind = next((word for kind, word in NUMBERS.items() if kind in kinds(part)), None)
    if value is True and "boolean" not in kinds(part):
        return replace(problem, message=f"{flag}: expected one argument")
    if isinstance(value, str) and kind:
        return replace(problem, message=f"{flag}: invalid {kind} value: '{value}'")
    return problem


def _unrecognized(
    problem: Problem, document: Document, dialect: Dialect, known: Mapping[str, Schema]
) -> Problem:
    written = _written(document, problem.path)
    flags = {name: spellings(name, part, dialect) for name, part in known.items()}
    usual = {name: spelt[-1] for name, spelt in flags.items() if spelt}  # a key of files alone has none
    begun = [flag for name, flag in usual.items() if name.startswith(str(problem.path[0]))]
    meant = usual.get(problem.suggestion or "")
    if len(begun) > 1:
        message = f"ambiguous option: {written.split()[0]} could match {', '.join(begun)}"
    else:
        message = f"{UNRECOGNIZED}{written}" + (f'; did you mean "{meant}"?' if meant else "")
    return replace(problem, message=message, suggestion=meant)


def _written(document: Document, path: Path) -> str:
    """Return a flag and its words as the user wrote them, or as argparse gets them from a variable.

    Of a called script's only the name, or the words without a flag.
    """
    if document.meta.get("called"):
        words = document.value[path[0]] if path[0] == "@args" else [f"--{path[0]}"]
        return " ".join(map(str, words))
    place, flag = document.places[path], document.meta.get("flags", {}).get(path[0])
    start = place.key.start if place.key else place.value.start
    text = " ".join(document.source.text[start : place.value.end].split())
    text = _unescaped(text) if document.cell is not None else text
    if not flag or flag in text:
        return text
    value = document.value[path[0]]
    words = value if isinstance(value, list) else [] if value is None or value is True else [value]
    return " ".join(map(str, [flag, *words]))


def _unescaped(text: str) -> str:
    """Return what a notebook's JSON says; a text that is none, as it is."""
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _misspelt(document: Document, dialect: Dialect, known: Mapping[str, Schema]) -> Iterator[Problem]:
    """Yield flags that have dashes for underscores or the reverse: argparse does not know them."""
    for name, flag in () if document.meta.get("called") else document.meta["flags"].items():
        if name not in known or not flag:
            continue
        usual = spellings(name, known[name], dialect)
        if flag not in usual and not _begins(flag, usual):
            message = f'{UNRECOGNIZED}{_written(document, (name,))}; did you mean "{usual[-1]}"?'
            yield Problem("unknown-key", message, (name,), on_key=True, suggestion=usual[-1], doubt=Doubt.KEY)


def _begins(written: str, usual: tuple[str, ...]) -> bool:
    """Return whether a flag is a beginning of one that the parser knows (allow_abbrev): `-dir` too."""
    return any(flag.startswith(written) for flag in usual)
