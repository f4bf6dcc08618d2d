# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Seconds per iteration from a training log: what the trainer printed while it ran.

Formats, from the trainers' sources: BasicSR basicsr/utils/logger.py ("time (data): 0.674 (0.003)"),
traiNNer-redux and neosr utils/logger.py ("performance: 1.484 it/s"), KAIR main_train_psnr.py (a time stamp
and "iter:     200, lr:"), tqdm ("120/1000 [00:52<06:21, 2.31it/s]").
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from trainlint.errors import UnreadableError
from trainlint.lean import dataclass
from trainlint.patterns import later
from trainlint.regular import open_regular

TAIL: Final = 8 * 2**20
"""Bytes read from the end of a log, where a run is steady: of BasicSR's lines about 40,000."""
IN_TAIL: Final = f" in its last {TAIL // 2**20} MiB"
WARM_UP: Final = 0.1
"""Share of the readings, at least one, that are left out: cuDNN tries algorithms and files are cold."""
LEAST: Final = 3
"""Readings that a figure needs after that."""
LINE: Final = 1000
"""Characters of a line that are looked at: a progress bar overwrites itself thousands of times in one."""
LINES: Final = 200_000
"""Lines that are looked at, the last ones: a progress bar writes 80 bytes at a time."""
LONGEST_S: Final = 1e12
"""Seconds per iteration that are believed, as of --seconds-per-iteration; no time between two is 0 either."""

_ANSI = later(r"\x1b\[[0-9;]*[A-Za-z]")
_BASICSR = later(r"time \(data\): *(\d+\.\d+) \((\d+\.\d+)\)")
_RATE = later(r"performance: *(\d+\.\d+) it/s")
_TQDM = later(r"(?<!\d)\d+/\d+ \[[\d:]+<[\d:?]+, *(\d+\.\d+)(it/s|s/it)")
_ITERATION = later(r"\biter: *(\d[\d,]{0,20}), lr:")
_STAMP = later(r"^(\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})")
_STAMP_FORMAT = "%y-%m-%d %H:%M:%S.%f"


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds per iteration of the steady part: first quartile, median, third quartile.

    `data` is the median of the seconds spent waiting for the loader, where the log has them.
    """

    seconds: tuple[float, float, float]
    readings: int
    data: float | None = None


def step_times(path: str) -> StepTimes:
    """Return a log's times; UnreadableError where it is no regular file or holds none that are known."""
    text, cut = _tail(path)
    found = [(seconds, data) for seconds, data in _readings(text) if 0 < seconds <= LONGEST_S]
    steady = found[max(1, int(len(found) * WARM_UP)) :]
    if len(steady) < LEAST:
        raise UnreadableError(
            f"{len(found)} times per iteration found{IN_TAIL if cut else ''}, expected at least {LEAST + 1}:"
            " a log of BasicSR, traiNNer-redux, neosr, KAIR or tqdm"
        )
    times = sorted(seconds for seconds, _ in steady)
    waits = [data for _, data in steady if data is not None]
    from statistics import median  # noqa: PLC0415  # slow, and few runs have a log

    quartiles = (times[len(times) // 4], median(times), times[len(times) * 3 // 4])
    return StepTimes(quartiles, len(steady), median(waits) if waits else None)


def _tail(path: str) -> tuple[str, bool]:
    """Return the end of a log, from the first whole line on, and whether there is more before it."""
    try:
        file = open_regular(path)
        if file is None:
            raise UnreadableError("is not a regular file, expected a training log")
        with file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - TAIL))
            text = file.read(TAIL).decode("utf-8", errors="replace")
    except OSError as error:
        raise UnreadableError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    return (text, False) if size <= TAIL else (text.partition("\n")[2], True)


def _readings(text: str) -> Iterator[tuple[float, float | None]]:
    """Yield (seconds per iteration, seconds of it waiting for data) in the order of the log."""
    before: tuple[datetime, int] | None = None
    for line in _ANSI.sub("", text).replace("\r", "\n").rsplit("\n", LINES)[-LINES:]:
        line = line[:LINE]  # noqa: PLW2901  # cut at the limit
        if found := _BASICSR.search(line):
            yield float(found[1]), float(found[2])
        elif found := _RATE.search(line):
            yield _inverse(float(found[1])), None
        elif found := _TQDM.search(line):
            rate = float(found[1])
            yield (_inverse(rate) if found[2] == "it/s" else rate), None
        elif (stamp := _STAMP.match(line)) and (iteration := _ITERATION.search(line)):
            try:
                time = datetime.strptime(stamp[1], _STAMP_FORMAT)  # noqa: DTZ007  # logs name no time zone
            except ValueError:  # no month has 99 days
                continue
            now = time, int(iteration[1].replace(",", ""))
            if before is not None and now[1] > before[1]:
                yield (now[0] - before[0]).total_seconds() / (now[1] - before[1]), None
            before = now


def _inverse(rate: float) -> float:
    return 1 / rate if rate else 0.0
