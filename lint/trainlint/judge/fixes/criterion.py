# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""When an edit has fixed a finding: it is gone, so are those that the same sizes fix, and nothing came.

What it is refused for is remembered, to be said where another edit is offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct, field

from trainlint.judge.fixes.effects import MEMORY
from trainlint.judge.fixes.proposal import Proposal, meant_for
from trainlint.judge.ignores import UNUSED_IGNORE_RULE
from trainlint.judge.message_template import amount, show
from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import Scope
from trainlint.model.finding import EMULATED, Finding, Level

NEARLY_FULL_RULES = ("vram-tight", "vram-fragmentation")
"""What warns of a card that is almost full: an edit that ends there is named, and not offered as a fix."""

SIZES = ("spec.batch.", "spec.crop.", "spec.image.", "spec.sequence.")
"""Fields of which many values are tried: why not the next one is asked of each."""


def only_went(rule: str, before: Counter[str], after: Counter[str], seen: AbstractSet[str]) -> bool:
    """Return whether findings of a rule went (if there were any), and none came.

    Those of rules that only now have `seen` what was always so do not count, nor do comments made needless.
    """
    if 0 < before[rule] <= after[rule]:
        return False
    return not set(after - before) - seen - {UNUSED_IGNORE_RULE}


def seen_without(finding: Finding, rules: Mapping[str, Rule], unjudged: AbstractSet[str]) -> AbstractSet[str]:
    """Return which `unjudged` rules see for the first time what was always so once a finding is gone.

    A value could not be read with it, or the run stopped before it had a figure.
    """
    rule = rules.get(finding.rule)
    if rule is not None and rule.kind == "problems":
        return unjudged
    if rule is None or rule.families or (finding.level is not Level.FAIL and rule.name not in EMULATED):
        return frozenset()
    return {name for name in unjudged if name in rules and rules[name].families}


class Criterion(Struct, frozen=True):
    """What the findings of one job ask of every edit; `unjudged` names the rules that could not be judged."""

    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    unjudged: frozenset[str] = frozenset()

    def is_fixed(
        self, finding: Finding, before: Sequence[Finding], after: Sequence[Finding], proposal: Proposal
    ) -> bool:
        """Return whether a finding (if it was there) and those bound up with it are gone, and nothing came.

        A comment that the fix makes needless is no harm: what it hid is fixed too. Nor is what was always
        so, and is only seen where a value can be read that could not be, or a step runs that stopped.
        """
        old, new = Counter(other.rule for other in before), Counter(other.rule for other in after)
        if not only_went(finding.rule, old, new, seen_without(finding, self.rules, self.unjudged)):
            return False
        return not any(new[rule] for rule in self.bound_up(finding, proposal))

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
        return {name for fix in fixes if meant_for(self.scope, fix) for name in fix.fields}


class Refusals(Struct):
    """What refused edits would break, by their change, or save."""

    criterion: Criterion
    _refused: dict[str, str] = field(default_factory=dict)
    """Why, by what a proposal changes: of a size next to the one that is offered it is asked."""
    _figures: dict[tuple[str, str], int] = field(default_factory=dict)

    def note(
        self, finding: Finding, proposal: Proposal, before: Sequence[Finding], after: Sequence[Finding]
    ) -> bool:
        """Remember what an edit would break, for where the value next to it is the one that is offered.

        True where nothing more is to be said of it, as of all edits but those of a size.
        """
        if not _sets_size(proposal):
            return True
        new = Counter(left.rule for left in after) - Counter(old.rule for old in before)
        bound = {*self.criterion.bound_up(finding, proposal)}
        value = show(proposal.value)
        for left in after:
            if left.rule == finding.rule and MEMORY in self.criterion.rules[left.rule].families:
                self.note_too_much(proposal)
            elif left.rule in bound or left.rule in new:
                tight = left.rule in NEARLY_FULL_RULES
                why = f"{value} would be tight" if tight else f"{value} breaks {left.rule}"
                self._refused.setdefault(proposal.change, why)
        return proposal.change in self._refused

    def note_too_much(self, proposal: Proposal) -> None:
        """Remember that what an edit leaves still does not fit."""
        if _sets_size(proposal):
            self._refused.setdefault(proposal.change, f"{show(proposal.value)} does not fit")

    def note_figure(self, finding: Finding, change: str, less: int) -> None:
        """Remember how many bytes an edit saves that is not enough."""
        self._figures[finding.rule, change] = less

    def reason(self, proposal: Proposal) -> str:
        """Say why a proposal was refused, in a few words; "" where that is not known."""
        return self._refused.get(proposal.change, "")

    def short(self, finding: Finding) -> Iterator[str]:
        """Yield what edits save that are not enough, the largest saving first."""
        ranked = sorted(self._figures.items(), key=lambda item: -item[1])
        for (rule, change), less in ranked:
            if rule == finding.rule:
                yield f"not enough alone: {change} (saves {amount(less) if less > 0 else 'nothing'})"


def _sets_size(proposal: Proposal) -> bool:
    return any(name.startswith(SIZES) for name in proposal.fields)
