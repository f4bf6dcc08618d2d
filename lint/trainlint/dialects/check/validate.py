# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a document's schema has to say about it: one clear problem per wrong value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.dialects.check.class_names import misspelt_name
from trainlint.dialects.check.optimizer_keywords import unknown_arguments
from trainlint.dialects.messages import typos
from trainlint.dialects.messages.value_wording import dotted, place
from trainlint.dialects.schema import number_words
from trainlint.dialects.schema.check_budget import CHECKS, CHECKS_PER_MESSAGE, LEAF_TYPES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, described, kinds
from trainlint.dialects.schema.visited_schema import KEPT_VALUES, Spoken, walked
from trainlint.expressions.patterns import later
from trainlint.model.document import COMMAND, Document, Path, Span
from trainlint.model.job import Doubt, Problem

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

BRANCHES: Final = ("anyOf", "oneOf")

MOST_OF_A_LIST: Final = 100
"""Wrong items of one list that are reported one by one: each is judged and its fix tried, 100 in 0.2 s."""

MOST_COMPARED: Final = 2_000
"""Characters of two mappings that are compared."""
_OPENS = later(r"""["']?\s*+:\s*+[{\[]""")
_BRACKETS = later(r"""[{}\[\]]|"(?:[^"\\]|\\.)*+["]""")
_FIGURE: Final = later(r"\d{1,15}(?:\.\d{0,15})?")
COMMENT_KEY: Final = later(r"(?i)[^\w\s-].*|_*(?:comment|note|todo|remark)s?_*")
"""A key that is a remark, as JSON has no other: "[NOTE]", "_comment", "//"."""

ONE_VALUE: Final = later(r"[:=]\s*[^\s|>{\[&*][^{}\[\]]*")
"""What follows a key whose value is all on its line."""

ONE_ARGUMENT: Final = later(r"=?([\w./:+-]+)(?:\s*\\)?")
"""What follows a flag that has its line for itself."""

PYTHONS_NONE: Final = "None"
"""Python's word for nothing, which YAML does not have."""

ONE_DOCUMENT: Final = ("pyyaml", "msgspec")
"""Loaders that read a file by yaml.load, which raises ComposerError at a second document."""


def validate(document: Document, dialect: Dialect, part: Schema | None = None) -> tuple[Problem, ...]:
    """Return the problems of a document in the order of the file, one for each wrong value.

    `part` is a subschema to check besides (a variant's).
    """
    problems = [
        *_duplicates(document, dialect.twice),
        *_further_documents(document, dialect),
        *_schema(document, dialect, part),
        *_bare_exponents(document, dialect),
        *_none_words(document, dialect),
    ]
    spoken = walked(document, dialect)  # last: a schema without an end is stopped above, by its checks
    problems += [*_remarks(spoken, dialect), *_added_slips(document, spoken, dialect)]
    reported = {
        problem.path for problem in problems if problem.rule == "unknown-argument" or _is_misnamed(problem)
    }
    settled = {(problem.path, problem.lacks) for problem in problems if problem.doubt is not Doubt.SOURCE}
    first: dict[tuple[Any, ...], Problem] = {}
    for problem in problems:
        if problem.doubt is Doubt.SOURCE and (problem.path, problem.lacks) in settled:
            continue
        if problem.rule == "unknown-key" and problem.path in reported:
            continue
        first.setdefault(_identity(problem), problem)
    in_order = sorted(first.values(), key=lambda problem: document.nearest(problem.path).value.start)
    return tuple(_of_long_lists(in_order))


