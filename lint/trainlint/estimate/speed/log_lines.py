# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Times in the lines of a training log, in the formats of the trainers' sources.

BasicSR basicsr/utils/logger.py ("time (data): 0.674 (0.003)"), traiNNer-redux and neosr utils/logger.py
("performance: 1.484 it/s"), KAIR main_train_psnr.py (a time stamp and "iter:     200, lr:"), timm train.py
("Time: 0.413s, 619.88/s  (...)  Data: 0.010 (0.014)"), tqdm ("120/1000 [00:52<06:21, 2.31it/s]").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, TypeAlias

from msgspec import Struct

from trainlint.expressions.patterns import later

LINE: Final = 1000
"""Characters of a line that are looked at: a progress bar overwrites itself thousands of times in one."""

_ANSI = later(r"\x1b\[[0-9;]*[A-Za-z]")
_BASICSR = later(r"time \(data\): *(\d+\.\d+) \((\d+\.\d+)\)")
_RATE = later(r"performance: *(\d+\.\d+) it/s")
_TIMM = later(r"\bTime: *(\d+\.\d+)s, .{0,200}?\bData: *(\d+\.\d+)")
_TQDM = later(r"(?<!\d)\d+/(\d+) \[([\d:]{1,20})<[\d:?]+, *(\d+\.\d+)(it/s|s/it)")
_ASIDE = later(
    r"\b(?:val(?:id(?:ation|ating|ate)?)?|eval(?:uat(?:ion|ing|e))?|test(?:ing)?)\b", re.IGNORECASE
)
"""How a bar that is no training's is called."""
_ITERATION = later(r"\biter: *(\d[\d,]{0,20})(?!\d)")
_STAMP = later(r"^(\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})")
_STAMP_FORMAT = "%y-%m-%d %H:%M:%S.%f"


class Line(Struct, frozen=True):
    """What a line says: seconds per iteration (None: by its time stamp) and of them, waiting for data.

    `ends` are the least and the most that are rounded to what it says; `iteration` is the run's; `bar` the
    length of a progress bar, and `elapsed` its seconds so far.
    """

    seconds: float | None
    ends: tuple[float, float] | None = None
    data: float | None = None
    iteration: int | None = None
    stamp: datetime | None = None
    bar: int | None = None
    elapsed: float = 0.0


def lines_of(texts: Iterable[str]) -> Iterator[Line]:
    """Yield what the lines of a log say of times, in their order."""
    for text in texts:
        line = _ANSI.sub("", text[:LINE])
        if match := _BASICSR.search(line):
            yield Line(*_time(match[1]), float(match[2]), _iteration(line))
        elif match := _RATE.search(line):
            yield Line(*_inverse(match[1]), None, _iteration(line))
        elif match := _TIMM.search(line):
            yield Line(*_time(match[1]), float(match[2]))
        elif match := _TQDM.search(line):
            if not _ASIDE.search(line, 0, match.start()):
                seconds = _inverse(match[3]) if match[4] == "it/s" else _time(match[3])
                yield Line(*seconds, bar=int(match[1]), elapsed=_clock(match[2]))
        elif (stamp := _STAMP.match(line)) and (iteration := _iteration(line)) is not None:
            try:
                time = datetime.strptime(stamp[1], _STAMP_FORMAT)  # noqa: DTZ007  # logs name no time zone
            except ValueError:  # no month has 99 days
                continue
            yield Line(None, iteration=iteration, stamp=time)


def _iteration(line: str) -> int | None:
    match = _ITERATION.search(line)
    return None if match is None else int(match[1].replace(",", ""))


def _clock(text: str) -> float:
    """Return the seconds of "1:02:03" or "02:03"."""
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part or 0)
    return total


_Seconds: TypeAlias = tuple[float, tuple[float, float]]
"""Those of an iteration, and the least and the most that a trainer prints so."""


def _time(text: str) -> _Seconds:
    return float(text), _rounded(text)


def _inverse(text: str) -> _Seconds:
    """Return the seconds of an iteration by a rate: 0.011 it/s is what 87 to 95 s each are printed as."""
    rate, (least, most) = float(text), _rounded(text)
    return (1 / rate, (1 / most, 1 / least)) if rate else (0.0, (0.0, 0.0))


def _rounded(text: str) -> tuple[float, float]:
    """Return the least and the most that are rounded to a printed number."""
    half = 0.5 / 10 ** len(text.partition(".")[2])
    return max(float(text) - half, 0.0), float(text) + half
