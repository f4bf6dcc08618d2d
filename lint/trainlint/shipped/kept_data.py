# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trainlint ships (rules, schemas, hardware): whether it has to be checked, and what is kept of it.

In a wheel it was checked before it was built. In a checkout it is checked whenever a file of it, or of the
code that checks, changed: names, sizes and times. What is remembered lies in the user's cache, under a name
that every place of trainlint has for itself.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from trainlint import __version__
from trainlint.shipped.own_cache import is_own
from trainlint.shipped.resource_paths import PACKAGE, resource

FORMAT: Final = 6
"""Of what is kept: another one is not read."""
FACTORS = Path("estimate", "speed", "factors.toml")
CHECKERS = (
    ("config", ".py"), ("expressions", ".py"), ("hardware", ".py"), ("judge", ".py"), ("judge/fixes", ".py"),
    ("judge/rule_files", ".py"), ("judge/rule_files", ".json"), ("dialects/load", ".json"),
    *((f"dialects/{room}", ".py") for room in ("check", "extract", "load", "messages", "schema")),
)  # fmt: skip
"""The files of the package that decide what is right: folder and ending."""


def in_wheel() -> bool:
    """Say whether this is no checkout: what is shipped lies inside of the package, and is not edited."""
    return resource("rules").parent == PACKAGE


@contextlib.contextmanager
def checked_once(name: str) -> Iterator[bool]:
    """Say whether what is shipped under a name is to be checked; remembered if the block raises nothing."""
    if in_wheel():
        yield False
        return
    stamp, now = f"checked-{name}", checked_state().encode()
    fresh = kept(stamp) == now
    yield not fresh
    if not fresh:
        keep(stamp, now)


@cache
def data_state() -> str:
    """Return a digest of the names, sizes and times of the shipped rules, schemas and tables."""
    tables = [path.stat() for path in (resource("gpus.toml"), PACKAGE / FACTORS)]
    rest = _digest([(resource(name), "") for name in ("rules", "schemas")])
    return " ".join([rest, *(f"{table.st_size} {table.st_mtime_ns}" for table in tables)])


@cache
def checked_state() -> str:
    """Return a digest of what is shipped and of the code that checks it."""
    return data_state() + _digest([(PACKAGE / folder, ending) for folder, ending in CHECKERS])


def _digest(places: list[tuple[Path, str]]) -> str:
    digest = sha256()
    for folder, ending in places:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(ending) and entry.is_file():
                    state = entry.stat()
                    digest.update(f"{entry.path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def made_of(folders: Sequence[Path], name: str, make: Callable[[], Any]) -> Any:
    """Return what `make` makes of the shipped Python files below some folders, in values of JSON's types.

    A wheel has it in a file of this name; in a checkout it is kept until one of them changes.
    """
    if in_wheel():
        return json.loads((PACKAGE / name).read_bytes())
    return json.loads(kept_text(folders, name, lambda: json.dumps(make())))


def kept_text(folders: Sequence[Path], name: str, make: Callable[[], str]) -> str:
    """Return the text that `make` makes of the Python files below some folders, kept until one changes."""
    state = " ".join(map(_tree_state, folders))
    known = kept_bytes(name, state)
    if known is not None:
        return known.decode()
    text = make()
    keep_bytes(name, state, text.encode())
    return text


@cache
def _tree_state(folder: Path) -> str:
    files, waiting = [], [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    files.append((entry.path, state.st_size, state.st_mtime_ns))
                elif entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)
    files.sort()
    return sha256(repr(files).encode()).hexdigest()


def kept_bytes(name: str, state: str) -> bytes | None:
    """Return what `keep_bytes` kept of this state; None where it kept nothing, or something damaged it."""
    head, _, body = (kept(name) or b"").partition(b"\n")
    return body if head == _head(body, state) else None


def keep_bytes(name: str, state: str, body: bytes) -> None:
    """Keep bytes, after a line that says what they were made of."""
    keep(name, _head(body, state) + b"\n" + body)


def _head(body: bytes, state: str) -> bytes:
    return f"{FORMAT} {__version__} {state} {crc32(body):08x}".encode()


def kept(name: str) -> bytes | None:
    """Return what was kept under a name, None where nothing was."""
    folder = _folder()
    with contextlib.suppress(OSError):
        return None if folder is None else (folder / name).read_bytes()
    return None


def keep(name: str, content: bytes) -> None:
    """Write what is to be kept in one step, where it may be written."""
    folder = _folder()
    if folder is None:
        return
    own = folder / f"{name}.{os.getpid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        own.write_bytes(content)
        own.replace(folder / name)


def may_keep() -> bool:
    """Say whether anything can be kept."""
    folder = _folder()
    if folder is None:
        return False
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return os.access(folder, os.W_OK)


def _folder() -> Path | None:
    """Return where this trainlint keeps what it made; None without packages, or in a linted tree."""
    try:
        import platformdirs  # noqa: PLC0415 - not in the interpreters that have the standard library alone
    except ImportError:
        return None
    place = f"{crc32(os.fsencode(PACKAGE)):08x}"
    folder = platformdirs.user_cache_path("trainlint", appauthor=False) / "compiled" / place
    return folder if is_own(folder) else None
