# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes: candidates are tried on the text, and only those that lint clean are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import islice

from trainlint.errors import UnreadableError
from trainlint.job import Job, Problem
from trainlint.judge.finding import Finding, Fix, Level
from trainlint.judge.ignores import UNUSED
from trainlint.judge.pairs import pairs
from trainlint.judge.proof import proven, written_values
from trainlint.judge.proposal import Proposal, both, from_problems, from_rule, meant_for
from trainlint.judge.relint import Glance, Quick, Relinted, Trying
from trainlint.judge.rule import Rule
from trainlint.judge.safe import is_safe
from trainlint.judge.saving import MEMORY, saving, workload_of
from trainlint.judge.scope import Scope
from trainlint.judge.search import TRACED_TRIES, calmest, nearest
from trainlint.judge.template import show
from trainlint.judge.together import said_of, together
from trainlint.judge.uncounted import terms_of
from trainlint.lean import dataclass
from trainlint.read.document import Document, Path
from trainlint.read.edit import Edit, apply_edits
from trainlint.spec import SHAPES_MEMORY

TRIES = 24
"""Values that are tried one after the other for one candidate; of more the nearest is sought by halving."""

PAIRS = 6
"""Pairs of edits that are tried where no single one passes, the cheapest first."""

OVER = "vram-budget"
BATCH = frozenset(f"spec.batch.{name}" for name in ("per_gpu", "per_process", "total"))
"""The rule for a step that does not fit, and the fields of which a larger one never fits either."""

CLOSE = ("vram-tight", "vram-fragmentation")
"""What warns of a card that is almost full: an edit that ends there is named, and not offered as a fix."""

UNTRIED = "not every edit was tried: their number is limited for one file, so split it to have more tried"
"""What is said of a finding without a fix once `Tries` are used up."""

TRACES = 24
"""Edits for one job of what shapes the memory, each of which may take a trace: one of a large network takes
4 s (Restormer, measured). One candidate takes at most TRACED_TRIES."""


