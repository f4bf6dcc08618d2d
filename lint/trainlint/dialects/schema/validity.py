# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a value satisfies a schema, yes or no, without jsonschema, which takes long to import.

Keywords mean here what they mean to `strict_schema.py`, where jsonschema says what is wrong with a value; a
test holds the two together. A schema with any other keyword is left to jsonschema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from trainlint.dialects.schema.check_budget import CHECKS, LEAF_TYPES
from trainlint.dialects.schema.schema_walk import Schema, covered, placed_schemas, resolve
from trainlint.expressions.cel import matches

KEPT_ANSWERS: Final = 4_000
"""Answers about lists and mappings that are kept: a document asks for 60, and its edits for most of them."""
_KNOWN: Final[dict[tuple[int, int], tuple[Schema, Schema, Any, bool, int]]] = {}
"""Root, schema and value, which are known by identity, with the answer and what it costs."""


def satisfies(root: Schema, schema: Any, value: Any) -> bool:
    """Say whether a value satisfies a part of the schema `root`; TooLargeError where that takes too long."""
    if isinstance(schema, bool):
        return schema
    if type(value) in LEAF_TYPES:
        for word, wanted in schema.items():
            check = KEYWORDS.get(word)
            if check is not None:
                CHECKS.take(1)
                if not check(root, schema, wanted, value):
                    return False
        return True
    known = _KNOWN.get((id(schema), id(value)))
    if known is not None and known[0] is root:
        CHECKS.take(known[4])
        return known[3]
    left = CHECKS.left
    valid = _holds(root, schema, value)
    if len(_KNOWN) >= KEPT_ANSWERS:
        _KNOWN.clear()
    _KNOWN[id(schema), id(value)] = root, schema, value, valid, left - CHECKS.left
    return valid


def _holds(root: Schema, schema: Schema, value: Any) -> bool:
    """Say whether a list or a mapping satisfies every keyword of a schema."""
    for word, wanted in schema.items():
        check = KEYWORDS.get(word)
        if check is not None:
            CHECKS.spend(word, wanted, value, schema)
            if not check(root, schema, wanted, value):
                return False
    return True


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "array": lambda value: isinstance(value, list | tuple),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _type(_: Schema, __: Schema, wanted: Any, value: Any) -> bool:
    if isinstance(wanted, str):
        return TYPES[wanted](value)
    return any(TYPES[name](value) for name in wanted)


def _equal(left: Any, right: Any) -> bool:
    """Compare as JSON does: true is not 1, not in a list either."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    return left is right or bool(left == right)


def _properties(root: Schema, _: Schema, wanted: Mapping[str, Any], value: Any) -> bool:
    return not isinstance(value, dict) or all(
        satisfies(root, part, value[key]) for key, part in wanted.items() if key in value
    )


def _by_pattern(root: Schema, _: Schema, wanted: Mapping[str, Any], value: Any) -> bool:
    return not isinstance(value, Mapping) or all(
        satisfies(root, part, value[key])
        for pattern, part in wanted.items()
        for key in value
        if isinstance(key, str) and matches(pattern, key)
    )


def _additional(root: Schema, schema: Schema, wanted: Any, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return True
    textual = "patternProperties" in schema  # then keys that are no strings are passed over
    extra = [key for key in value if not covered(schema, key) and (isinstance(key, str) or not textual)]
    if isinstance(wanted, Mapping):
        return all(satisfies(root, wanted, value[key]) for key in extra if key is not None)
    return bool(wanted) or not extra


def _items(root: Schema, _: Schema, wanted: Any, value: Any) -> bool:
    return not isinstance(value, list | tuple) or all(satisfies(root, wanted, item) for item in value)


def _if(root: Schema, schema: Schema, wanted: Any, value: Any) -> bool:
    branch = "then" if satisfies(root, wanted, value) else "else"
    return branch not in schema or satisfies(root, schema[branch], value)


def _multiple(_: Schema, __: Schema, wanted: Any, value: Any) -> bool:
    return not _number(value) or not value % wanted


def _bound(holds: Callable[[Any, Any], bool]) -> Callable[[Schema, Schema, Any, Any], bool]:
    """Return a bound's check; not a number compares as false, so it passes none."""
    return lambda _, __, wanted, value: not _number(value) or holds(value, wanted)


Sized = type[str] | type[dict[Any, Any]] | tuple[type[list[Any]], type[tuple[Any, ...]]]


def _size(kind: Sized, holds: Callable[[int, int], bool]) -> Callable[..., bool]:
    return lambda _, __, wanted, value: not isinstance(value, kind) or holds(len(value), wanted)


def _at_most(length: int, limit: int) -> bool:
    return length <= limit


def _at_least(length: int, limit: int) -> bool:
    return length >= limit


KEYWORDS: Final[Mapping[str, Callable[[Schema, Schema, Any, Any], bool]]] = {
    "$ref": lambda root, _, wanted, value: satisfies(root, resolve(root, wanted), value),
    "type": _type,
    "enum": lambda _, __, wanted, value: any(_equal(choice, value) for choice in wanted),
    "const": lambda _, __, wanted, value: _equal(value, wanted),
    "properties": _properties,
    "patternProperties": _by_pattern,
    "additionalProperties": _additional,
    "propertyNames": lambda root, _, wanted, value: (
        not isinstance(value, dict) or all(satisfies(root, wanted, key) for key in value)
    ),
    "required": lambda _, __, wanted, value: (
        not isinstance(value, dict) or all(key in value for key in wanted)
    ),
    "items": _items,
    "allOf": lambda root, _, wanted, value: all(satisfies(root, part, value) for part in wanted),
    "anyOf": lambda root, _, wanted, value: any(satisfies(root, part, value) for part in wanted),
    "oneOf": lambda root, _, wanted, value: sum(satisfies(root, part, value) for part in wanted) == 1,
    "not": lambda root, _, wanted, value: not satisfies(root, wanted, value),
    "if": _if,
    "minimum": _bound(lambda value, limit: value >= limit),
    "maximum": _bound(lambda value, limit: value <= limit),
    "exclusiveMinimum": _bound(lambda value, limit: value > limit),
    "exclusiveMaximum": _bound(lambda value, limit: value < limit),
    "multipleOf": _multiple,
    "pattern": lambda _, __, wanted, value: not isinstance(value, str) or matches(wanted, value),
    "minItems": _size((list, tuple), _at_least),
    "maxItems": _size((list, tuple), _at_most),
    "minProperties": _size(dict, _at_least),
    "maxProperties": _size(dict, _at_most),
    "minLength": _size(str, _at_least),
    "maxLength": _size(str, _at_most),
}
"""Keywords that are known here, in the meaning of `strict_schema.py`."""

JSONSCHEMA_KEYWORDS: Final = frozenset((
    "prefixItems", "contains", "uniqueItems", "dependentRequired", "dependentSchemas", "format",
))  # fmt: skip
"""Keywords that a dialect may use and that only jsonschema checks (so with minContains and maxContains)."""


def is_known(schema: Schema) -> bool:
    """Say whether every part of a schema can be decided here."""
    return not any(
        JSONSCHEMA_KEYWORDS & part.keys() or isinstance(part.get("multipleOf"), float)
        for _, part in placed_schemas(schema)
    )
