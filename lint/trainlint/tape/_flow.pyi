# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from array import array

SOURCE: int

def numbered(
    order: bytes, allocs: array[int], ranks: array[int], work: array[int], moments: array[int], /
) -> bytes | None: ...
def course(
    order: bytes,
    numbers: array[int],
    homes: array[int],
    cards: array[int],
    first: int,
    last: int,
    device: int,
    before: int,
    /,
) -> tuple[bytes, bytes, bytes]: ...
def living(program: array[int], /) -> bytes: ...
def lives(program: array[int], blocks: int, /) -> tuple[bytes, bytes]: ...
def highest(
    program: array[int], size_of: array[int], sizes: array[int], initial: int, /
) -> tuple[int, int]: ...
def slotted(program: array[int], kinds: array[int], /) -> tuple[bytes, bytes]: ...
def paired(events: array[int], slots: int, /) -> bytes: ...
