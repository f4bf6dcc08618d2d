# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The value to offer among those of one candidate: in order, or by halving where each try needs a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from trainlint.model.finding import Fix

TRACED_TRIES = 10
"""Values that are tried of one candidate where every one changes what is traced (a crop): a trace takes about
a second, though from the third crop on it is mostly worked out (estimate/tapes/crop_source.py)."""


def calmest(tried: Iterable[tuple[Fix | None, bool]]) -> tuple[Fix | None, bool]:
    """Return the first fix that leaves hidden findings alone, else the first fix at all."""
    first: Fix | None = None
    for fix, calm in tried:
        if fix is not None and calm:
            return fix, True
        first = first or fix
    return first, False


def nearest(
    tried: Callable[[int], tuple[Fix | None, bool]], count: int, tries: int = TRACED_TRIES
) -> tuple[Fix | None, bool]:
    """Return the nearest fix found among `count` values, of which all are expected to pass from one on.

    The distance doubles until one passes; then the gap before it is halved.
    """
    found: tuple[Fix | None, bool] = None, False
    failed, passed = -1, count
    for _ in range(tries):
        if passed - failed <= 1:
            break
        at = min(max(0, 2 * failed + 1), count - 1) if passed == count else (failed + passed) // 2
        fix, calm = tried(at)
        if fix is not None and calm:
            found, passed = (fix, calm), at
        else:
            failed = at
            found = found if found[0] is not None else (fix, calm)
    return found
