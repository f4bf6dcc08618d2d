# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shapes of the tensors that a torch file holds, read from its pickle's opcodes: nothing of it is called.

A file of torch.save (since 1.6) is a zip archive whose data.pkl describes dictionaries and tensors; its
opcodes are followed on a stack of plain values. Globals are names, never imported; what is reduced is a
tensor's shape, a dictionary, or nothing. Safetensors files have their shapes in a JSON header.
"""

from __future__ import annotations

import json
import lzma
import pickletools
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, Final, cast

from trainlint.lean import dataclass

LARGEST: Final = 8 << 20
"""Bytes of a pickle, a header, or an archive's directory; those of a network of 10,000 tensors have 2 MB. As
JSON, 32 MB of brackets took 800 MB."""

MOST: Final = 1_000_000
"""Opcodes that are followed: 40 for each of 25,000 tensors."""

NAMES: Final = 100_000
"""Names in a file's dictionaries that are looked through; they may hold each other any number of times."""

BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError),
)
"""What zipfile raises for archives that are damaged, or were never any."""

REBUILDS: Final = frozenset(("torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor"))
PARAMETERS: Final = frozenset(("torch._utils _rebuild_parameter",))
DICTIONARIES: Final = frozenset(("collections OrderedDict", "builtins dict", "__builtin__ dict"))


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor of which only the shape was read."""

    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Global:
    name: str


class UnknownFileError(Exception):
    """What is not a file of tensors, or not one that is followed; says why."""


_OPAQUE: Final = object()
"""Anything that is neither a plain value nor a tensor."""

_MARK: Final = object()


def tensors_in(file: BinaryIO) -> Mapping[Any, Any]:
    """Return what a file holds at its top: names, and tensors or dictionaries of them.

    Raises UnknownFileError.
    """
    start = file.read(8)
    file.seek(0)
    if start.startswith(b"PK"):
        return _of_zip(file)
    length = int.from_bytes(start, "little")
    if len(start) == 8 and 2 <= length <= LARGEST:  # noqa: PLR2004 - the header's length
        return _of_safetensors(file, length)
    raise UnknownFileError("is neither a zip archive of torch.save nor safetensors")


def _of_safetensors(file: BinaryIO, length: int) -> Mapping[Any, Any]:
    file.seek(8)
    try:
        header = json.loads(file.read(length))
        return {
            name: StoredTensor(tuple(map(int, entry["shape"])))
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise UnknownFileError("has no header of safetensors") from None


class _Bounded:
    """A file of which at most LARGEST bytes are read at once: an archive says how long its directory is."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self.seekable, self._read = file.seek, file.tell, file.seekable, file.read

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes; OSError for more than LARGEST."""
        data = self._read(min(size, LARGEST + 1) if size >= 0 else LARGEST + 1)
        if len(data) > LARGEST:
            raise OSError("more than is read at once")
        return data


def _of_zip(file: BinaryIO) -> Mapping[Any, Any]:
    try:
        with zipfile.ZipFile(cast("BinaryIO", _Bounded(file))) as archive:
            names = [info for info in archive.infolist() if info.filename.endswith("/data.pkl")]
            if len(names) != 1 or names[0].file_size > LARGEST:
                raise UnknownFileError("is no archive of torch.save")
            with archive.open(names[0]) as stream:
                data = stream.read(LARGEST + 1)
    except BROKEN:
        raise UnknownFileError("is a broken archive") from None
    found = _PickleReader().read(data)
    if not isinstance(found, dict):
        raise UnknownFileError("holds no dictionary")
    return found


class _PickleReader:
    """Follows a pickle's opcodes; every value is plain, a Tensor, or opaque."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        """Return what the pickle describes."""
        try:
            for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
                if count > MOST:
                    raise UnknownFileError("is larger than is followed")
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
    if name in REBUILDS:
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


def shapes(found: Mapping[Any, Any], depth: int = 2) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield name and shape of the tensors in a dictionary and those in it, of the first NAMES."""
    for name, value in islice(_named(found, depth), NAMES):
        if isinstance(value, StoredTensor):
            yield str(name), value.shape


def _named(found: Mapping[Any, Any], depth: int) -> Iterator[tuple[Any, Any]]:
    """Yield all that a dictionary and those in it hold."""
    for name, value in found.items():
        yield name, value
        if isinstance(value, dict) and depth:
            yield from _named(value, depth - 1)
