# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON Schema over what Python's loaders yield: tuples, odd keys, integers that are no floats.

A schema may be anybody's, and a document is: nothing is fetched, patterns are RE2's, and checks are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import isnan
from typing import Any, Final

from jsonschema import Draft202012Validator, TypeChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry

from trainlint.dialects.schema.check_budget import CHECKS
from trainlint.dialects.schema.schema_walk import Schema, covered
from trainlint.expressions.cel import matches

_KEYWORDS: Final[Mapping[str, Any]] = Draft202012Validator.VALIDATORS


def strict_validator() -> Callable[[Schema], Validator]:
    """Return what makes validators: 5.0 and True are no integers, tuples are arrays, any key is a key."""
    registry: Registry[Any] = Registry()  # holds nothing and retrieves nothing
    return lambda schema: _strict()(schema, registry=registry)


BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
"""Keywords that compare: not a number is within no bounds, as torch's own checks see it (`not 0.0 <= lr`)."""


@cache
def _strict() -> Callable[..., Validator]:
    checker = Draft202012Validator.TYPE_CHECKER.redefine("array", _is_array).redefine("integer", _is_integer)
    own = {"pattern": _pattern, "patternProperties": _by_pattern, "additionalProperties": _additional}
    own |= {name: _ordered(name) for name in BOUNDS}
    keywords = {name: _counted(name, own.get(name, check)) for name, check in _KEYWORDS.items()}
    strict: Callable[..., Validator] = extend(Draft202012Validator, keywords, type_checker=checker)  # type: ignore[no-untyped-call]  # jsonschema leaves it untyped
    return strict


def _is_array(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_integer(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


Errors = Iterator[ValidationError]


def _ordered(name: str) -> Callable[..., Errors]:
    """Return a bound's check, which not a number does not pass."""
    check = _KEYWORDS[name]

    def checked(validator: Validator, wanted: Any, value: Any, schema: Schema) -> Errors:
        if isinstance(value, float) and isnan(value):
            yield ValidationError(f"{value} is within no bounds")
        else:
            yield from check(validator, wanted, value, schema)

    return checked


def _counted(name: str, check: Callable[..., Errors]) -> Callable[..., Errors]:
    def counted(validator: Validator, wanted: Any, value: Any, schema: Schema) -> Errors:
        CHECKS.spend(name, wanted, value, schema)
        return check(validator, wanted, value, schema)

    return counted


def _pattern(_: Validator, wanted: str, value: Any, __: Schema) -> Errors:
    if isinstance(value, str) and not matches(wanted, value):
        yield ValidationError(f"{value!r} does not match {wanted!r}")


def _by_pattern(validator: Validator, wanted: Mapping[str, Any], value: Any, _: Schema) -> Errors:
    for pattern, part in wanted.items() if isinstance(value, Mapping) else ():
        for key in value:
            if isinstance(key, str) and matches(pattern, key):
                yield from validator.descend(value[key], part, path=key, schema_path=pattern)  # type: ignore[attr-defined]  # not in jsonschema's protocol


def _additional(validator: Validator, wanted: Any, value: Any, schema: Schema) -> Errors:
    """Check the keys that nothing else in this schema speaks of; where none may be, one error for all."""
    keys = value if isinstance(value, Mapping) else ()
    textual = "patternProperties" in schema  # then keys that are no strings are passed over
    extra = [key for key in keys if not covered(schema, key) and (isinstance(key, str) or not textual)]
    if isinstance(wanted, Mapping):
        for key in extra:
            if key is None:  # jsonschema takes it for no step at all, and would call its parts the parent's
                continue
            yield from validator.descend(value[key], wanted, path=key)  # type: ignore[attr-defined]  # not in jsonschema's protocol
    elif not wanted and extra:
        yield ValidationError(f"unknown keys: {', '.join(map(repr, extra))}")
