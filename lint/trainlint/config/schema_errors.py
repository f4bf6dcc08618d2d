# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in a data file of trainlint's (rule, dialect, settings), by the JSON Schema that it follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trainlint.errors import PlacedError, most_alike

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

Path = tuple[str | int, ...]

UNKNOWN_KEY_KEYWORDS = ("additionalProperties", "propertyNames")
"""What of JSON Schema refuses a key that is not known."""

SHOWN_CHARACTERS = 60
"""Characters of a wrong value that a message repeats."""

TYPES = {
    "string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
    "array": "a list", "object": "a mapping", "null": "nothing",
}  # fmt: skip


def hold(validator: Draft202012Validator, value: Any, path: Path = ()) -> None:
    """Raise PlacedError for the clearest slip in a value that lies at `path`, if there is one."""
    from jsonschema.exceptions import best_match  # noqa: PLC0415  # slow to import, and the others need it not

    errors = list(validator.iter_errors(value))
    error = best_match(errors)
    if error is not None and error.validator == "not":  # a word that is wrong decides which keys are taken
        error = next((branch for branch in errors if branch.validator != "not"), error)
    if error is not None and error.validator == "required":  # a misspelt key is missing as well
        unknown = (
            other_error
            for other_error in errors
            if other_error.validator in UNKNOWN_KEY_KEYWORDS
            and other_error.absolute_path == error.absolute_path
        )
        error = next(unknown, error)
    if error is not None:
        key, message = worded(error)
        raise PlacedError(message, (*path, *error.absolute_path, *key))


def worded(error: ValidationError) -> tuple[Path, str]:  # noqa: PLR0911  # one for each keyword
    """Return the key below the error's place that it is about, if one, and what is wrong, in words."""
    named, value = _named(error), error.instance
    wanted: Any = error.validator_value
    match error.validator:
        case "additionalProperties" | "propertyNames" if isinstance(value, Mapping):
            known = list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
            unknown = next((str(key) for key in value if key not in known), "")
            return (unknown,), f'unknown key "{unknown}"{expected(unknown, known)}'
        case "not" if isinstance(value, Mapping) and (refused := _refused(wanted, value)):
            return (refused,), f'"{refused}" does not go with the other keys'
        case "required" if isinstance(value, Mapping):
            missing = next(key for key in wanted if key not in value)
            return (), f'{named}"{missing}" is missing'
        case "enum":
            return (), f"{named}is {shown(value)}{expected(str(value), [str(choice) for choice in wanted])}"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            return (), f"{named}is {shown(value)}, expected {' or '.join(TYPES[kind] for kind in kinds)}"
        case "anyOf" if all(set(form) == {"required"} for form in wanted):
            keys = [f'"{key}"' for alternative in wanted for key in alternative["required"]]
            return (), f"{named}lacks {' or '.join(keys)}: expected one of them"
        case "pattern":
            form = error.schema.get("description") if isinstance(error.schema, Mapping) else None
            return (), f"{named}is {shown(value)}, expected {form or f'a text like {wanted}'}"
    return (), f"{named}{error.message}"


def expected(word: str, known: list[str]) -> str:
    """Say what was expected in the place of a word: the one that is meant, else all of them."""
    near = most_alike(word, known)
    if near:
        return f'; did you mean "{near}"?'
    return f": expected one of {', '.join(known)}" if known else ""


def shown(value: Any) -> str:
    """Return a value as a message repeats it."""
    if value is None or isinstance(value, bool):
        return {None: "empty", True: "true", False: "false"}[value]
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _refused(wanted: Mapping[str, Any], value: Mapping[str, Any]) -> str:
    """Return the first key of a mapping that a "not" forbids; "" where it forbids something else."""
    forbidden = (key for part in wanted.get("anyOf", (wanted,)) for key in part.get("required", ()))
    return next((key for key in forbidden if key in value), "")


def _named(error: ValidationError) -> str:
    keys = [str(key) for key in error.absolute_path if not isinstance(key, int)]
    return f'"{keys[-1]}" ' if keys and error.validator != "required" else ""
