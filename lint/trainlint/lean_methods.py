# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The methods of `lean.py`'s classes: none is compiled for a class of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import cache
from operator import attrgetter, ge, gt, le, lt
from reprlib import recursive_repr
from types import FunctionType
from typing import Any, Final

from trainlint import lean_constructors

LATER: Final = object()
"""The default of a field whose default a function makes."""

OURS: Final = "__lean__"
"""Where a class has its fields by their names, whether the library has looked at them or not."""

Found = Mapping[str, Field[Any]]
"""A class's fields by their names; they know their own names once the library has looked at them."""


def constructor(
    cls: Any, found: Found, kinds: Mapping[str, Any], *, slots: bool, by_name: bool
) -> FunctionType:
    """Return `__init__`: the code for so many fields, with their names and defaults."""
    puts = [vars(cls)[name].__set__ for name in found] if slots else found
    after = _after(cls, found)
    made = _code(len(found), slots=slots, more=after is not None)(after, *puts)
    qualname = f"{cls.__qualname__}.__init__"
    code = made.__code__.replace(co_varnames=("self", *found), co_qualname=qualname)
    optional = [name for name, one in found.items() if _has_default(one)]
    defaults = {name: LATER if found[name].default is MISSING else found[name].default for name in optional}
    if by_name:
        code = code.replace(co_argcount=1, co_posonlyargcount=0, co_kwonlyargcount=len(found))
    elif optional != [*found][len(found) - len(optional) :]:
        raise TypeError(f"{cls.__name__}: a field without a default follows one with a default")
    given = None if by_name else tuple(defaults.values())
    named = FunctionType(code, made.__globals__, "__init__", given, made.__closure__)
    named.__kwdefaults__ = defaults if by_name else None
    named.__annotations__ = {**kinds, "return": None}
    return named


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _after(cls: Any, found: Found) -> Callable[[Any], object] | None:
    """Return what a constructor calls at its end: for defaults that a function makes, and __post_init__."""
    made = {name: f.default_factory for name, f in found.items() if f.default_factory is not MISSING}
    post: Callable[[Any], object] | None = getattr(cls, "__post_init__", None)
    if not made:
        return post

    def after(self: Any) -> None:
        for name, make in made.items():
            if getattr(self, name) is LATER:
                object.__setattr__(self, name, make())
        if post is not None:
            post(self)

    return after


@cache
def _code(count: int, *, slots: bool, more: bool) -> Callable[..., FunctionType]:
    """Return what makes the constructor of `count` fields, of `after` and each field's slot or name."""
    make: Callable[..., FunctionType] | None = lean_constructors.MADE.get((count, slots, more))
    if make is None:
        from trainlint.lean_shapes import text  # noqa: PLC0415 - for larger classes

        names: dict[str, Any] = {"set": object.__setattr__}
        exec(text(count, slots=slots, more=more), names)  # noqa: S102 - numbers alone went into the text
        make = names["make"]
    return make


def add(
    made: Any,
    found: Found,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
    kw_only: bool = False,  # noqa: ARG001 - the constructor's
) -> None:
    """Give a class the other methods of a dataclass of these options."""
    setattr(made, OURS, found)
    made.__repr__ = _repr
    compared = _values([name for name, one in found.items() if one.compare])
    if eq:
        made.__eq__ = _equality(compared)
        hashed = [name for name, one in found.items() if (one.compare if one.hash is None else one.hash)]
        made.__hash__ = _hash(_values(hashed)) if frozen else None
    if order:
        _put_in_order(made, compared)
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    if slots:
        made.__getstate__, made.__setstate__ = _state, _set_state


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what takes these fields' values from an instance."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Any]:
    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda self: hash(values(self))


def _put_in_order(cls: Any, values: Callable[[Any], tuple[Any, ...]]) -> None:
    """Give a class the four comparisons."""

    def comparison(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
        def compared(self: Any, other: Any) -> Any:
            if other.__class__ is not self.__class__:
                return NotImplemented
            return holds(values(self), values(other))

        return compared

    for name, holds in (("__lt__", lt), ("__le__", le), ("__gt__", gt), ("__ge__", ge)):
        setattr(cls, name, comparison(holds))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name, one in self.__lean__.items() if one.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    if _is_field(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_field(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_field(self: Any, name: str) -> bool:
    """Say whether nothing may change: anything of a dataclass, the fields of what inherits from one."""
    return OURS in vars(type(self)) or name in self.__lean__


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__lean__]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for name, value in zip(self.__lean__, state, strict=True):
        object.__setattr__(self, name, value)
