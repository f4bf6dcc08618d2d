# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a pickle of tensors describes: its opcodes are followed on a stack of plain values.

Nothing of it is called: globals are names, never imported; what is reduced is a tensor's shape, a
dictionary, or nothing.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

MOST_OPCODES: Final = 1_000_000
"""Opcodes that are followed: 40 for each of 25,000 tensors."""

REBUILD_FUNCTIONS: Final = frozenset(("torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor"))
PARAMETERS: Final = frozenset(("torch._utils _rebuild_parameter",))
DICTIONARIES: Final = frozenset(("collections OrderedDict", "builtins dict", "__builtin__ dict"))


class StoredTensor(Struct, frozen=True):
    """A tensor of which only the shape was read."""

    shape: tuple[int, ...]


class _Global(Struct, frozen=True):
    name: str


class UnknownFileError(Exception):
    """What is not a file of tensors, or not one that is followed; says why."""


class BeyondBoundsError(UnknownFileError):
    """A file that may be one of tensors, and is too large to be followed; says of what."""


_OPAQUE: Final = object()
"""Anything that is neither a plain value nor a tensor."""

_MARK: Final = object()


class PickleReader:
    """Follows a pickle's opcodes; every value is plain, a Tensor, or opaque."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        """Return what the pickle describes."""
        try:
            for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
                if count > MOST_OPCODES:
                    raise BeyondBoundsError(f"has a pickle of more than {MOST_OPCODES:,} opcodes")
                if opcode.name == "STOP":
                    return self.stack.pop()
                self._step(opcode.name, argument)
        except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError):
            raise UnknownFileError("has a pickle that is not followed") from None
        raise UnknownFileError("has a pickle without an end")

    def _step(self, name: str, argument: Any) -> None:
        if name in _VALUES:
            self.stack.append(_VALUES[name](argument))
        elif name in _PUTS:
            self.memo[len(self.memo) if argument is None else argument] = self.stack[-1]
        elif name in _GETS:
            self.stack.append(self.memo[argument])
        elif name not in _NOTHING:
            getattr(self, f"_{name.lower()}")()

    def _to_mark(self) -> list[Any]:
        taken: list[Any] = []
        while (value := self.stack.pop()) is not _MARK:
            taken.append(value)
        return taken[::-1]

    def _tuple(self) -> None:
        self.stack.append(tuple(self._to_mark()))

    def _tuple1(self) -> None:
        self._last(1)

    def _tuple2(self) -> None:
        self._last(2)

    def _tuple3(self) -> None:
        self._last(3)

    def _last(self, count: int) -> None:
        taken = tuple(self.stack[-count:])
        del self.stack[-count:]
        self.stack.append(taken)

    def _append(self) -> None:
        value = self.stack.pop()
        self._extend([value])

    def _appends(self) -> None:
        self._extend(self._to_mark())

    def _extend(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(values)

    def _setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._put([key, value])

    def _setitems(self) -> None:
        self._put(self._to_mark())

    def _put(self, items: list[Any]) -> None:
        if isinstance(self.stack[-1], dict):  # a key of another kind is none of a network's
            keys = (key if isinstance(key, str | int) else None for key in items[::2])
            self.stack[-1].update(zip(keys, items[1::2], strict=True))

    def _stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(_Global(f"{module} {name}"))

    def _binpersid(self) -> None:
        self.stack[-1] = _OPAQUE

    def _newobj(self) -> None:
        self._reduce()

    def _build(self) -> None:
        self.stack.pop()

    def _reduce(self) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        name = called.name if isinstance(called, _Global) else ""
        self.stack.append(_made(name, arguments))


def _made(name: str, arguments: Any) -> Any:
    """Return what a call would make: a tensor's shape, a dictionary, or nothing that is known."""
    if name in REBUILD_FUNCTIONS:
        shape = arguments[2]
        whole = all(isinstance(side, int) and side >= 0 for side in shape)
        return StoredTensor(tuple(shape)) if whole else _OPAQUE
    if name in PARAMETERS:
        return arguments[0]
    return {} if name in DICTIONARIES else _OPAQUE


def _value(argument: Any) -> Any:
    return argument


_VALUES: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        (
            "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BININT", "BININT1", "BININT2",
            "LONG1", "INT", "LONG", "BINFLOAT", "FLOAT", "BINBYTES", "SHORT_BINBYTES", "BINSTRING",
            "SHORT_BINSTRING",
        ),
        _value,
    ),
    "NONE": lambda _: None,
    "NEWTRUE": lambda _: True,
    "NEWFALSE": lambda _: False,
    "EMPTY_DICT": lambda _: {},
    "EMPTY_LIST": lambda _: [],
    "EMPTY_TUPLE": lambda _: (),
    "EMPTY_SET": lambda _: _OPAQUE,
    "MARK": lambda _: _MARK,
    "GLOBAL": _Global,
}  # fmt: skip
"""Opcodes that push a value."""

_PUTS: Final = frozenset(("BINPUT", "LONG_BINPUT", "PUT", "MEMOIZE"))
_GETS: Final = frozenset(("BINGET", "LONG_BINGET", "GET"))
_NOTHING: Final = frozenset(("PROTO", "FRAME"))
