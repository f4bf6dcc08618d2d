# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Watching an enclosed program from outside: its time, and what all its processes take together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

TICK_S: Final = 0.25
"""Seconds between two looks."""
MEMORY: Final = 0.75
"""Share of this machine's memory that a program may take, all its processes together."""
KIB: Final = 1024


@dataclass(frozen=True)
class Limits:
    """Seconds on the clock, bytes of memory of all processes together, and how many of them."""

    seconds: float = 600.0
    memory: int = 32 << 30
    processes: int = 256

    @property
    def cpu_s(self) -> int:
        """Seconds of processor time that one process may take: as long as all cores are busy."""
        return int(self.seconds * (os.cpu_count() or 1)) + 1


def usual_limits(seconds: float) -> Limits:
    """Return the limits of a run on this machine."""
    return Limits(seconds, int(min(_memory() * MEMORY, 64 << 30)))


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 32 << 30


def watch(process: subprocess.Popen[bytes], limits: Limits, look: Callable[[], None]) -> str | None:
    """Wait for a process, looking every moment; return why it was ended, None where it ended by itself."""
    deadline = monotonic() + limits.seconds
    try:
        while True:
            try:
                process.wait(TICK_S)
            except subprocess.TimeoutExpired:
                look()
                why = _beyond(process.pid, limits, deadline)
                if why is not None:
                    return why
            else:
                return None
    finally:
        end(process)


def _beyond(pid: int, limits: Limits, deadline: float) -> str | None:
    if monotonic() > deadline:
        return f"it took longer than {limits.seconds:.0f} s (--timeout)"
    if sys.platform != "linux":
        return None
    count, memory = 0, 0
    for process in _listed_descendants(pid):
        count += 1
        memory += _taken(process)
    if memory > limits.memory:
        return f"it took more than {limits.memory / 2**30:.0f} GiB of this machine's memory"
    if count > limits.processes:
        return f"it started more than {limits.processes} processes"
    return None


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S603, S607 - by its number
        process.wait()
        return
    left = list(_descendants(process.pid)) if sys.platform == "linux" and process.poll() is None else []
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _descendants(pid: int) -> Iterator[int]:
    """Return a process's children, and theirs; their namespace does not hide them."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                children[_parent(name)].append(int(name))
    return _family(pid, children.__getitem__)


def _listed_descendants(pid: int) -> Iterator[int]:
    """Return what `_descendants` does, by each thread's list of its children where there is one.

    Looking at every process, four times a second, took a third of a verdict's time on a busy machine. A list
    may lack one while others end: it is there at the next look.
    """
    if not os.path.exists(f"/proc/{pid}/task/{pid}/children"):
        return _descendants(pid)
    return _family(pid, _children)


def _family(pid: int, children_of: Callable[[int], Sequence[int]]) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        for child in children_of(waiting.pop()):
            yield child
            waiting.append(child)


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children += map(int, file.read().split())
    return children


def _parent(pid: str) -> int:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def _taken(pid: int) -> int:
    """Return the bytes that a process alone holds in memory: none of files, which others share."""
    total = 0
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * KIB
    except (OSError, ValueError, IndexError):  # it has ended
        return 0
    return total
