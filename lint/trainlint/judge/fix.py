# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes: candidates are tried on the text, and only those that lint clean are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from msgspec.structs import replace

from trainlint.errors import UnreadableError
from trainlint.job import Job, Problem
from trainlint.judge.edited import EditedTexts, needs_trace
from trainlint.judge.finding import Finding, Fix, Level
from trainlint.judge.goal import Goal
from trainlint.judge.pairs import pairs
from trainlint.judge.proposal import Proposal, both, from_problems, from_rule
from trainlint.judge.refusals import CLOSE, Refusals
from trainlint.judge.relint import Quick, Relinted, Trying
from trainlint.judge.rule import Rule
from trainlint.judge.safe import is_safe
from trainlint.judge.saving import MEMORY, saving, workload_of
from trainlint.judge.scope import Scope
from trainlint.judge.search import TRACED_TRIES, calmest, nearest
from trainlint.judge.together import said_of, together
from trainlint.judge.uncounted import terms_of
from trainlint.read.document import Path
from trainlint.read.edit import Edit

TRIES = 24
"""Values that are tried one after the other for one candidate; of more the nearest is sought by halving."""

PAIRS = 6
"""Pairs of edits that are tried where no single one passes, the cheapest first."""

OVER = "vram-budget"
BATCH = frozenset(f"spec.batch.{name}" for name in ("per_gpu", "per_process", "total"))
"""The rule for a step that does not fit, and the fields of which a larger one never fits either."""

