# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest whole number that passes, where all below it do: by doubling, then by halving the gap.

What is too costly to try often is looked for where its need, as seen at two numbers, meets what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt, log

Need = Callable[[int], float | None]
"""What a number that was tried needs, as a share of what there is; None where that is not known."""
HALVED = 3
"""Every third number is in the middle of the gap, however the need grows."""


def largest(
    passes: Callable[[int], bool],
    guess: int,
    tries: int,
    need: Need | None = None,
    bad: int | None = None,
    *,
    halving: bool = False,
) -> tuple[int, int | None]:
    """Return the largest number that is seen to pass, and the smallest above it that is seen not to.

    0 where none passes; None where none that was tried does not. `bad` is one that is known not to: the first
    that is tried is then where its need says, else `guess`; with `halving`, where what is below 1 is known to
    pass, in the middle.
    """
    good, lower, upper, step = 0, 0, 0, 1
    aimed = None if bad is None else _met((bad,), bad, need)
    trial = max(1, guess if aimed is None or bad is None else min(aimed, bad - 1))
    if halving and bad is not None:
        trial = bad // 2
    for number in range(1, tries + 1):
        if good + 1 == bad:
            break
        if passes(trial):
            lower, good = good, trial
        else:
            upper, bad = bad or 0, trial
        around = (lower, good) if bad is None else (good, bad) if good else (bad, upper)
        near = _met(around, bad, need) if number % HALVED else None
        if near is not None:
            trial = max(good + 1, near if bad is None else min(near, bad - 1))
        elif bad is None:
            trial, step = good + step, 2 * step
        elif good or halving:
            trial = (good + bad) // 2
        else:
            trial, step = max(1, bad - step), 2 * step
    return good, bad


def _met(tried: Sequence[int], bad: int | None, need: Need | None) -> int | None:
    """Return where a need meets what there is; None: it is not known.

    It grows with the square of a side, or faster where attention is over all pixels; between two numbers the
    later of the squares' place and that of a power through both, since either comes too early for what grows
    faster than itself.
    """
    if need is None:
        return None
    shares = {number: need(number) for number in tried if number}
    seen = [(number, share) for number, share in shares.items() if share is not None]
    if len(seen) < len(shares) or (bad is not None and (shares[bad] or 0) <= 1):  # bad for another reason
        return None
    (first, least), (last, most) = seen[0] if len(seen) > 1 else (0, 0.0), seen[-1]
    if most <= least:
        return None
    by_squares = isqrt(max(0, int(first**2 + (1 - least) * (last**2 - first**2) / (most - least))))
    if not least or not first:
        return by_squares
    by_power = first * (last / first) ** (-log(least) / log(most / least))
    return max(by_squares, min(int(by_power), last))
