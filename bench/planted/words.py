# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How people misspell."""

from __future__ import annotations

import re

PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
SHORTEST_SWAPPED = 3
"""Letters of a word whose first stays where it is; a shorter one gets its last letter twice."""


def misspelt(name: str) -> str:
    """Misspell the longest word of a name."""
    longest = max(PARTS.finditer(name), key=lambda part: len(part.group()), default=None)
    if longest is None:
        return f"{name}{name[-1:]}"
    return name[: longest.start()] + _swapped(longest.group()) + name[longest.end() :]


def _swapped(word: str) -> str:
    """Swap two letters in the middle of a word, never its first, or lose one of two that are alike."""
    if len(word) < SHORTEST_SWAPPED:
        return f"{word}{word[-1]}"
    middle = max(len(word) // 2, 2)
    swapped = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    return swapped if swapped != word else word[:middle] + word[middle + 1 :]
