# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a schema from outside may hold: nothing to fetch, nothing that never ends.

Checked when it is loaded, so that the settings which name it are to blame, and not the first document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from trainlint.dialects.schema.schema_walk import Schema, resolve, subschemas
from trainlint.errors import RuleError
from trainlint.expressions.cel import ExpressionError, matches

MOST_PARTS: Final = 5_000
"""Mappings in one schema: the largest that trainlint ships (basicsr.json) has less than 1,500."""

REMOTE_KEYWORDS: Final = (
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
)
"""Keywords that name a schema by something else than its place in this file."""

UNKNOWN_COST: Final = ("unevaluatedProperties", "unevaluatedItems", "contentSchema")
"""Keywords of whose checks jsonschema does the matching itself."""

SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref")
"""Keywords whose schemas are held against the very value: a circle of them would never end."""


def check_bounded(schema: Schema) -> None:
    """Raise RuleError where a schema fetches, refers to nothing or itself, or has a pattern unlike RE2's."""
    parts = []
    for part in subschemas(schema):
        parts.append(part)
        if len(parts) > MOST_PARTS:
            raise RuleError(f"holds more than {MOST_PARTS:,} mappings, which no dialect needs")
    for part in parts:
        for _, check in part_checks(schema, part):
            check()
    _circles(schema, parts)


def part_checks(root: Schema, part: Schema) -> Iterator[tuple[tuple[str, ...], Callable[[], object]]]:
    """Yield the keys in one mapping of a schema that may be wrong, and what raises RuleError if they are."""
    for name in (*REMOTE_KEYWORDS, *UNKNOWN_COST):
        if isinstance(part.get(name), str | Mapping) and (name != "$id" or part is not root):
            yield (name,), partial(_refuse, name)
    if isinstance(part.get("$ref"), str):
        yield ("$ref",), partial(target, root, part["$ref"])
    yield ("pattern",), partial(_pattern, part.get("pattern"))
    for pattern in _mapping(part.get("patternProperties")):
        yield ("patternProperties", pattern), partial(_pattern, pattern)


def _refuse(name: str) -> None:
    raise RuleError(f'"{name}" is not taken here: refer to a part of the file by "$ref": "#/$defs/NAME"')


def target(root: Schema, reference: str) -> Schema:
    """Return the part of a schema that a reference names; RuleError where that is not in this file."""
    if not reference.startswith("#/") and reference != "#":
        raise RuleError(
            f'"$ref": "{reference}" leads out of the file, and nothing is fetched: copy it to "$defs"'
        )
    try:
        return resolve(root, reference)
    except (KeyError, TypeError, AttributeError) as error:
        raise RuleError(f'"$ref": "{reference}" points at nothing') from error


def _pattern(pattern: Any) -> None:
    try:
        if isinstance(pattern, str):
            matches(pattern, "")
    except ExpressionError as error:
        reason = str(error).rpartition("invalid regular expression: ")[2]
        raise RuleError(f'the pattern "{pattern}" is not in RE2\'s syntax: {reason}') from error


def _circles(root: Schema, parts: Sequence[Schema]) -> None:
    """Raise RuleError where a schema is held against a value by way of itself; without recursion."""
    done: set[int] = set()
    for start in parts:
        open_, todo = {id(start)}, [(start, _same(root, start))]
        while todo and id(start) not in done:
            part, following = todo[-1]
            inner = next(following, None)
            if inner is None:
                todo.pop()
                open_.discard(id(part))
                done.add(id(part))
            elif id(inner) in open_:
                raise RuleError(
                    f"a schema refers to itself for the very same value{_named(inner)}: that never ends"
                )
            elif id(inner) not in done:
                open_.add(id(inner))
                todo.append((inner, _same(root, inner)))


def _same(root: Schema, part: Schema) -> Iterator[Schema]:
    """Yield the schemas that are held against the same value as this one."""
    for name in SAME_VALUE:
        held = part.get(name)
        if name == "$ref" and isinstance(held, str):
            held = target(root, held)
        many = held.values() if name == "dependentSchemas" and isinstance(held, Mapping) else [held]
        for inner in held if isinstance(held, list) else many:
            if isinstance(inner, Mapping):
                yield inner


def _named(part: Schema) -> str:
    return f' ("$ref": "{part["$ref"]}")' if "$ref" in part else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
