"""Fixes: candidates are tried on the text, and only those that lint clean are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from trainlint.job import Job
from trainlint.judge.edit import apply_edits
from trainlint.judge.finding import Finding, Fix, Level, Skip
from trainlint.judge.ignores import UNUSED
from trainlint.judge.proof import proven
from trainlint.judge.proposal import Proposal, from_problem, from_rule
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope
from trainlint.read.document import Document
from trainlint.spec import SHAPES_MEMORY

TRIES = 24
"""Values that are tried for one candidate; the nearest one that passes is mostly among them."""

TRACED_TRIES = 10
"""The same where every value changes what is traced (a crop): a trace takes about a second, though from the
third crop on it is mostly worked out (estimate/crop_source.py). Of more values not every one is tried."""

BUDGET = 60
"""Edited texts that are estimated and linted for one job in all, so that many findings stay quick."""


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


Relint = Callable[[str], Relinted | None]
"""Judge an edited text of the same job on the same target, without fixes; None where it is no job now."""


Quick = Callable[[Document], tuple[Finding, ...] | None]
"""Judge an edited document by the rules that need no estimate; None where it is no job any more."""


@dataclass
class Mender:
    """Finds the fixes of one job's findings; every edited text is linted once."""

    job: Job
    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    hidden: tuple[Finding, ...]
    unjudged: frozenset[str]
    quick: Quick
    relint: Relint
    _seen: dict[str, Relinted | None] = field(default_factory=dict)

    def mended(self) -> list[Finding]:
        """Return the findings with the fixes that were verified, the cheapest for the run first."""
        return [replace(finding, fixes=self._fixes(finding)) for finding in self.findings]

    def _fixes(self, finding: Finding) -> tuple[Fix, ...]:
        """Return the first fix of each candidate that passes.

        Those that trade one hidden finding for another come only where nothing else passes.
        """
        offered: dict[str, Fix] = {}
        doubtful: dict[str, Fix] = {}
        for proposals in self._candidates(finding):
            fix, calm = self._first(finding, self._worth(proposals, offered))
            if fix is not None:
                (offered if calm else doubtful).setdefault(fix.summary, fix)
        return tuple(offered.values()) or tuple(doubtful.values())

    def _candidates(self, finding: Finding) -> Iterator[Sequence[Proposal]]:
        rule = self.rules[finding.rule]
        if rule.kind == "problems":
            yield list(from_problem(self.job, finding))
        for candidate in rule.fixes:
            yield from_rule(self.job, self.scope, rule, candidate)

    def _worth(self, proposals: Sequence[Proposal], offered: Collection[str]) -> Sequence[Proposal]:
        """Leave out values that must be traced anew where a cheaper fix is known already."""
        if not self._needs_trace(proposals):
            return proposals[:TRIES]
        return proposals[: 1 if len(proposals) == 1 else 0] if offered else proposals

    def _needs_trace(self, proposals: Sequence[Proposal]) -> bool:
        shaping = {f"spec.{name}" for name in SHAPES_MEMORY}
        return any(name in shaping or name.startswith("doc.") for one in proposals for name in one.fields)

    def _first(self, finding: Finding, proposals: Sequence[Proposal]) -> tuple[Fix | None, bool]:
        """Return the first fix that passes; of many that need a trace the nearest found in few tries."""
        if self._needs_trace(proposals) and len(proposals) > TRACED_TRIES:
            return _nearest(lambda at: self._tried(finding, proposals[at]), len(proposals))
        return _calmest(self._tried(finding, one) for one in proposals)

    def _tried(self, finding: Finding, proposal: Proposal) -> tuple[Fix | None, bool]:
        """Lint the edited text; no fix unless the finding is gone and nothing new came.

        The second tells whether what comments hide stayed as it was, or went.
        """
        result = self._linted(finding, proposal)
        if result is None or any(skip.rule not in self.unjudged for skip in result.skips):
            return None, False
        if not self._mended(finding, self.findings, result.findings):
            return None, False
        old, new = (
            Counter((one.rule, one.message) for one in found) for found in (self.hidden, result.hidden)
        )
        return Fix(proposal.summary, tuple(sorted(proposal.edits, key=lambda edit: edit.span))), not new - old

    def _linted(self, finding: Finding, proposal: Proposal) -> Relinted | None:
        """Apply, prove, lint again.

        A proposal that sets none of the fields that mend a rule bound up with it is not worth a try.
        """
        document = self.job.document
        if any(not self._fields(rule) & proposal.fields for rule in self._bound_up(finding)):
            return None
        try:
            text = apply_edits(document.source.text, proposal.edits)
        except ValueError:
            return None
        edited = proven(document, text, proposal.values, proposal.gone)
        if edited is None or not self._passes_quickly(finding, edited):
            return None
        if text not in self._seen:
            self._seen[text] = self.relint(text) if len(self._seen) < BUDGET else None
        return self._seen[text]

    def _passes_quickly(self, finding: Finding, edited: Document) -> bool:
        found = self.quick(edited)
        if found is None:
            return False
        before = tuple(other for other in self.findings if not self.rules[other.rule].families)
        return self._mended(finding, before, found)

    def _mended(self, finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
        """Tell whether a finding (if it was there) and those bound up with it are gone, and nothing came.

        A comment that the fix makes needless is no harm: what it hid is mended too.
        """
        old, new = Counter(other.rule for other in before), Counter(other.rule for other in after)
        if 0 < old[finding.rule] <= new[finding.rule]:
            return False
        del new[UNUSED]
        return not new - old and not any(new[rule] for rule in self._bound_up(finding))

    def _bound_up(self, finding: Finding) -> Iterator[str]:
        """Yield the failing rules that are mended by the same fields: one fix must satisfy them all."""
        mine = self._fields(finding.rule)
        for other in self.findings:
            if other.level is Level.FAIL and mine & self._fields(other.rule):
                yield other.rule

    def _fields(self, rule: str) -> set[str]:
        fixes = self.rules[rule].fixes if rule in self.rules else ()
        return {name for candidate in fixes for name in candidate.fields}


def _calmest(tried: Iterable[tuple[Fix | None, bool]]) -> tuple[Fix | None, bool]:
    """Return the first fix that leaves hidden findings alone, else the first fix at all."""
    first: Fix | None = None
    for fix, calm in tried:
        if fix is not None and calm:
            return fix, True
        first = first or fix
    return first, False


def _nearest(tried: Callable[[int], tuple[Fix | None, bool]], count: int) -> tuple[Fix | None, bool]:
    """Return the nearest fix found among `count` values, of which all are expected to pass from one on.

    The distance doubles until one passes; then the gap before it is halved.
    """
    found: tuple[Fix | None, bool] = None, False
    failed, passed = -1, count
    for _ in range(TRACED_TRIES):
        if passed - failed <= 1:
            break
        at = min(max(0, 2 * failed + 1), count - 1) if passed == count else (failed + passed) // 2
        fix, calm = tried(at)
        if fix is not None and calm:
            found, passed = (fix, calm), at
        else:
            failed = at
            found = found if found[0] is not None else (fix, calm)
    return found
