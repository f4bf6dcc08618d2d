# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many checks a document may cost against its dialect's schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from trainlint.errors import TooLargeError

MOST_CHECKS: Final = 20_000
"""Keywords held against the values of one document, more for long lists: published configs cost 1,000."""

COMPARISONS_PER_CHECK: Final = 100
"""Comparisons of one item with another that take about as long as one keyword."""

CHECKS_PER_MESSAGE: Final = 20
"""Checks that take about as long as wording what is wrong with one value: 0.1 ms and 5 us, measured."""


class Checks(Struct):
    """How many checks the document at hand may still cost."""

    left: int = MOST_CHECKS

    def spend(self, name: str, wanted: Any, value: Any, schema: Mapping[str, Any]) -> None:
        """Take away what one keyword costs; TooLargeError once there is nothing left."""
        patterns = schema.get("patternProperties", ()) if name == "additionalProperties" else wanted
        against = value if name == "uniqueItems" else patterns
        self.take(1 + _length(value) * _length(against) // COMPARISONS_PER_CHECK)

    def take(self, cost: int) -> None:
        """Take away a cost; TooLargeError once there is nothing left."""
        self.left -= cost
        if self.left < 0:
            raise TooLargeError(
                f"takes more than {MOST_CHECKS:,} checks against its dialect's schema: shorten its lists, "
                "simplify the schema, or lint the parts of the file one by one"
            )


CHECKS: Final = Checks()
"""The document at hand's: documents are checked one after the other (`start` begins with each)."""


def start() -> None:
    """Begin to count the checks of another document."""
    CHECKS.left = MOST_CHECKS


LEAF_TYPES: Final = frozenset((str, int, float, bool, type(None)))
"""Types of most values, which hold no others: a keyword costs one check of each."""
SIZED_TYPES: Final = (dict, list, tuple, Mapping)
"""For isinstance, which asks in order: what is no dict takes ten times as long."""


def _length(value: Any) -> int:
    return len(value) if isinstance(value, SIZED_TYPES) else 0
