# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""User's caches as a first run leaves them: rules, schemas and expressions read, checked and compiled.

To make one takes seconds. It is made once, by one process for all workers, and lies in pytest's own cache
until a rule, a schema or what checks them changes; a test's cache is filled with links to it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trainlint.expressions.cel import engine
from trainlint.shipped import kept_data

ROOT = Path(__file__).resolve().parents[1]
MADE = ("trainlint", "compiled")
"""Where a cache has what was made of what is shipped."""
READY, LOCK = "ready", "lock"
MAKE = """\
from msgspec import msgpack
from trainlint import check
from trainlint.expressions.cel import engine
from trainlint.judge.rule_files.compile_shipped import shipped_forms
from trainlint.shipped.compiled import EXPRESSIONS, keep_bytes, keep_noted
check([{example!r}], targets=["rtx-3060"], trace=False)
keep_noted(engine())
keep_bytes(EXPRESSIONS, engine(), msgpack.encode(dict(shipped_forms())))
"""
"""One run, and every shipped expression's compiled form, of which a run keeps what it needed."""

_place: list[Path] = []


def begin(place: Path) -> None:
    """Say where what is made is kept from one session of tests to the next."""
    _place[:] = [place]


def start() -> subprocess.Popen[bytes]:
    """Begin to make them in a process of its own, while workers collect their tests."""
    return subprocess.Popen([sys.executable, "-m", "tests.warm_cache", _place[0]], cwd=ROOT)


def warm(cache: Path) -> Path:
    """Fill a user's cache, as XDG_CACHE_HOME names it, and return it."""
    made = _made()
    if made.is_dir():  # where XDG says what a cache is
        shutil.copytree(made, cache.joinpath(*MADE), copy_function=_link, dirs_exist_ok=True)
    return cache


def _made() -> Path:
    place = _place[0]
    if not _is_ready(place):
        with _locked(place / LOCK):
            if not _is_ready(place):
                _make(place)
    return place.joinpath(*MADE)


def _make(place: Path) -> None:
    text = MAKE.format(example=str(ROOT / "examples" / "msrresnet_x4.yml"))
    environment = {**os.environ, "XDG_CACHE_HOME": str(place), "XDG_CONFIG_HOME": str(place / "config")}
    outside = place.anchor  # in this repository no cache below it is used
    subprocess.run([sys.executable, "-c", text], env=environment, cwd=outside, check=True)
    (place / READY).write_text(_state(), "utf-8")


def _is_ready(place: Path) -> bool:
    ready = place / READY
    return ready.is_file() and ready.read_text("utf-8") == _state()


def _state() -> str:
    return f"{kept_data.checked_state()} {engine()}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other process is in the block; where the system has no such locks, two may be."""
    with path.open("w") as file:
        with suppress(ImportError):
            import fcntl  # noqa: PLC0415 - Windows has none

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _link(source: str, target: str) -> None:
    """Link, where the file system can: what is kept is replaced, never written to."""
    try:
        os.link(source, target)
    except FileExistsError:
        pass
    except OSError:
        shutil.copy2(source, target)


if __name__ == "__main__":
    begin(Path(sys.argv[1]))
    _made()
