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
    step, trial = 1, max(1, guess)
    for _ in range(tries):
        if passes(trial):
            good = trial
        else:
            bad = trial
        if bad is None:
            trial, step = good + step, 2 * step
        elif bad - good == 1:
            break
        elif good:
            trial = (good + bad) // 2
        else:
            trial, step = max(1, bad - step), 2 * step
    return good, bad
