# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Bringing fields to the one typed form of the vocabulary, with Cerberus: an int is never a float."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from trainlint.dialects.schema.document_expression import plain
from trainlint.model.spec import VOCABULARY

if TYPE_CHECKING:
    from cerberus import Validator

PYTHON = {"integer": int, "float": float, "string": str, "boolean": bool, "list": list, "dict": dict}
"""The types of the vocabulary, and the one in which each comes most often."""

LARGEST_INTEGER = 2**53
"""Integers beyond this are no sizes or counts, and rules could not multiply them in 64 bits."""


CLAMPED_FIELDS = frozenset(
    ("checkpoint.every", "checkpoint.every_epochs", "checkpoint.keep", "validation.every")
)
"""Fields in which a huge number is how people write "never" or "all": it is held at LARGEST_INTEGER."""


def typed(fields: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Return the fields in their vocabulary's types, and the names of those that do not fit."""
    document: dict[str, Any] = {}
    wrong: set[str] = set()
    for name, value in fields.items():
        document[name] = _held(value) if name in CLAMPED_FIELDS else plain(value)
        try:
            if (coerced := COERCIONS.get(VOCABULARY.get(name, ""))) is not None:
                document[name] = coerced(document[name])
        except TypeError:
            wrong.add(name)
    if not all(_fits(name, value) for name, value in document.items()):
        validator = _validator()
        validator.validate(document, normalize=False)  # to coerce, it would check the whole schema again
        wrong |= set(validator.errors)
    return {name: value for name, value in document.items() if name not in wrong}, wrong


def _fits(name: str, value: Any) -> bool:
    """Say whether a value surely fits, which most do: Cerberus is asked of the others, and slow to import."""
    kind = VOCABULARY.get(name, "")
    if type(value) is not PYTHON.get(kind):
        return False
    return not isinstance(value, int) or -LARGEST_INTEGER <= value <= LARGEST_INTEGER


def _held(value: Any) -> Any:
    return min(value, LARGEST_INTEGER) if isinstance(value, int) else plain(value)


@cache
def _validator() -> Validator:
    """Cerberus checks its own schema when it is built: once is enough."""
    from cerberus import Validator  # noqa: PLC0415  # as said above

    return Validator(_schema())


def _schema() -> dict[str, dict[str, Any]]:
    bounds = {"integer": {"min": -LARGEST_INTEGER, "max": LARGEST_INTEGER}}
    return {
        name: {
            "type": kind,
            **bounds.get(kind, {}),
        }
        for name, kind in VOCABULARY.items()
    }


def _integer(value: Any) -> Any:
    """5e3 is 5000 iterations; True is no number."""
    if isinstance(value, bool):
        raise TypeError("a boolean is not an integer")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _float(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("a boolean is not a number")
    return float(value) if isinstance(value, int) else value


COERCIONS = {"integer": _integer, "float": _float}
