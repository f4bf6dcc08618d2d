# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""When an edit has fixed a finding: it is gone, so are those that the same sizes fix, and nothing came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from trainlint.judge.finding import Finding, Level
from trainlint.judge.ignores import UNUSED
from trainlint.judge.proposal import Proposal, meant_for
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope


class Goal(Struct, frozen=True):
    """What the findings of one job ask of every edit."""

    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]

    def is_fixed(
        self, finding: Finding, before: Sequence[Finding], after: Sequence[Finding], proposal: Proposal
    ) -> bool:
        """Return whether a finding (if it was there) and those bound up with it are gone, and nothing came.

        A comment that the fix makes needless is no harm: what it hid is fixed too.
        """
        old, new = Counter(other.rule for other in before), Counter(other.rule for other in after)
        if 0 < old[finding.rule] <= new[finding.rule]:
            return False
        del new[UNUSED]
        return not new - old and not any(new[rule] for rule in self.bound_up(finding, proposal))

    def is_missed(self, finding: Finding, proposal: Proposal) -> bool:
        """Say whether a proposal sets none of the fields that fix a rule bound up with it."""
        return any(not self._fields(rule) & proposal.fields for rule in self.bound_up(finding, proposal))

    def bound_up(self, finding: Finding, proposal: Proposal) -> Iterator[str]:
        """Yield the failing rules that are fixed by the same sizes, or by what this proposal sets.

        One fix must satisfy them all.
        """
        sizes = {name for name in self._fields(finding.rule) if not name.startswith("doc.")}
        mine = sizes | proposal.fields
        for other in self.findings:
            if other.level is Level.FAIL and mine & self._fields(other.rule):
                yield other.rule

    def _fields(self, rule: str) -> set[str]:
        """Return what a rule's fixes set in a config of this dialect."""
        fixes = self.rules[rule].fixes if rule in self.rules else ()
        return {name for one in fixes if meant_for(self.scope, one) for name in one.fields}
