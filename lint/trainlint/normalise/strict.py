"""JSON Schema over what Python's loaders yield: tuples, odd keys, integers that are no floats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator, TypeChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from trainlint.normalise.schema import Schema

BY_PATTERN: Final = ("patternProperties", "additionalProperties")
"""Keywords that match keys against patterns: jsonschema takes for granted that keys are strings."""


@cache
def strict_validator() -> Callable[[Schema], Validator]:
    """Return the validator class: 5.0 and True are no integers, tuples are arrays, any key is a key."""
    checker = Draft202012Validator.TYPE_CHECKER.redefine("array", _is_array).redefine("integer", _is_integer)
    keywords = {name: _textual(name) for name in BY_PATTERN}
    strict: Callable[[Schema], Validator] = extend(Draft202012Validator, keywords, type_checker=checker)  # type: ignore[no-untyped-call]
    return strict


def _is_array(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_integer(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _textual(name: str) -> Callable[..., Iterator[ValidationError]]:
    """Return a keyword's check for keys that are strings; the others match no pattern."""
    check = Draft202012Validator.VALIDATORS[name]

    def checked(validator: Validator, wanted: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
        if isinstance(value, Mapping) and "patternProperties" in schema:
            value = {key: item for key, item in value.items() if isinstance(key, str)}
        yield from check(validator, wanted, value, schema)

    return checked
