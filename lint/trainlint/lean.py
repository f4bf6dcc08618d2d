# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Dataclasses made in a tenth of the time: this `dataclass` is the library's in all but that.

The library writes the methods of every class as text and compiles it, 0.4 ms a class: a fifth of what a small
file took. Here constructors of as many fields share their code, and the other methods are plain functions.
What is rarer than a class of plain fields without bases that have some is left to the library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields, is_dataclass
from functools import cache
from inspect import get_annotations
from operator import attrgetter, ge, gt, le, lt
from reprlib import recursive_repr
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - what a checker of types reads
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return the class as a dataclass; `options` are those of dataclasses.dataclass."""

        def made(cls: type) -> type:
            if _is_plain(cls, options):
                return _made(cls, **options)
            return dataclasses.dataclass(cls, **options)

        return made if cls is None else made(cls)


OPTIONS: Final[Sequence[Mapping[str, bool]]] = (
    *({}, {"frozen": True}, {"frozen": True, "eq": False}, {"frozen": True, "kw_only": True}),
    *({"frozen": True, "slots": True}, {"frozen": True, "slots": True, "order": True}),
)
OWN: Final = {"__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__"}
"""Methods; a class that has one of its own is left to the library."""
LATER: Final = object()
"""The default of a field whose default a function makes."""
PSEUDO: Final = ("ClassVar", "InitVar", "KW_ONLY")


def _is_plain(cls: type, options: Mapping[str, Any]) -> bool:
    """Say whether a class is of OPTIONS, its fields are all plain arguments, and no base of it has others."""
    written = vars(cls)
    kinds = [str(kind) for kind in get_annotations(cls).values()]
    return (
        options in OPTIONS
        and OWN.isdisjoint(written)
        and all(_is_alike(base, options) for base in cls.__mro__ if is_dataclass(base))
        and not any(word in kind for kind in kinds for word in PSEUDO)
        and all(
            field.init and field.kw_only is MISSING for field in written.values() if isinstance(field, Field)
        )
    )


def _is_alike(base: Any, options: Mapping[str, Any]) -> bool:
    """Say whether a class of `options` may add its fields to a base's: both are arguments by name."""
    return "kw_only" in options and base.__dataclass_params__.frozen and all(f.kw_only for f in fields(base))


def _made(
    cls: type,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
    kw_only: bool = False,
) -> type:
    """Return a class whose fields the library found, with the methods of a dataclass of these options."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # the library would write one from the constructor's signature
    inherits = any(map(is_dataclass, cls.__bases__))  # which the library asks to be of one kind
    own: Any = {"frozen": frozen and inherits, "slots": slots, "kw_only": kw_only}
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **own)(cls)
    noted = made.__dataclass_params__  # what inherits from a frozen class has to be frozen too
    noted.init = noted.repr = True
    noted.frozen, noted.eq, noted.order = frozen, eq, order
    found = fields(made)
    made.__init__ = _constructor(made, found, slots=slots)
    made.__repr__ = _repr
    if eq:
        made.__eq__ = _equality(_values([field.name for field in found if field.compare]))
        hashed = [field.name for field in found if (field.compare if field.hash is None else field.hash)]
        made.__hash__ = _hash(_values(hashed)) if frozen else None
    if order:
        _put_in_order(made, _values([field.name for field in found if field.compare]))
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    if slots:
        made.__getstate__, made.__setstate__ = _state, _set_state
    return made  # type: ignore[no-any-return]  # the class itself, or another of its name


def _constructor(cls: Any, found: Sequence[Field[Any]], *, slots: bool) -> FunctionType:
    """Return `__init__`: the code for so many fields, with their names and defaults."""
    names = [field.name for field in found]
    puts = [vars(cls)[name].__set__ for name in names] if slots else names
    after = _after(cls, found)
    made = _code(len(names), slots=slots, more=after is not None)(after, *puts)
    qualname = f"{cls.__qualname__}.__init__"
    code = made.__code__.replace(co_varnames=("self", *names), co_qualname=qualname)
    optional = [field for field in found if _has_default(field)]
    defaults = {f.name: LATER if f.default is MISSING else f.default for f in optional}
    by_name = any(field.kw_only for field in found)  # then all of them: a base with others is the library's
    if by_name:
        code = code.replace(co_argcount=1, co_posonlyargcount=0, co_kwonlyargcount=len(names))
    elif optional != [*found[len(found) - len(optional) :]]:
        raise TypeError(f"{cls.__name__}: a field without a default follows one with a default")
    given = None if by_name else tuple(defaults.values())
    named = FunctionType(code, made.__globals__, "__init__", given, made.__closure__)
    named.__kwdefaults__ = defaults if by_name else None
    named.__annotations__ = {field.name: field.type for field in found} | {"return": None}
    return named


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _after(cls: Any, found: Sequence[Field[Any]]) -> Callable[[Any], object] | None:
    """Return what a constructor calls at its end: for defaults that a function makes, and __post_init__."""
    made = {field.name: field.default_factory for field in found if field.default_factory is not MISSING}
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
    own, given = [f"put{at}" for at in range(count)], [f"field{at}" for at in range(count)]
    lines = [
        f"{put}(self, {value})" if slots else f"set(self, {put}, {value})"
        for put, value in zip(own, given, strict=True)
    ]
    lines += ["after(self)"] if more else []
    text = f"def make({', '.join(['after', *own])}):\n"
    text += f" def __init__({', '.join(['self', *given])}):\n"
    text += "".join(f"  {line}\n" for line in lines or ["pass"]) + " return __init__\n"
    names: dict[str, Any] = {"set": object.__setattr__}
    exec(text, names)  # noqa: S102 - numbers alone went into the text
    make: Callable[..., Any] = names["make"]
    return make


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
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
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
    return "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
