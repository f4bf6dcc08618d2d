# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an input costs: CPU seconds as one run of the command would take them, and resident memory.

A user judges once and prints one format, so an input's time is that of judging and of the slowest format,
which is named; the other formats and the checks of what they print are the fuzzer's own. Processes that are
started and waited for count. The time of importing does not: every run has the same.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

CPU_S = 2.0
"""CPU time that one input may take, of one job."""
A_JOB_S = 0.25
"""CPU time that each further command or config of a page may take: its fixes are looked for as if it were
alone."""
MEMORY = 500 * 2**20
"""Resident memory that trainlint may need, all it has loaded included."""
JUDGING = "judging"
"""What every format waits for; the other names are formats."""


class Meter:
    """The CPU seconds of one input, by what they went into."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.jobs = 1

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count the block's time as judging, or as a format's."""
        start = spent()
        try:
            yield
        finally:
            self.seconds[part] += spent() - start

    def slow(self) -> list[str]:
        """Return a complaint where one run would take more than is allowed."""
        judging = self.seconds[JUDGING]
        formats = [(taken, name) for name, taken in self.seconds.items() if name != JUDGING]
        longest, name = max(formats, default=(0.0, "no format"), key=itemgetter(0))
        taken = judging + longest
        return [f"slow: {taken:.1f} s of CPU ({judging:.1f} s judging, {longest:.1f} s {name})"] * (
            taken > CPU_S + A_JOB_S * (self.jobs - 1)
        )


def spent() -> float:
    """Return the CPU time of this process, and of those that it started and waited for."""
    return sum(os.times()[:4])


def forget_peak() -> None:
    """Have the system count the highest memory from here on, where it can (Linux)."""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def resident(name: str) -> int:
    """Return the resident memory in bytes, VmRSS now and VmHWM at its highest; 0 where not on Linux."""
    if sys.platform != "linux":
        return 0
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) * 1024 if found else 0
