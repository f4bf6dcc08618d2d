# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest whole number that passes, where all below it do: by doubling, then by halving the gap."""

from __future__ import annotations

from collections.abc import Callable


def largest(passes: Callable[[int], bool], guess: int, tries: int) -> tuple[int, int | None]:
    """Return the largest number that is seen to pass, and the smallest above it that is seen not to.

    0 where none passes; None where none that was tried does not.
    """
    good, bad = 0, None
    step, at = 1, max(1, guess)
    for _ in range(tries):
        if passes(at):
            good = at
        else:
            bad = at
        if bad is None:
            at, step = good + step, 2 * step
        elif bad - good == 1:
            break
        elif good:
            at = (good + bad) // 2
        else:
            at, step = max(1, bad - step), 2 * step
    return good, bad
