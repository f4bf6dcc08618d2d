# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Seconds per iteration from a training log: what the trainer printed while it ran (formats: log_lines)."""

from __future__ import annotations

import codecs
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from trainlint.errors import UnreadableError
from trainlint.estimate.speed.log_lines import Line, lines_of
from trainlint.files.safe_open import open_regular

TAIL_BYTES: Final = 8 * 2**20
"""Bytes read from the end of a log, where a run is steady: of BasicSR's lines about 40,000."""
IN_TAIL: Final = f" in its last {TAIL_BYTES // 2**20} MiB"
WARM_UP: Final = 0.1
"""Share of the readings, at least one, that are left out: cuDNN tries algorithms and files are cold."""
LEAST_READINGS: Final = 3
"""Readings that a figure needs after that."""
MOST_LINES: Final = 200_000
"""Lines that are looked at, the last ones: a progress bar writes 80 bytes at a time."""
LONGEST_S: Final = 1e12
"""Seconds per iteration that are believed, as of --seconds-per-iteration; no time between two is 0 either."""
UTF_16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""How PowerShell writes what a command prints to a file."""


class StepTimes(Struct, frozen=True):
    """Seconds per iteration of the steady part: first quartile, median, third quartile, rounding included.

    `data` is the median of the seconds spent waiting for the loader, where the log has them.
    """

    seconds: tuple[float, float, float]
    readings: int
    data: float | None = None


def step_times(path: str) -> StepTimes:
    """Return a log's times; UnreadableError where it is no regular file or holds none that are known."""
    text, cut = _tail(path)
    readings = _last_run(
        _of_one_kind(tuple(lines_of(text.replace("\r", "\n").rsplit("\n", MOST_LINES)[-MOST_LINES:])))
    )
    steady = _steady(readings)
    if len(steady) < LEAST_READINGS:
        raise UnreadableError(
            f"{len(readings)} times per iteration found{IN_TAIL if cut else ''}, expected at least "
            f"{LEAST_READINGS + 1}: a log of BasicSR, traiNNer-redux, neosr, KAIR, timm or tqdm"
        )
    times = sorted(steady, key=lambda reading: reading.seconds)
    waits = [reading.data for reading in times if reading.data is not None]
    from statistics import median  # noqa: PLC0415  # slow, and few runs have a log

    middle = median(reading.seconds for reading in times)
    quartiles = (times[len(times) // 4].least, middle, times[len(times) * 3 // 4].most)
    return StepTimes(quartiles, len(steady), median(waits) if waits else None)


def _tail(path: str) -> tuple[str, bool]:
    """Return the end of a log, from the first whole line on, and whether there is more before it."""
    try:
        file = open_regular(path)
        if file is None:
            raise UnreadableError("is not a regular file, expected a training log")
        with file:
            size, encoding = os.fstat(file.fileno()).st_size, UTF_16.get(file.read(2), "utf-8")
            file.seek(max(0, size - size % 2 - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode(encoding, errors="replace")
    except OSError as error:
        raise UnreadableError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    return (text, False) if size <= TAIL_BYTES else (text.partition("\n")[2], True)


class _Reading(Struct, frozen=True):
    """Seconds per iteration, the least and the most that they may be, and those of them waiting for data."""

    seconds: float
    least: float
    most: float
    data: float | None


def _steady(readings: Sequence[_Reading]) -> Sequence[_Reading]:
    return readings[max(1, int(len(readings) * WARM_UP)) :]


def _of_one_kind(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the trainer's own lines, or else those of the progress bar that took longest.

    Bars of another length are of validation, or of reading the data set.
    """
    bars = [line for line in lines if line.bar is not None]
    if not bars or len(lines) - len(bars) > LEAST_READINGS:
        return [line for line in lines if line.bar is None]
    spent: dict[int | None, float] = defaultdict(float)
    before: dict[int | None, float] = {}
    for line in bars:
        last = before.get(line.bar, 0.0)
        spent[line.bar] += line.elapsed - last if line.elapsed >= last else line.elapsed
        before[line.bar] = line.elapsed
    longest = max(spent, key=lambda bar: spent[bar], default=None)
    return [line for line in bars if line.bar == longest]


def _last_run(lines: Sequence[Line]) -> Sequence[_Reading]:
    """Return the times since the iterations last began again, by a run or by a resume, where they are enough.

    What ran before may have had another batch or another machine.
    """
    begins = [
        0,
        *(index for index, (before, two) in enumerate(pairwise(lines), start=1) if _again(before, two)),
    ]
    last = list(_times(lines[begins[-1] :]))
    return last if len(_steady(last)) >= LEAST_READINGS else list(_times(lines))


def _again(before: Line, two: Line) -> bool:
    return before.iteration is not None and two.iteration is not None and two.iteration <= before.iteration


def _times(lines: Sequence[Line]) -> Iterator[_Reading]:
    """Yield the times that lines say, or that lie between the time stamps of two."""
    before: Line | None = None
    for line in lines:
        seconds = line.seconds if line.seconds is not None else _between(before, line)
        before = line
        if seconds is not None and 0 < seconds <= LONGEST_S:
            yield _Reading(seconds, *(line.ends or (seconds, seconds)), line.data)


def _between(before: Line | None, two: Line) -> float | None:
    """Return the seconds of an iteration between two lines; None where they do not say."""
    if before is None or before.stamp is None or two.stamp is None or _again(before, two):
        return None
    return (two.stamp - before.stamp).total_seconds() / ((two.iteration or 0) - (before.iteration or 0))
