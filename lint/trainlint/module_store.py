# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The package's own modules as Python compiled them, in one file: a thirteenth of a small file's time.

Python lists folders, joins paths and opens a file for each of 230 modules. The store lies next to its
compiled files, is made of them, and a module goes by the same signs: its source's size and time, this very
Python, the path. What is not in it, or changed, or compiled another way, is left to Python.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER

TYPE_CHECKING = False  # typing takes longer to import than a kept answer to print
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Final

    Entry = tuple[bool, int, int, str, int, int]
    """Whether it is a package, its source's time and size, its compiled file, its code's start and end."""

OURS: Final = ("trainlint.", "trainlint_zoo.")
HEAD: Final = MAGIC_NUMBER + b"trainlint 1\n"
"""Another one is not read: of another Python, or of another form of the store."""
COMPILED: Final = 16
"""Bytes before the code in Python's files (PEP 552): a number, flags, the source's time and its size."""


class Stored(SourceFileLoader):
    """Loads a module whose code is already read."""

    def __init__(self, name: str, path: str, code: bytes) -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code; what somebody damaged, or asks for again, is read by Python itself."""
        read, self.code = self.code, b""  # 2 MB of them would be in the way of what comes
        try:
            return marshal.loads(read)  # type: ignore[no-any-return]  # noqa: S302 - as Python's own
        except (EOFError, TypeError, ValueError):
            return super().get_code(fullname)


class ModuleStore:
    """Finds modules in a store; those that are missing are added when the process ends."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file: int | None = None
        self.start = len(HEAD) + 8
        self.entries: Mapping[str, Entry] = {}
        self.missed: list[str] = []
        with contextlib.suppress(EOFError, OSError, TypeError, ValueError):
            self.file = os.open(path, os.O_RDONLY)
            head = os.pread(self.file, self.start, 0)
            if head.startswith(HEAD):
                index = os.pread(self.file, int.from_bytes(head[len(HEAD) :], "little"), self.start)
                self.entries = marshal.loads(index)  # noqa: S302 - lies where Python's compiled files do
                self.start += len(index)

    def find_spec(self, name: str, path: Sequence[str] | None, _target: object = None) -> ModuleSpec | None:
        """Return where a module's code is, as Python asks its finders; None where Python has to look."""
        if not name.startswith(OURS) or path is None or len(path) != 1:
            return None
        place = f"{path[0]}/{name.rpartition('.')[2]}"
        code = self.code_of(place)
        if code is None:
            self.missed.append(name)
            return None
        package, *_, cached, _, _ = self.entries[place]
        source = _source(place, package=package)
        loader = Stored(name, source, code)
        spec = ModuleSpec(name, loader, origin=source)
        spec.has_location, spec.cached = True, cached
        if package:
            spec.submodule_search_locations = [place]
        return spec

    def code_of(self, place: str) -> bytes | None:
        """Return a module's code; None where it is not kept, or its source changed."""
        entry = self.entries.get(place)
        if entry is None or self.file is None:
            return None
        package, time, size, _, start, end = entry
        try:
            state = os.stat(_source(place, package=package))  # noqa: PTH116 - pathlib is not imported yet
            code = os.pread(self.file, end - start, self.start + start)
        except OSError:
            return None
        return (
            code if (state.st_mtime_ns, state.st_size) == (time, size) and len(code) == end - start else None
        )

    def keep_missed(self) -> None:
        """Write the store with the modules that it lacked, in one step."""
        if sys.dont_write_bytecode or not self.missed or not os.access(os.path.dirname(self.path), os.W_OK):  # noqa: PTH120
            return
        specs = [getattr(sys.modules.get(name), "__spec__", None) for name in self.missed]
        found = [
            _compiled(spec) for spec in specs if spec is not None and type(spec.loader) is SourceFileLoader
        ]
        kept = [one for one in found if one is not None]
        if not kept or len(kept) < len(found):  # not compiled by time, or not written: they never will be
            return
        for place, (package, time, size, cached, _, _) in self.entries.items():
            code = self.code_of(place)
            if code is not None:
                kept.append((place, (package, time, size, cached), code))
        own = f"{self.path}.{os.getpid()}"
        with contextlib.suppress(OSError):
            with open(own, "wb") as file:  # noqa: PTH123 - as above
                file.write(_store(kept))
            os.replace(own, self.path)  # noqa: PTH105 - as above


def use() -> None:
    """Have the modules that are imported from now on found in the store."""
    import trainlint  # noqa: PLC0415 - its place is known now

    spec = trainlint.__spec__
    if os.name != "posix" or type(spec.loader) is not SourceFileLoader or spec.cached is None:
        return  # in an archive, or where no file is read from a place
    folder, name = os.path.split(spec.cached)
    store = ModuleStore(os.path.join(folder, name.replace("__init__", "modules").removesuffix(".pyc")))  # noqa: PTH118
    if PathFinder in sys.meta_path:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), store)
        atexit.register(store.keep_missed)


def _source(place: str, *, package: bool) -> str:
    return f"{place}/__init__.py" if package else f"{place}.py"


def _compiled(spec: ModuleSpec) -> tuple[str, tuple[bool, int, int, str], bytes] | None:
    """Return a module's place, state and code of Python's own file; None where that is not of its source."""
    package = spec.submodule_search_locations is not None
    source, cached = spec.origin or "", spec.cached or ""
    try:
        with open(cached, "rb") as file:  # noqa: PTH123 - as above
            content = file.read()
        state = os.stat(source)  # noqa: PTH116 - as above
    except OSError:
        return None
    signs = (0, int(state.st_mtime), state.st_size)
    head = MAGIC_NUMBER + b"".join((sign & 0xFFFFFFFF).to_bytes(4, "little") for sign in signs)
    if content[:COMPILED] != head:
        return None
    place = source.removesuffix("/__init__.py" if package else ".py")
    return place, (package, state.st_mtime_ns, state.st_size, cached), content[COMPILED:]


def _store(kept: Sequence[tuple[str, tuple[bool, int, int, str], bytes]]) -> bytes:
    """Return a store's content: HEAD, the index's length, the index, each module's code."""
    at, entries = 0, {}
    for place, signs, code in kept:
        entries[place] = (*signs, at, at + len(code))
        at += len(code)
    index = marshal.dumps(entries)
    return b"".join([HEAD, len(index).to_bytes(8, "little"), index, *(code for _, _, code in kept)])
