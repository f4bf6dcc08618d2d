# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many samples fit: the limit of a tape on a card and what is safe, worked out without tracing again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from trainlint.estimate.memory.card import Card, Share
from trainlint.estimate.replay.conversion_room import room_with_conversions
from trainlint.estimate.replay.footprint import fits, suffices
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.estimate.replay.workspace import used
from trainlint.tape import Tape

LARGEST_SEARCHED: Final = 2**20
"""Batch above which no further search is made."""


POOR_STEPS: Final = 1
"""Steps in a row that may leave most of the gap: a good line misses the answer by one."""


def largest_batch(tape: Tape, share: Share, card: Card) -> int:
    """Return the largest batch per GPU that fits, by memory alone; 0 where not even the tape's smallest does.

    Live bytes are cheap and bound the answer from above; the allocator is replayed near that bound only.
    """
    books = books_of(tape, share)
    room = card.room

    def peaks(batch: int) -> int:
        samples = share.at(batch).samples
        return max(book.peak(samples).allocated for book in books)

    def replayed(batch: int) -> bool:
        samples = share.at(batch).samples
        return all(fits(book, samples, used(book, card.libraries), room) for book in books)

    def judged(batch: int) -> bool:
        return holds(books, share.at(batch).samples, card)

    if tape.batches:
        return max((batch for batch in tape.batches if peaks(batch) <= room and judged(batch)), default=0)
    largest = largest_below(largest_within(lambda batch: peaks(batch) - room), replayed)
    while largest and not judged(largest):  # what decides the verdict has the last word
        largest -= 1
    return largest


def safe_batch(tape: Tape, limit: int, guess: Callable[[], int], safe: Callable[[int], bool]) -> int:
    """Return the largest batch per GPU up to `limit` that is safe; 0 where none is. `guess` is near it."""
    if tape.batches:
        return max((batch for batch in tape.batches if batch <= limit and safe(batch)), default=0)
    first = tried = max(1, min(limit, guess()))
    largest = largest_below(first, safe)
    while largest == tried < limit:
        tried = min(limit, tried + max(1, tried - first))
        largest = tried if safe(tried) else _between(largest, tried, safe)
    return largest


def books_of(tape: Tape, share: Share) -> list[Ledger]:
    """Return the ledgers of the GPUs that differ in what they hold."""
    return [ledger(tape, device) for device in range(tape.devices if share.replicas > 1 else 1)]


def holds(books: Iterable[Ledger], samples: Samples, card: Card) -> bool:
    """Return whether a card holds a step on each of these GPUs, as the verdict does."""
    room = card.room
    return all(
        suffices(book, samples, libraries, room)
        and room_with_conversions(book, samples, libraries, room) == room
        for book, libraries in ((book, used(book, card.libraries)) for book in books)
    )


def largest_within(over: Callable[[int], int]) -> int:
    """Return the largest number below 2 * MOST that is not over a bound, if all below are not; 0 where 1 is.

    `over` says by how much. That grows about evenly with the number, so the line through two of its values
    says where to ask next (in `_crossed`: where this leaves most of the gap twice, the gap is halved).
    """
    low, high, below, above = 1, 2, over(1), over(2)
    if below > 0:
        return 0
    while above <= 0:
        if high == 2 * LARGEST_SEARCHED - 1:
            return high
        guess = high + (high - low) * -above // max(1, above - below) + 1
        low, below, high = high, above, min(2 * LARGEST_SEARCHED - 1, max(2 * high, guess))
        above = over(high)
    return _crossed(low, below, high, above, over)


def _crossed(low: int, below: int, high: int, above: int, over: Callable[[int], int]) -> int:
    """Return the largest number in [low, high) that is not over; `below` and `above` are its ends' excess."""
    poor = 0
    while high - low > 1:
        gap = high - low
        step = gap // 2 if poor > POOR_STEPS else gap * -below // (above - below)
        middle = low + max(1, min(gap - 1, step))
        over_middle = over(middle)
        low, below, high, above = (
            (low, below, middle, over_middle) if over_middle > 0 else (middle, over_middle, high, above)
        )
        poor = 0 if high - low <= gap // 2 else poor + 1
    return low


def largest_below(most: int, good: Callable[[int], bool]) -> int:
    """Return the largest good number up to `most`, which is expected to be near it."""
    high, step = most + 1, 1
    low = most
    while low > 0 and not good(low):
        high, low, step = low, max(0, low - step), step * 2
    return _between(low, high, good)


def _between(low: int, high: int, good: Callable[[int], bool]) -> int:
    """Return the largest good number in [low, high), where low is good (or 0) and high is not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low
