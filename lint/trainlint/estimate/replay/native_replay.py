# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The replay in C (_native.c), which is there where trainlint was installed with a compiler."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

from trainlint.estimate.replay._native import SOURCE, Replay, Slots

_source = Path(__file__).with_name("_native.c")
if _source.exists() and crc32(_source.read_bytes()) != SOURCE:  # a checkout that went on since its install
    raise ImportError(f"{_source.name} is not what was compiled")


EXPANDS: Final = True
"""It has expandable segments too."""


def start(
    sizes: Sequence[int],
    streams: Sequence[int],
    limit: int | None,
    rows: Sequence[int] | None = None,
    *,
    expandable: bool = False,
) -> Replay:
    """Return a run in which nothing has happened yet."""
    slots = events(range(len(sizes)) if rows is None else rows)
    return Replay(Slots(array("q", sizes), array("i", streams), slots, expandable), limit)


def events(numbers: Iterable[int]) -> array[int]:
    """Return events as C reads them."""
    return numbers if isinstance(numbers, array) else array("i", numbers)
