# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trying an edit asks of the rest: to judge a text again, wholly or by the quick rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from trainlint.estimate.facts import Facts
from trainlint.judge.finding import Finding, Level, Skip
from trainlint.read.document import Document


class Relinted(Protocol):
    """What judging an edited text gives back (a report's Result has it all)."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the edited text."""

    @property
    def skips(self) -> tuple[Skip, ...]:
        """What could not be judged in it."""

    @property
    def hidden(self) -> tuple[Finding, ...]:
        """What was found and is hidden by a comment."""

    @property
    def facts(self) -> Facts | None:
        """What the edited job would need."""

    @property
    def others(self) -> tuple[tuple[Finding, ...], ...]:
        """What was found in the job's other readings, in the order of Trying's `others`."""


Relint = Callable[[Document], Relinted | None]
"""Judge an edited document in every reading of its job, without fixes; None where it is no job now."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What the rules that need no estimate find in an edited text, and the samples on its fullest GPU."""

    findings: tuple[Finding, ...]
    samples: int | None


Quick = Callable[[Document], Glance | None]
"""Judge an edited document by the rules that need no estimate; None where it is no job any more."""


BUDGET = 30
"""Edited texts that are read and judged again for the fixes of one file on one target, so that many findings
stay quick: one takes 40 ms on a page of 27 commands, and a published config asks for 12 at most."""

LEAST = 8
"""What is left of these on a long page: every second of its commands takes one away, since to judge the page
takes as long."""

CHARACTERS = 1_000_000
"""Of all these texts together, since each is read whole: about a second of reading."""


@dataclass
class Tries:
    """How many edited texts of one file may still be judged.

    `one`: a sure fix of a fail is enough; `found` says that there is one. `unsafe`: it may change what is
    learned.
    """

    left: int
    one: bool = False
    found: bool = False
    unsafe: bool = True

    @classmethod
    def of(cls, text: str, most: int = BUDGET, *, one: bool = False, unsafe: bool = True) -> Tries:
        """Return the tries for a file with this text."""
        return cls(min(most, CHARACTERS // max(1, len(text))), one, unsafe=unsafe)

    @classmethod
    def on_page(cls, text: str, documents: int) -> Tries:
        """Return the tries for one target on a page of so many commands and configs."""
        return cls.of(text, max(LEAST, BUDGET - documents // 2))

    def take(self) -> bool:
        """Take one; False where there are none left."""
        if self.left <= 0 or self.found:
            return False
        self.left -= 1
        return True

    def note(self, finding: Finding) -> None:
        """Note a finding for which fixes were looked for."""
        fits = any(self.unsafe or fix.safe for fix in finding.fixes)
        sure = fits and finding.level is Level.FAIL and finding.holds_in is None
        self.found = self.found or (self.one and sure)


@dataclass(frozen=True, slots=True)
class Trying:
    """How edited texts are judged again, and what was found in the job's other readings.

    `tries` is the file's share, which its jobs have in common. `only`: the findings to fix, None: all.
    `larger` names the smallest card that would hold the job as it is, for where no edit does.
    """

    relint: Relint
    tries: Tries
    others: tuple[tuple[Finding, ...], ...] = ()
    only: tuple[Finding, ...] | None = None
    larger: Callable[[], str | None] | None = None
