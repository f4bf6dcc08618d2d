# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest whole number that passes, where all below it do: by doubling, then by halving the gap.

What is too costly to try often is looked for where its need, as seen at two numbers, meets what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

Need = Callable[[int], float | None]
"""What a number that was tried needs, as a share of what there is; None where that is not known."""
HALVED = 3
"""Every third number is in the middle of the gap, however the need grows."""


def largest(
    passes: Callable[[int], bool], guess: int, tries: int, need: Need | None = None
) -> tuple[int, int | None]:
    """Return the largest number that is seen to pass, and the smallest above it that is seen not to.

    0 where none passes; None where none that was tried does not.
    """
    good, bad, lower = 0, None, 0
    step, trial = 1, max(1, guess)
    for number in range(1, tries + 1):
        if passes(trial):
            lower, good = good, trial
        else:
            bad = trial
        if bad is not None and bad - good == 1:
            break
        near = _met(lower, good, bad, need) if need is not None and number % HALVED else None
        if near is not None:
            trial = max(good + 1, near if bad is None else min(near, bad - 1))
        elif bad is None:
            trial, step = good + step, 2 * step
        elif good:
            trial = (good + bad) // 2
        else:
            trial, step = max(1, bad - step), 2 * step
    return good, bad


def _met(lower: int, good: int, bad: int | None, need: Need) -> int | None:
    """Return where a need that grows with the square of a side meets what there is; None: it is not known."""
    tried = [number for number in (lower, good, bad) if number][-2:]
    seen = [(number**2, share) for number in tried if (share := need(number)) is not None]
    if len(seen) < len(tried) or (bad is not None and seen[-1][1] <= 1):  # it is bad for another reason
        return None
    (first, least), (last, most) = seen[0] if len(seen) > 1 else (0, 0.0), seen[-1]
    return isqrt(int(first + (1 - least) * (last - first) / (most - least))) if most > least else None
