# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A message in few words: its first clauses."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.expressions.patterns import later
from trainlint.model.finding import Finding

CONCISE_WORDS = 15
"""Words of a line of `--format concise`, its place, level and rule included."""
FIRST_SCREEN_WORDS = 20
"""Words of what a finding says on the first screen."""

_CLAUSE = later(r"(?:; |: |, | \(|\. (?=[A-Z]))")
_PLACE = later(r", at [^ ]+:\d+ in [^ ]+$")
"""Where in its own code a program stops, as its crash says last."""


def said(finding: Finding, words: int = FIRST_SCREEN_WORDS) -> str:
    """Return what a finding says: the rule's own short form, or as many clauses as `words` allow."""
    message = finding.short or finding.message
    place = _PLACE.search(message)
    if place is None or words < FIRST_SCREEN_WORDS:
        return clauses(message, words)
    return clauses(message[: place.start()], words) + place[0]


def clauses(message: str, words: int) -> str:
    """Return a message's first clauses of at most `words`; cut inside of the first where that is longer."""
    if len(message.split()) <= words:
        return message
    ends = [end for end in _ends(message) if len(message[:end].split()) <= words]
    while len(ends) > 1 and _CLAUSE.sub("\n", message[ends[-2] : ends[-1]], count=1).startswith("\nif "):
        del ends[-1]  # a condition without what it is for says nothing
    if ends:
        return message[: ends[-1]]
    return f"{' '.join(message.split()[: words - 1])} …"


def _ends(message: str) -> Iterator[int]:
    """Yield where clauses end outside of quotes and brackets."""
    for match in _CLAUSE.finditer(message):
        before = message[: match.start()]
        if before.count('"') % 2 == 0 and before.count("(") == before.count(")") and len(before.split()) > 1:
            yield match.start()
