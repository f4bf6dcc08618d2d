# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is said of edits that were refused: what they break, and which leave a card almost full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from trainlint.judge.finding import Finding
from trainlint.judge.goal import Goal
from trainlint.judge.proposal import Proposal
from trainlint.judge.saving import MEMORY
from trainlint.judge.template import show

CLOSE = ("vram-tight", "vram-fragmentation")
"""What warns of a card that is almost full: an edit that ends there is named, and not offered as a fix."""


class Refusals(Struct):
    """What refused edits would break, by their change, and those that a card almost full kept from a fix."""

    goal: Goal
    _refused: dict[str, str] = field(default_factory=dict)
    _nearly: list[tuple[str, str]] = field(default_factory=list)

    def note(
        self, finding: Finding, proposal: Proposal, before: Sequence[Finding], after: Sequence[Finding]
    ) -> bool:
        """Remember what an edit would break, for where the value next to it is the one that is offered.

        True where nothing more is to be said of it, as of all edits but those of a batch.
        """
        if not _sets_batch(proposal):
            return True
        new = Counter(one.rule for one in after) - Counter(one.rule for one in before)
        bound = {*self.goal.bound_up(finding, proposal)}
        value = show(proposal.value)
        for one in after:
            if one.rule == finding.rule and MEMORY in self.goal.rules[one.rule].families:
                self._refused.setdefault(proposal.change, f"{value} is not enough")
            elif one.rule in bound or one.rule in new:
                why = f"{value} would be tight" if one.rule in CLOSE else f"not {value}: {one.message}"
                self._refused.setdefault(proposal.change, why)
        return proposal.change in self._refused

    def note_nearly(self, finding: Finding, summary: str) -> None:
        """Remember an edit that fixes a finding and leaves the card almost full."""
        self._nearly.append((finding.rule, summary))

    def reason(self, nearer: Sequence[Proposal]) -> Iterator[str]:
        """Say why the batch is not the nearest one, which the finding may call the largest that fits."""
        if nearer and (why := self._refused.get(nearer[0].change)):
            yield why

    def tight(self, finding: Finding) -> Iterator[str]:
        """Yield what would fix a finding and leave the card almost full."""
        yield from (
            f"fits with little to spare: {summary}" for rule, summary in self._nearly if rule == finding.rule
        )


def _sets_batch(proposal: Proposal) -> bool:
    return any(name.startswith("spec.batch.") for name in proposal.fields)
