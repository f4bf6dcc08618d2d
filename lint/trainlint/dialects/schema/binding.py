# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `x-spec`, `derive` and `x-uncounted` say: which TrainSpec field a value fills, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from trainlint.errors import RuleError
from trainlint.expressions.composed import condition, value

OPTIONS_PREFIX = "options."
"""Fields below this prefix are entries of the spec's `options`, free in name."""


class Binding(Struct, frozen=True, rename={"paths": "at"}):
    """One field that a property fills.

    `value` and `when` are expressions (absent: the value as it is, always); `omit` leaves keys of a mapping
    out; `role` makes it one entry {role, ...} of a list field; `paths` (a schema's `at`) are dotted paths
    that it also comes from.
    """

    field: str
    value: str | None = None
    when: str | None = None
    omit: tuple[str, ...] = ()
    role: str | None = None
    paths: tuple[str, ...] = ()


class Derivation(Struct, frozen=True, rename={"paths": "at"}):
    """A field worked out from the whole document, where no property filled it.

    It comes from the dotted `paths` (a schema's `at`) and from wherever the fields `of` came from; `zip`
    makes a list of mappings out of lists that are at dotted paths (progressive training's stages).
    """

    field: str
    value: str | None = None
    when: str | None = None
    paths: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    zip: tuple[tuple[str, str], ...] = ()
    origin: str = "derived"


class Term(Struct, frozen=True):
    """A term of memory that a property brings and no tape holds, unless it is off: null, false, not enabled.

    `fork`: the original does not read the property, a fork may. `only`: the one step that has it.
    `bound`: it only ever saves, and a step takes no longer. `keeps`: what it leaves on the card.
    """

    what: str
    direction: str
    when: str | None = None
    fork: bool = False
    only: str = ""
    bound: bool = False
    keeps: str = ""


def terms(schema: Mapping[str, Any]) -> Iterator[Term]:
    """Yield what a subschema's `x-uncounted` names; RuleError where it is not understood."""
    for entry in _several(schema.get("x-uncounted", ())):
        yield Term(**_arguments(Term, entry, ("what", "direction")))


def bindings(schema: Mapping[str, Any]) -> Iterator[Binding]:
    """Yield what a subschema's `x-spec` asks for; RuleError where it is not understood."""
    for entry in _several(schema.get("x-spec", ())):
        yield Binding(entry) if isinstance(entry, str) else Binding(**_arguments(Binding, entry, ("field",)))


def derivations(entries: list[dict[str, Any]]) -> Iterator[Derivation]:
    """Yield the derivations of a dialect; RuleError where one is not understood."""
    for entry in entries:
        arguments = _arguments(Derivation, entry, ("field",))
        yield Derivation(**{**arguments, "zip": tuple(entry.get("zip", {}).items())})


def _several(written: Any) -> list[Any] | tuple[Any, ...]:
    return written if isinstance(written, list | tuple) else (written,)


def _arguments(
    kind: type[Binding | Derivation | Term], entry: Any, needed: tuple[str, ...]
) -> dict[str, Any]:
    """Return the fields of an entry as its class takes them: expressions in one piece, lists as tuples."""
    fields = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
    if not isinstance(entry, Mapping) or not set(needed) <= set(entry) <= set(fields):
        raise RuleError(f"{entry!r} is no {kind.__name__.lower()}: expected the keys {', '.join(fields)}")
    return {fields[key]: _IN_ONE.get(key, _plain)(item) for key, item in entry.items()}


def _plain(item: Any) -> Any:
    return tuple(item) if isinstance(item, list) else item


_IN_ONE: Mapping[str, Callable[[Any], Any]] = {"value": value, "when": condition, "role": value}