@dataclass
class Fixer:
    """Finds the fixes of one job's findings; every edited text is linted once, in all readings."""

    job: Job
    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    hidden: tuple[Finding, ...]
    unjudged: Collection[str]
    quick: Quick
    trying: Trying
    _refused: dict[str, str] = field(default_factory=dict)
    _nearly: list[tuple[str, str]] = field(default_factory=list)
    _problems: dict[tuple[str, str], list[Problem]] = field(init=False)
    _seen: dict[str, Relinted | None] = field(default_factory=dict)
    _glances: dict[str, tuple[Proposal, Document | None, Glance | None]] = field(default_factory=dict)
    _made: dict[tuple[Edit, ...], Proposal] = field(default_factory=dict)
    _traced: int = 0
    _untried: bool = False

    def __post_init__(self) -> None:
        self._problems = {}
        for problem in self.job.problems:
            self._problems.setdefault((problem.rule, problem.message), []).append(problem)

    def fixed(self) -> list[Finding]:
        """Return the findings with the fixes that were verified, the cheapest for the run first."""
        chosen = self.findings if self.trying.only is None else self.trying.only
        fixed = []
        for finding in chosen:
            fixed.append(self._with_fixes(finding))
            self.trying.tries.note(fixed[-1])
        return together(fixed, self.rules, self._both)

    def _both(self, first: Finding, second: Finding, one: Fix, other: Fix) -> Fix | None:
        """Return the edits of two findings' fixes as one fix of both, where that passes."""
        proposal = both(self._made[one.edits], self._made[other.edits])
        fix = None if proposal is None else self._tried_at(first, (proposal,), 0)[0]
        if proposal is None or fix is None:
            return None
        result = self._seen[apply_edits(self.job.document.source.text, proposal.edits)]
        rules = [self.rules[finding.rule] for finding in (first, second)]
        after = None if result is None else result.facts
        words = (f"{workload_of(rule)} {saving(rule, self.scope.facts, after)}" for rule in rules)
        summary = said_of(rules, proposal.summary(*words))
        return replace(fix, summary=summary, rules=tuple(rule.name for rule in rules))

    def _with_fixes(self, finding: Finding) -> Finding:
        """Add the first fix of each candidate that passes; of memory's also what two of them come to.

        Fixes that trade one hidden finding for another come only where nothing else passes. A document that
        costs all the checks that it may, as it is or edited, is tried no further.
        """
        self._untried = False
        try:
            return self._tried(finding)
        except UnreadableError:
            return replace(finding, notes=(*finding.notes, *self._tight(finding), UNTRIED))

    def _tried(self, finding: Finding) -> Finding:
        rule = self.rules[finding.rule]
        offered = self._offered(finding, self._candidates(finding))
        if self._untried and not offered:
            return replace(finding, notes=(*finding.notes, *self._tight(finding), UNTRIED))
        decided = finding.level is not Level.FAIL or bool(terms_of(rule, self.scope.facts))
        if offered or MEMORY not in rule.families or decided:  # a term that is open: nothing is sure to fit
            return replace(finding, fixes=offered, notes=(*finding.notes, *self._tight(finding)))
        tried = islice(pairs(self.job, self.scope, rule), PAIRS)
        for proposals in tried:
            fix, _ = nearest(partial(self._tried_at, finding, proposals), len(proposals))
            if fix is not None:
                return replace(finding, fixes=(fix,), notes=(*finding.notes, *self._tight(finding)))
        why = (UNTRIED,) if self._untried else self._no_way(bool(rule.fixes))
        notes = (*finding.notes, *self._tight(finding), *why)
        return replace(finding, notes=notes)

    def _offered(self, finding: Finding, candidates: Iterator[Sequence[Proposal]]) -> tuple[Fix, ...]:
        """Return a fix for every key that one can be had for."""
        offered: dict[str, Fix] = {}
        doubtful: dict[str, Fix] = {}
        keys: set[Path] = set()
        for proposals in candidates:
            if not proposals or keys & proposals[0].values.keys():
                continue
            fix, calm = self._first(finding, self._worth(proposals, offered))
            if fix is not None:
                (offered if calm else doubtful).setdefault(fix.summary, fix)
                keys |= proposals[0].values.keys() if calm else set()
        return tuple(offered.values()) or tuple(doubtful.values())

    def _candidates(self, finding: Finding) -> Iterator[Sequence[Proposal]]:
        rule = self.rules[finding.rule]
        if rule.kind == "problems":
            yield list(from_problems(self.job, self._problems.get((finding.rule, finding.message), ())))
        for candidate in rule.fixes:
            yield from_rule(self.job, self.scope, rule, candidate)

    def _worth(self, proposals: Sequence[Proposal], offered: Collection[str]) -> Sequence[Proposal]:
        """Leave out values that must be traced again where a cheaper fix is known already."""
        if not self._needs_trace(proposals):
            return proposals
        return proposals[: 1 if len(proposals) == 1 else 0] if offered else proposals

    def _tight(self, finding: Finding) -> Iterator[str]:
        """Yield what would fix a finding and leave the card almost full."""
        yield from (
            f"fits with little to spare: {summary}" for rule, summary in self._nearly if rule == finding.rule
        )

    def _no_way(self, tried: bool) -> Iterator[str]:
        """Say that no edit helps, and which card would."""
        card = self.trying.larger() if self.trying.larger is not None else None
        if tried or card:
            said = (
                "no edit that was tried makes it fit, nor do two together"
                if tried
                else "no edit makes it fit"
            )
            yield said + (f"; the smallest card here that holds it as it is: {card}" if card else "")

    def _needs_trace(self, proposals: Sequence[Proposal]) -> bool:
        shaping = {f"spec.{name}" for name in SHAPES_MEMORY}
        return any(name in shaping or name.startswith("doc.") for one in proposals for name in one.fields)

    def _first(self, finding: Finding, proposals: Sequence[Proposal]) -> tuple[Fix | None, bool]:
        """Return the first fix that passes; of many values the nearest that is found in few tries."""
        tried = partial(self._tried_at, finding, proposals)
        tries = TRACED_TRIES if self._needs_trace(proposals) else TRIES
        if len(proposals) > tries:
            return nearest(tried, len(proposals), tries)
        return calmest(map(tried, range(len(proposals))))

    def _tried_at(self, finding: Finding, proposals: Sequence[Proposal], at: int) -> tuple[Fix | None, bool]:
        """Lint the edited text; no fix unless the finding is gone and nothing new came.

        The second says whether what comments hide stayed as it was, or went.
        """
        proposal = proposals[at]
        result = self._linted(finding, proposal, first=at == 0)
        if result is None or any(skip.rule not in self.unjudged for skip in result.skips):
            return None, False
        brought = self._brought(finding, result)
        readings = tuple(
            zip((self.findings, *self.trying.others), (result.findings, *result.others), strict=True)
        )
        if not all(self._is_fixed(finding, before, after, proposal) for before, after in readings):
            for before, after in readings:
                self._note_refusal(finding, proposal, before, after)
            if len(proposals) == 1 and all(
                self._is_fixed(finding, before, [one for one in after if one.rule not in CLOSE], proposal)
                for before, after in readings
            ):
                self._nearly.append((finding.rule, proposal.summary(brought)))
            return None, False
        old, new = (
            Counter((one.rule, one.message) for one in found) for found in (self.hidden, result.hidden)
        )
        nearer = proposals[:at] if proposals[0].value != proposal.value else ()
        summary = proposal.summary(*self._reason(nearer), brought)
        edits = tuple(sorted(proposal.edits, key=lambda edit: edit.span))
        self._made[edits] = proposal
        return Fix(summary, edits, safe=is_safe(proposal.fields), rules=(finding.rule,)), not new - old

    def _reason(self, nearer: Sequence[Proposal]) -> Iterator[str]:
        """Say why the batch is not the nearest one, which the finding may call the largest that fits."""
        sizes = any(name.startswith("spec.batch.") for one in nearer[:1] for name in one.fields)
        if sizes and (why := self._refused.get(nearer[0].change)):
            yield why

    def _brought(self, finding: Finding, result: Relinted) -> str:
        """Say what memory an edit leaves needed, and what it saves."""
        return saving(self.rules[finding.rule], self.scope.facts, result.facts)

    def _linted(self, finding: Finding, proposal: Proposal, *, first: bool) -> Relinted | None:
        """Apply, prove, lint again.

        A proposal that sets none of the fields that fix a rule bound up with it is not worth a try, nor is a
        batch that is known not to fit, but for the first of a candidate: its finding says why.
        """
        document = self.job.document
        if any(not self._fields(rule) & proposal.fields for rule in self._bound_up(finding, proposal)):
            return None
        try:
            text = apply_edits(document.source.text, proposal.edits)
        except ValueError:
            return None
        if not self.trying.tries.take(text):
            self._untried = True
            return None
        edited, found = self._glanced_at(text, proposal)
        if edited is None or found is None or not self._passes_quickly(finding, found.findings, proposal):
            return None
        if not first and self._is_too_much(finding, found.samples, proposal):
            return None
        if text not in self._seen:
            self._seen[text] = self.trying.relint(edited) if self._affords(proposal) else None
        return self._seen[text]

    def _glanced_at(self, text: str, proposal: Proposal) -> tuple[Document | None, Glance | None]:
        """Return an edited text's document if it is as it should be, and what the light rules find in it.

        Several findings often ask for the same edit: it is read once.
        """
        known = self._glances.get(text)
        if known is None or (known[0].values, known[0].gone) != (proposal.values, proposal.gone):
            values = written_values(self.job.dialect)
            edited = proven(self.job.document, text, proposal.values, proposal.gone, values)
            known = proposal, edited, self.quick(edited) if edited is not None else None
            self._glances[text] = known
        return known[1:]

    def _affords(self, proposal: Proposal) -> bool:
        """Count an edit that may take a trace; False where the job has had its share."""
        self._traced += self._needs_trace((proposal,))
        return self._traced <= TRACES or not self._needs_trace((proposal,))

    def _is_too_much(self, finding: Finding, samples: int | None, proposal: Proposal) -> bool:
        """Return whether an edit of the batch leaves more on a GPU than the largest batch that fits."""
        memory = self.scope.facts.memory if self.scope.facts is not None else None
        return (
            memory is not None
            and samples is not None
            and samples > memory.largest_batch
            and not (memory.largest_open or memory.stages)
            and proposal.fields <= BATCH
            and OVER in (finding.rule, *self._bound_up(finding, proposal))
        )

    def _passes_quickly(self, finding: Finding, found: Sequence[Finding], proposal: Proposal) -> bool:
        before = tuple(other for other in self.findings if not self.rules[other.rule].families)
        if self._is_fixed(finding, before, found, proposal):
            return True
        self._note_refusal(finding, proposal, before, found)
        return False

    def _note_refusal(
        self, finding: Finding, proposal: Proposal, before: Sequence[Finding], after: Sequence[Finding]
    ) -> None:
        """Remember what an edit would break, for where the value next to it is the one that is offered."""
        new = Counter(one.rule for one in after) - Counter(one.rule for one in before)
        bound = {*self._bound_up(finding, proposal)}
        value = show(proposal.value)
        for one in after:
            if one.rule == finding.rule and MEMORY in self.rules[one.rule].families:
                self._refused.setdefault(proposal.change, f"{value} is not enough")
            elif one.rule in bound or one.rule in new:
                why = f"{value} would be tight" if one.rule in CLOSE else f"not {value}: {one.message}"
                self._refused.setdefault(proposal.change, why)

    def _is_fixed(
        self, finding: Finding, before: Sequence[Finding], after: Sequence[Finding], proposal: Proposal
    ) -> bool:
        """Return whether a finding (if it was there) and those bound up with it are gone, and nothing came.

        A comment that the fix makes needless is no harm: what it hid is fixed too.
        """
        old, new = Counter(other.rule for other in before), Counter(other.rule for other in after)
        if 0 < old[finding.rule] <= new[finding.rule]:
            return False
        del new[UNUSED]
        return not new - old and not any(new[rule] for rule in self._bound_up(finding, proposal))

    def _bound_up(self, finding: Finding, proposal: Proposal) -> Iterator[str]:
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
