# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Dataclasses made in a tenth of the time: this `dataclass` is the library's in all but that.

The library writes the methods of every class as text and compiles it, 0.4 ms a class: a fifth of what a small
file took. Here constructors of as many fields share their code, which was compiled ahead, the other methods
are plain functions, and the library notes a class's fields when somebody asks for them.
What is rarer than a class of plain fields without bases that have some is left to the library.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field
from typing import TYPE_CHECKING, Any, Final

from trainlint import lean_methods
from trainlint.lean_methods import OURS, Found

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - what a checker of types reads
    from dataclasses import replace as replace  # noqa: PLC0414 - as above
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return the class as a dataclass; `options` are those of dataclasses.dataclass."""

        def made(cls: type) -> type:
            found = _fields(cls) if _is_plain(cls, options) else None
            return dataclasses.dataclass(cls, **options) if found is None else _made(cls, found, options)

        return made if cls is None else made(cls)

    def replace(one: Any, /, **changes: Any) -> Any:
        """Return an instance with other values, as dataclasses.replace does."""
        cls = type(one)
        if OURS not in vars(cls):
            return dataclasses.replace(one, **changes)
        return cls(
            **{name: getattr(one, name) for name in getattr(cls, OURS) if name not in changes}, **changes
        )


OPTIONS: Final[Sequence[Mapping[str, bool]]] = (
    *({}, {"frozen": True}, {"frozen": True, "eq": False}, {"frozen": True, "kw_only": True}),
    *({"frozen": True, "slots": True}, {"frozen": True, "slots": True, "order": True}),
)
OWN: Final = {"__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__"}
"""Methods; a class that has one of its own is left to the library."""
PSEUDO: Final = ("ClassVar", "InitVar", "KW_ONLY")
REQUIRED: Final[Any] = field()
"""A field without a default."""
NOTED: Final = ("__dataclass_fields__", "__dataclass_params__")
"""Where the library notes what it found of a class."""
AS: Final = "__lean_options__"
"""Where a class has the options that it was made with."""
MATCHED: Final = "__match_args__"


def _is_plain(cls: type, options: Mapping[str, Any]) -> bool:
    """Say whether a class is of OPTIONS, as all its bases with fields, and its fields are plain arguments."""
    written = vars(cls)
    kinds = " ".join(map(str, _kinds(cls).values()))
    return (
        options in OPTIONS
        and OWN.isdisjoint(written)
        and all(vars(base).get(AS) == options for base in cls.__mro__ if NOTED[0] in vars(base))
        and not any(word in kinds for word in PSEUDO)
        and not any(vars(base).get("__slots__") for base in cls.__mro__[:-1])
        and all(one.init and one.kw_only is MISSING for one in written.values() if isinstance(one, Field))
    )


def _kinds(cls: type) -> Mapping[str, Any]:
    """Return a class's own annotations."""
    written: Mapping[str, Any] | None = vars(cls).get("__annotations__")
    if written:
        return written
    from inspect import get_annotations  # noqa: PLC0415 - for a class without any, or a newer Python

    return get_annotations(cls)


def _fields(cls: type) -> Found | None:
    """Return the fields of a class after those of its bases; None where the library refuses one."""
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        found |= vars(base).get(OURS, {})
    kinds = _kinds(cls)
    for name in kinds:
        one = getattr(cls, name, MISSING)
        found[name] = one if isinstance(one, Field) else REQUIRED if one is MISSING else field(default=one)
    astray = any(isinstance(one, Field) and name not in kinds for name, one in vars(cls).items())
    shared = any(type(one.default).__hash__ is None for one in found.values())
    return None if astray or shared else found


def _made(cls: type, found: Found, options: Mapping[str, bool]) -> type:
    """Return a class with the methods of a dataclass of these options."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # the library would write one from the constructor's signature
    slots = options.get("slots", False)
    made: Any = _slotted(cls, found) if slots else _with_defaults(cls, found)
    setattr(made, AS, options)
    bases = [base for base in reversed(made.__mro__) if AS in vars(base)]
    kinds = {name: kind for base in bases for name, kind in _kinds(base).items()}
    _note_later(made, found, kinds, options)
    if MATCHED not in vars(made):
        setattr(made, MATCHED, () if options.get("kw_only") else tuple(found))
    if sys.version_info >= (3, 13) and "__replace__" not in vars(made):
        made.__replace__ = replace
    made.__init__ = lean_methods.constructor(
        made, found, kinds, by_name=options.get("kw_only", False), slots=slots
    )
    lean_methods.add(made, found, **options)
    return made  # type: ignore[no-any-return]  # the class itself, or another of its name


def _with_defaults(cls: type, found: Found) -> type:
    """Leave a class its fields' defaults alone."""
    for name, one in found.items():
        if vars(cls).get(name) is one:
            if one.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, one.default)
    return cls


def _slotted(cls: Any, found: Found) -> Any:
    """Return the class with a slot for each field: slots are of a class from its beginning."""
    left = {*found, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in left}
    body |= {"__slots__": tuple(found), "__qualname__": cls.__qualname__}
    return type(cls)(cls.__name__, cls.__bases__, body)


def _note_later(cls: type, found: Found, kinds: Mapping[str, Any], options: Mapping[str, bool]) -> None:
    """Have the library look at a class's fields when somebody asks for them: one class in five."""
    own = {name: one for name, one in found.items() if one is not REQUIRED}
    body = {"__annotations__": kinds, "__module__": cls.__module__, "__doc__": cls.__doc__, **own}

    def noted(what: str) -> Any:
        shadow = _by_library(type(cls.__name__, (), body), **options)
        for name in NOTED:
            setattr(cls, name, getattr(shadow, name))
        return getattr(shadow, what)

    for name in NOTED:
        setattr(cls, name, _Noted(name, noted))


def _by_library(
    cls: type,
    *,
    slots: bool = False,
    kw_only: bool = False,
    frozen: bool = False,
    eq: bool = True,
    order: bool = False,
) -> Any:
    """Return a class whose fields the library found, without a method of its."""
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    noted = made.__dataclass_params__  # what inherits from a frozen class has to be frozen too
    noted.init = noted.repr = True
    noted.frozen, noted.eq, noted.order = frozen, eq, order
    return made


class _Noted:
    """What is noted when somebody asks for it."""

    def __init__(self, name: str, noted: Callable[[str], Any]) -> None:
        self.name, self.noted = name, noted

    def __get__(self, _one: object, _cls: type | None = None) -> Any:
        return self.noted(self.name)
