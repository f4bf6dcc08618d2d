"""Fixes: candidates are tried on the text, and only those that lint clean are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from trainlint.job import Job
from trainlint.judge.edit import apply_edits
from trainlint.judge.finding import Edit, Finding, Fix, Level, Skip
from trainlint.judge.proof import only_changed
from trainlint.judge.proposal import Proposal, from_problem, from_rule
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope

TRIES = 24
"""Edited texts that are linted for one candidate; the nearest value that passes is mostly among them."""

BUDGET = 120
"""Edited texts that are linted for one job in all, so that a file with fifty findings stays quick."""


class Relinted(Protocol):
    """What judging an edited text gives back (a report's Result has it all)."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the edited text."""

    @property
    def skips(self) -> tuple[Skip, ...]:
        """What could not be judged in it."""


Relint = Callable[[str], Relinted | None]
"""Judge an edited text of the same job on the same target, without fixes; None where it is no job now."""


@dataclass
class Mender:
    """Finds the fixes of one job's findings; every edited text is linted once."""

    job: Job
    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    unjudged: frozenset[str]
    relint: Relint
    _seen: dict[str, Relinted | None] = field(default_factory=dict)

    def mended(self) -> list[Finding]:
        """Return the findings with the fixes that were verified, the cheapest for the run first."""
        return [replace(finding, fixes=tuple(self._fixes(finding))) for finding in self.findings]

    def _fixes(self, finding: Finding) -> Iterator[Fix]:
        offered: set[str] = set()
        for proposals in self._candidates(finding):
            for proposal in proposals[:TRIES]:
                fix = self._tried(finding, proposal)
                if fix is None:
                    continue
                if fix.summary not in offered:
                    offered.add(fix.summary)
                    yield fix
                break

    def _candidates(self, finding: Finding) -> Iterator[Sequence[Proposal]]:
        rule = self.rules[finding.rule]
        if rule.kind == "problems":
            yield list(from_problem(self.job, finding))
        for candidate in rule.fixes:
            yield from_rule(self.job, self.scope, rule, candidate)

    def _tried(self, finding: Finding, proposal: Proposal) -> Fix | None:
        """Apply, prove, lint again; None unless the finding is gone and nothing new came."""
        document = self.job.document
        try:
            text = apply_edits(document.source.text, proposal.edits)
        except ValueError:
            return None
        if text not in self._seen:
            if len(self._seen) >= BUDGET or not only_changed(document, text, proposal.values, proposal.gone):
                return None
            self._seen[text] = self.relint(text)
        result = self._seen[text]
        if result is None or not self._mended(finding, proposal, result):
            return None
        return Fix(proposal.summary, tuple(sorted(proposal.edits, key=_start)))

    def _mended(self, finding: Finding, proposal: Proposal, result: Relinted) -> bool:
        before = Counter(other.rule for other in self.findings)
        after = Counter(other.rule for other in result.findings)
        if after[finding.rule] >= before[finding.rule] or after - before:
            return False
        if any(skip.rule not in self.unjudged for skip in result.skips):
            return False
        return not any(after[rule] for rule in self._bound_up(proposal))

    def _bound_up(self, proposal: Proposal) -> Iterator[str]:
        """Yield the failing rules that the same fields decide: a fix must satisfy them too."""
        for other in self.findings:
            rule = self.rules[other.rule]
            fields = {name for candidate in rule.fixes for name in candidate.fields}
            if other.level is Level.FAIL and fields & proposal.fields:
                yield other.rule


def _start(edit: Edit) -> Any:
    return edit.span
