"""What `x-spec`, `derive` and `x-uncounted` say: which TrainSpec field a value fills, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainlint.errors import RuleError
from trainlint.normalise.expression import expression
from trainlint.spec import DIRECTIONS, VOCABULARY

OPTION = "options."
"""Fields below this prefix are entries of the spec's `options`, free in name."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One field that a property fills.

    `value` and `when` are expressions (absent: the value as it is, always); `omit` leaves keys of a mapping
    out; `role` makes it one entry {role, ...} of a list field; `at` are dotted paths that it also comes from.
    """

    field: str
    value: str | None = None
    when: str | None = None
    omit: tuple[str, ...] = ()
    role: str | None = None
    at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """A field worked out from the whole document, where no property filled it.

    It comes from the dotted paths `at` and from wherever the fields `of` came from; `zip` makes a list of
    mappings out of lists that stand at dotted paths (progressive training's stages).
    """

    field: str
    value: str | None = None
    when: str | None = None
    at: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    zip: tuple[tuple[str, str], ...] = ()
    origin: str = "derived"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of memory that a property brings and no tape holds, unless the value is null or false.

    `fork`: the original does not read the property, a fork may.
    """

    what: str
    direction: str
    when: str | None = None
    fork: bool = False


def terms(schema: Mapping[str, Any]) -> Iterator[Term]:
    """Yield what a subschema's `x-uncounted` names; RuleError where it is not understood."""
    written = schema.get("x-uncounted", ())
    for entry in written if isinstance(written, list | tuple) else (written,):
        names = Term.__dataclass_fields__
        if not isinstance(entry, Mapping) or not {"what", "direction"} <= set(entry) <= set(names):
            raise RuleError(f"{entry!r} is no term: expected the keys {', '.join(names)}")
        found = Term(**entry)
        if found.direction not in DIRECTIONS:
            raise RuleError(f"unknown direction {found.direction!r}: expected {', '.join(DIRECTIONS)}")
        if found.when is not None:
            expression(found.when)
        yield found


def bindings(schema: Mapping[str, Any]) -> Iterator[Binding]:
    """Yield what a subschema's `x-spec` asks for; RuleError where it names no field or does not compile."""
    written = schema.get("x-spec", ())
    for entry in written if isinstance(written, list | tuple) else (written,):
        found = Binding(entry) if isinstance(entry, str) else Binding(**_arguments(Binding, entry))
        _check(found.field, found.value, found.when, found.role)
        yield found


def derivations(entries: list[dict[str, Any]]) -> Iterator[Derivation]:
    """Yield the derivations of a dialect, checked."""
    for entry in entries:
        arguments = _arguments(Derivation, entry)
        found = Derivation(**{**arguments, "zip": tuple(entry.get("zip", {}).items())})
        if (found.value is None) == (not found.zip):
            raise RuleError(f"derivation of {found.field!r} needs either a value or a zip")
        _check(found.field, found.value, found.when)
        if unknown := set(found.of) - set(VOCABULARY):
            raise RuleError(
                f"derivation of {found.field!r} is of unknown fields: {', '.join(sorted(unknown))}"
            )
        yield found


def _arguments(kind: type[Binding | Derivation], entry: Any) -> dict[str, Any]:
    names = kind.__dataclass_fields__
    if not isinstance(entry, Mapping) or "field" not in entry or not set(entry) <= set(names):
        raise RuleError(f"{entry!r} is no {kind.__name__.lower()}: expected the keys {', '.join(names)}")
    return {key: tuple(item) if isinstance(item, list) else item for key, item in entry.items()}


def _check(field: str, *expressions: str | None) -> None:
    if field not in VOCABULARY and not field.startswith(OPTION):
        raise RuleError(f"unknown field {field!r}: expected a name of the spec's vocabulary")
    for text in expressions:
        if text is not None:
            expression(text)
