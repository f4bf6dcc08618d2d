# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names that are nearly one that is known, for what was misspelt."""

from __future__ import annotations

from collections.abc import Iterable


def get_close_matches(word: str, known: Iterable[str], n: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return what difflib's function of this name returns: it is imported where something is unknown."""
    from difflib import get_close_matches as close  # noqa: PLC0415 - longer than three modules of ours

    return close(word, list(known), n, cutoff)
