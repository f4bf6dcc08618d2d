# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How much of a card is taken, drawn."""

from __future__ import annotations

BAR_CHARACTERS = 10
"""Characters of a bar in a line of text."""


def bar(need: int, capacity: int, cells: int = BAR_CHARACTERS) -> str:
    """Draw the taken part ("███████░░░"); all of it where more is needed than there is."""
    filled = min(cells, round(cells * need / capacity)) if capacity > 0 else cells
    return "█" * filled + "░" * (cells - filled)


def gauge(need: int, capacity: int, cells: int) -> str:
    """Draw the taken part, with a mark where the card ends if that is not enough ("██████│███")."""
    if need <= capacity or capacity <= 0:
        return bar(need, capacity, cells)
    inside = min(cells - 1, max(1, round(cells * capacity / need)))
    return f"{'█' * inside}│{'█' * (cells - inside)}"