UNTRIED = "not every edit was tried: their number is limited for one file, so split it to have more tried"
"""What is said of a finding without a fix once `Tries` are used up."""


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
    refuses: Callable[[Proposal], bool]
    _goal: Goal = field(init=False)
    _refusals: Refusals = field(init=False)
    _edited: EditedTexts = field(init=False)
    _problems: dict[tuple[str, str], list[Problem]] = field(init=False)
    _made: dict[tuple[Edit, ...], Proposal] = field(default_factory=dict)
    _untried: bool = False

    def __post_init__(self) -> None:
        self._goal = Goal(self.scope, self.rules, self.findings)
        self._refusals = Refusals(self._goal)
        self._edited = EditedTexts(self.job, self.quick, self.trying)
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
        result = self._edited.known(proposal)
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
            return replace(finding, notes=(*finding.notes, *self._refusals.tight(finding), UNTRIED))

    def _tried(self, finding: Finding) -> Finding:
        rule = self.rules[finding.rule]
        offered = self._offered(finding, self._candidates(finding))
        if self._untried and not offered:
            return replace(finding, notes=(*finding.notes, *self._refusals.tight(finding), UNTRIED))
        decided = finding.level is not Level.FAIL or bool(terms_of(rule, self.scope.facts))
        if offered or MEMORY not in rule.families or decided:  # a term that is open: nothing is sure to fit
            return replace(finding, fixes=offered, notes=(*finding.notes, *self._refusals.tight(finding)))
        tried = islice(pairs(self.job, self.scope, rule), PAIRS)
        for proposals in tried:
            fix, _ = nearest(partial(self._tried_at, finding, proposals), len(proposals))
            if fix is not None:
                return replace(finding, fixes=(fix,), notes=(*finding.notes, *self._refusals.tight(finding)))
        why = (UNTRIED,) if self._untried else self._no_way(bool(rule.fixes))
        notes = (*finding.notes, *self._refusals.tight(finding), *why)
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
        if not needs_trace(proposals):
            return proposals
        return proposals[: 1 if len(proposals) == 1 else 0] if offered else proposals

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

    def _first(self, finding: Finding, proposals: Sequence[Proposal]) -> tuple[Fix | None, bool]:
        """Return the first fix that passes; of many values the nearest that is found in few tries."""
        tried = partial(self._tried_at, finding, proposals)
        tries = TRACED_TRIES if needs_trace(proposals) else TRIES
        if len(proposals) > tries:
            return nearest(tried, len(proposals), tries)
        return calmest(map(tried, range(len(proposals))))

    def _tried_at(self, finding: Finding, proposals: Sequence[Proposal], at: int) -> tuple[Fix | None, bool]:
        """Lint the edited text; no fix unless the finding is gone and nothing new came.

        The second says whether what comments hide stayed as it was, or went.
        """
        proposal = proposals[at]
        result = self._linted(finding, proposal, first=at == 0)
        if result is None or self._exceeds(finding, proposal, result, first=at == 0):
            return None, False
        if any(skip.rule not in self.unjudged for skip in result.skips):
            return None, False
        if not self._is_fixed(finding, proposal, result):
            self._note_refused(finding, proposal, result)
            if len(proposals) == 1 and self._is_fixed(finding, proposal, result, but=CLOSE):
                brought = self._brought(finding, result)
                self._refusals.note_nearly(finding, proposal.summary(brought))
            return None, False
        old, new = (
            Counter((one.rule, one.message) for one in found) for found in (self.hidden, result.hidden)
        )
        nearer = proposals[:at] if proposals[0].value != proposal.value else ()
        summary = proposal.summary(*self._refusals.reason(nearer), self._brought(finding, result))
        edits = tuple(sorted(proposal.edits, key=lambda edit: edit.span))
        self._made[edits] = proposal
        return Fix(summary, edits, safe=is_safe(proposal.fields), rules=(finding.rule,)), not new - old

    def _exceeds(self, finding: Finding, proposal: Proposal, result: Relinted, *, first: bool) -> bool:
        """Return whether an edit is sure to leave the finding that training does not fit.

        The first batch of a candidate is judged wholly all the same: its finding says why it was refused.
        """
        asked = OVER in (finding.rule, *self._goal.bound_up(finding, proposal))
        return asked and not (first and proposal.fields & BATCH) and result.exceeds

    def _is_fixed(
        self, finding: Finding, proposal: Proposal, result: Relinted, but: Collection[str] = ()
    ) -> bool:
        """Return whether an edit has fixed a finding in every reading; findings of the rules `but` aside.

        The first reading that refuses it by itself decides, so that most others need not be judged.
        """
        return all(
            self._goal.is_fixed(finding, before, [one for one in after if one.rule not in but], proposal)
            for found in (result.each, result.settled)
            for before, after in zip((self.findings, *self.trying.others), found(), strict=True)
        )

    def _note_refused(self, finding: Finding, proposal: Proposal, result: Relinted) -> None:
        """Note why an edit was refused: the first reading that says so decides."""
        for found in (result.each, result.settled):
            for before, after in zip((self.findings, *self.trying.others), found(), strict=True):
                if self._refusals.note(finding, proposal, before, after):
                    return

    def _brought(self, finding: Finding, result: Relinted) -> str:
        """Say what memory an edit leaves needed, and what it saves."""
        return saving(self.rules[finding.rule], self.scope.facts, result.facts)

    def _linted(self, finding: Finding, proposal: Proposal, *, first: bool) -> Relinted | None:
        """Apply, prove, lint again.

        A proposal that sets none of the fields that fix a rule bound up with it is not worth a try, nor is
        one that adds an argument which its network refuses, or a batch that is known not to fit, but for the
        first of a candidate: its finding says why.
        """
        if self._goal.is_missed(finding, proposal) or self.refuses(proposal):
            return None
        try:
            text = self._edited.text_of(proposal)
        except ValueError:
            return None
        if not self.trying.tries.take(text):
            self._untried = True
            return None
        edited, found = self._edited.glanced(text, proposal)
        if edited is None or found is None or not self._passes_quickly(finding, found.findings, proposal):
            return None
        if not first and self._is_too_much(finding, found.samples, proposal):
            return None
        return self._edited.relinted(text, edited, proposal)

    def _is_too_much(self, finding: Finding, samples: int | None, proposal: Proposal) -> bool:
        """Return whether an edit of the batch leaves more on a GPU than the largest batch that fits."""
        memory = self.scope.facts.memory if self.scope.facts is not None else None
        return (
            memory is not None
            and samples is not None
            and samples > memory.largest_batch
            and not (memory.largest_open or memory.stages)
            and proposal.fields <= BATCH
            and OVER in (finding.rule, *self._goal.bound_up(finding, proposal))
        )

    def _passes_quickly(self, finding: Finding, found: Sequence[Finding], proposal: Proposal) -> bool:
        before = tuple(other for other in self.findings if not self.rules[other.rule].families)
        if self._goal.is_fixed(finding, before, found, proposal):
            return True
        self._refusals.note(finding, proposal, before, found)
        return False
