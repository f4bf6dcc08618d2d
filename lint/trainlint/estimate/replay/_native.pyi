# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from array import array
from collections.abc import Sequence
from typing import Self

SOURCE: int

class Slots:
    def __new__(
        cls, sizes: array[int], streams: array[int], rows: array[int], expandable: bool = False, /
    ) -> Self: ...

class Replay:
    peak: int
    peak_reserved: int
    capacity: int | None
    def __new__(cls, slots: Slots, limit: int | None, *, grow: bool = False, stop: bool = False) -> Self: ...
    def copy(self, limit: int | None, *, grow: bool = False, stop: bool = False) -> Replay: ...
    def run(self, events: Sequence[int], first: int, last: int, /) -> int: ...
    def empty_cache(self) -> None: ...