def _of_long_lists(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Leave out what is wrong with a list again and again, and say how often."""
    number = Counter(map(_list_of, problems))
    met = Counter[Any]()
    for problem in problems:
        key = _list_of(problem)
        met[key] += 1
        more = number[key] - MOST_OF_A_LIST
        if key is None or met[key] < MOST_OF_A_LIST or (met[key] == MOST_OF_A_LIST and more == 0):
            yield problem
        elif met[key] == MOST_OF_A_LIST:
            yield replace(problem, message=f"{problem.message}, and {more:,} more of this list")


def _list_of(problem: Problem) -> tuple[Path, str] | None:
    """Return the list of which a problem is about one item, and the rule; None for any other problem."""
    return (problem.path[:-1], problem.rule) if problem.path and isinstance(problem.path[-1], int) else None


def _identity(problem: Problem) -> tuple[Any, ...]:
    """Several keys may be missing in one mapping, and a key written twice may be wrong too."""
    if problem.rule in ("missing-key", "several-documents"):
        return (*problem.path, problem.message)
    return (*problem.path, problem.rule == "duplicate-key")


def _is_misnamed(problem: Problem) -> bool:
    """Return whether a missing key is there under a name that is nearly its own."""
    return problem.rule == "missing-key" and problem.suggestion is not None


def _duplicates(document: Document, stops: str) -> Iterator[Problem]:
    """Yield keys that are written twice; the same value again loses nothing unless a loader `stops` there."""
    for twice in document.duplicates:
        if stops and document.format != COMMAND:
            message = f'key "{twice.path[-1]}" is written twice{place(twice.path[:-1])}: {stops}'
            yield Problem("duplicate-key", message, twice.path, on_key=True)
            continue
        first, second = (_behind(document.source.text, span) for span in (twice.first, twice.second))
        if (first == second and ONE_VALUE.fullmatch(first)) or _same_word(first, second):
            continue
        if document.format == COMMAND and _argument(first) == _argument(second) != "":
            continue
        if _in_brackets(document, twice.first) == _in_brackets(document, twice.second) != "":
            continue
        if COMMENT_KEY.fullmatch(str(twice.path[-1])):
            continue
        line = document.source.position(twice.first.start)[0]
        where = place(twice.path[:-1])
        message = f'key "{twice.path[-1]}" is written twice{where}: the first, on line {line}, is lost'
        yield Problem("duplicate-key", message, twice.path, on_key=True)


def _in_brackets(document: Document, key: Span) -> str:
    """Return the mapping or list behind a key, without blanks; "" for any other value."""
    text = document.source.text[key.end : key.end + MOST_COMPARED]
    opened = _OPENS.match(text)
    depth = 0
    for match in _BRACKETS.finditer(text, opened.end() - 1) if opened else ():
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match.group(), 0)
        if not depth:
            return "".join(text[: match.end()].split())
    return ""


def _same_word(first: str, second: str) -> bool:
    """Return whether two texts behind a key are one truth or number, however written: True and true."""
    word, again = (text[:MOST_COMPARED].strip(":= \t").lower() for text in (first, second))
    if _FIGURE.fullmatch(word) and _FIGURE.fullmatch(again):
        return float(word) == float(again)
    return word == again and word in ("true", "false", "null")


def _argument(text: str) -> str:
    """Return the one argument behind a flag that has its line for itself; "" where it has not."""
    argument = ONE_ARGUMENT.fullmatch(text)
    return argument[1] if argument else ""


def _behind(text: str, key: Span) -> str:
    """Return what follows a key on its line, without a comment and a comma; a long line's rest as it is.

    A line of thousands of flags would be gone through for each of them.
    """
    end = text.find("\n", key.end)
    rest = text[key.end : end if end >= 0 else len(text)]
    return rest if len(rest) > MOST_COMPARED else re.sub(r"\s+#.*", "", rest).strip().rstrip(",")


def _further_documents(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield that a file holds several documents where the trainer's loader takes one (yaml.load raises)."""
    second = document.meta.get("second")
    if second is not None and dialect.loader in ONE_DOCUMENT:
        line = document.source.position(second)[0]
        message = (
            f'a second document starts at the "---" on line {line}: '
            f"{dialect.title} loads one and stops at a further one"
        )
        yield Problem("several-documents", message, ())


def _schema(document: Document, dialect: Dialect, part: Schema | None) -> Iterator[Problem]:
    for schema in (None, part) if part else (None,):
        left = CHECKS.left
        if not dialect.valid(dialect.schema if schema is None else schema, document.value):
            CHECKS.left = left  # what is refused is gone through once more, to say why
            validator = dialect.validator if schema is None else dialect.validator.evolve(schema=schema)
            from trainlint.dialects.messages.schema_problem import Complaint  # noqa: PLC0415 - of what is wrong

            for error in validator.iter_errors(document.value):
                CHECKS.take(CHECKS_PER_MESSAGE)
                for leaf in _leaves(error):
                    yield from Complaint.of(leaf, document, dialect).problems()


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yield the errors worth telling: of several branches, those of the one that the user meant."""
    branches: dict[Any, list[ValidationError]] = {}
    worded = isinstance(error.schema, Mapping) and "x-message" in error.schema
    if error.validator in BRANCHES and not worded:
        for inner in error.context or ():
            branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [errors for errors in branches.values() if not any(map(_other_branch, errors))]
    if len(meant) == 1:
        for inner in meant[0]:
            yield from _leaves(inner)
    else:
        yield error


def _other_branch(error: ValidationError) -> bool:
    """Say whether an error says that its branch is about something else: another type, another constant."""
    return not error.relative_path and error.validator in ("type", "const", "enum")


def _bare_exponents(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield numbers that are read as strings where no schema says what to expect (a network's arguments)."""
    for path, text in number_words.bare(document, dialect.loader):
        parts = described(dialect.schema, document.value, path, dialect.valid)
        if not any("string" in part.get("type", ()) for part in parts):
            whole = not any("number" in kinds(part) for part in parts)
            from trainlint.dialects.messages.schema_problem import number_as_string  # noqa: PLC0415 - as above

            yield number_as_string(path, text, whole=whole, loader=dialect.loader)


def _none_words(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield the word None where the name of a file or nothing is expected; among other names it is one."""
    if document.format != "yaml" or "None" not in document.source.text:
        return
    for path, text in number_words.plain_words(document, PYTHONS_NONE):
        parts = described(dialect.schema, document.value, path, dialect.valid)
        if any({"string", "null"} <= {*kinds(part)} and "x-names" not in part for part in parts):
            message = f'"{dotted(path)}" is the word {text}, which YAML does not read as nothing: write ~'
            yield Problem("none-as-string", message, path, suggestion="~", doubt=Doubt.MEMBER)


_REMARKED: Final[dict[int, tuple[Spoken, tuple[Problem, ...]]]] = {}
"""What was said of lists and mappings, which an edit leaves as they are but for those around it."""

ALL: Final = "all"
"""What `x-slips` says of a mapping whose every key that the trainer reads is known."""
REMARKS: Final = frozenset(("x-unused", "x-later", "x-arguments", "x-names", "x-asked", "x-slips"))


def _remarks(spoken: Spoken, dialect: Dialect) -> tuple[Problem, ...]:
    """Return what annotations say: keys not read, or by later forks alone, slips in open mappings."""
    known = _REMARKED.get(id(spoken))
    if known is not None and known[0] is spoken:
        return known[1]
    remarks = [*_own_remarks(spoken, dialect)]
    for _, inner in spoken.parts:
        for child in inner:
            if type(child.value) not in LEAF_TYPES:
                remarks += _remarks(child, dialect)
            elif any(not REMARKS.isdisjoint(part) for part, _ in child.parts):
                remarks += _own_remarks(child, dialect)
    if len(_REMARKED) >= KEPT_VALUES:
        _REMARKED.clear()
    _REMARKED[id(spoken)] = spoken, tuple(remarks)
    return tuple(remarks)


def _own_remarks(spoken: Spoken, dialect: Dialect) -> Iterator[Problem]:
    """Yield what is said of a value, less what is said of its parts."""
    path, value = spoken.path, spoken.value
    for part, _ in spoken.parts:
        if "x-unused" in part:
            yield Problem("unused-key", f'"{path[-1]}" has no effect: {part["x-unused"]}', path, on_key=True)
        if "x-later" in part:
            yield _later(path, part, dialect)
        if "x-arguments" in part:
            yield from unknown_arguments(part["x-arguments"], path, value)
        if "x-names" in part:
            yield from misspelt_name(part["x-names"], path, value, dialect)
        if "x-asked" in part and isinstance(value, Mapping):
            yield from _asked(path, part["x-asked"], value)
    if any(part.get("x-slips") for part, _ in spoken.parts):
        yield from _slips(path, [part for part, _ in spoken.parts], value, dialect)


def _later(path: Path, part: Schema, dialect: Dialect) -> Problem:
    """Return the problem of a key that only some forks of the trainer read, or may read."""
    which = part["x-later"]
    readers = f", which {which} read" if isinstance(which, str) else str(part.get("x-message", ""))
    message = f'{dialect.title} refuses the unknown key "{path[-1]}"{place(path[:-1])}{readers}'
    return Problem("unknown-key", message, path, on_key=True, doubt=Doubt.KEY)


def _asked(path: Path, keys: Sequence[str], value: Mapping[Any, Any]) -> Iterator[Problem]:
    """Yield keys that are not there, which published scripts read: a fork's own may not."""
    for key in keys:
        if key not in value:
            message = f'"{key}" is missing{place(path)}, and the source of this repository reads it'
            yield Problem("missing-key", message, path, lacks=key, doubt=Doubt.SOURCE)


def _added_slips(document: Document, spoken: Spoken, dialect: Dialect) -> Iterator[Problem]:
    """Yield keys that a command adds next to those that it means: these stay as the file has them."""
    added = [path for path in document.meta.get("borrowed", ()) if path not in document.places]
    for path in added if document.format != "command" else ():
        parent = _value_at(spoken, path[:-1])
        if parent is None or not any(part.get("x-slips") for part, _ in parent.parts):
            continue
        known = {name for part, _ in parent.parts for name in part.get("properties", {})}
        key = str(path[-1])
        near, doubt = typos.meant(key, known, ()), None
        if not near:
            near, doubt = typos.perhaps_meant(key, known, ()), Doubt.SOURCE
        if key not in known and near in parent.value:
            message = f'{dialect.title} does not read "{key}"{place(path[:-1])}; did you mean "{near}"?'
            yield Problem("unknown-key", message, path, on_key=True, suggestion=near, doubt=doubt)


def _value_at(spoken: Spoken, path: Path) -> Spoken | None:
    """Return what is spoken of at a path below a value; None where nothing is."""
    for depth in range(len(path)):
        children = (child for _, inner in spoken.parts for child in inner)
        below = next((child for child in children if child.path == path[: depth + 1]), None)
        if below is None:
            return None
        spoken = below
    return spoken


def _slips(path: Path, parts: list[Schema], value: Any, dialect: Dialect) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        return
    known = {name for part in parts for name in part.get("properties", {})}
    are_all = any(part.get("x-slips") == ALL for part in parts)
    for key in value:
        if not isinstance(key, str) or key in known:
            continue
        near, doubt = typos.meant(key, known, value), None
        if not near and are_all:
            near, doubt = typos.read_instead(key, known, value), Doubt.KEY
        elif not near:  # less alike: where the source has the one key and not the other
            near, doubt = typos.perhaps_meant(key, known, value), Doubt.SOURCE
        dropped = _dropped((*path, key), known, value, dialect) if doubt else None
        if dropped:
            yield dropped
        elif near:
            message = f'{dialect.title} does not read "{key}"{place(path)}; did you mean "{near}"?'
            yield Problem("unknown-key", message, (*path, key), on_key=True, suggestion=near, doubt=doubt)


def _dropped(
    path: Path, known: Collection[str], value: Mapping[Any, Any], dialect: Dialect
) -> Problem | None:
    """Return a key that such a trainer passes over, where it was thought to be a known one."""
    near = typos.read_instead(str(path[-1]), known, value) if dialect.unknown == "unused" else None
    if near is None:
        return None
    message = f'{dialect.title} never reads "{path[-1]}"{place(path[:-1])}; did you mean "{near}"?'
    return Problem("unknown-key", message, path, on_key=True, suggestion=near, harmless=True, doubt=Doubt.KEY)
