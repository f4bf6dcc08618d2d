# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes: candidates are tried on the text, and only those that lint clean are offered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Final

from msgspec.structs import replace

from trainlint.dialects.extract.base_model import DENOISE
from trainlint.errors import UnreadableError
from trainlint.judge.fixes.attempts import Attempts, Case
from trainlint.judge.fixes.edit_sets import EditSets
from trainlint.judge.fixes.edited_texts import is_language, needs_trace
from trainlint.judge.fixes.effects import MEMORY, saving, workload_of
from trainlint.judge.fixes.proposal import (
    Proposal,
    candidates_of,
    combined,
    from_problems,
    from_rule,
    remarked,
)
from trainlint.judge.fixes.search import TRACED_TRIES, Attempt, calmest, nearest, said_of, together
from trainlint.judge.fixes.tries import Screening, Trying
from trainlint.judge.problem_findings import network_problems
from trainlint.judge.rule import Rule
from trainlint.judge.uncounted_terms import terms_of
from trainlint.model.document import Path
from trainlint.model.finding import (
    NO_EDIT,
    NOT_ENOUGH,
    REFUSED,
    UNKNOWN_SETS,
    UNTRIED,
    Finding,
    Fix,
    Level,
)
from trainlint.model.job import Problem

CUTTING_FIELD: Final = "spec.sequence.length"
"""What an edit that cuts samples sets: several others together go before it."""

ONLY_WARNED: Final = ("unproven", "model.assumed")
"""Fields that make a warning of what would be a fail (rules/vram-budget.yaml): it is fixed as one is."""
MOST_VALUES = 24
"""Values that are tried one after the other for one candidate; of more the nearest is sought by halving."""

UNTRACED = (
    "not every edit was tried: to trace this network takes too long to try many; trainlint fit finds the "
    "largest batch, and an edited copy of the file can be linted by itself"
)
"""The same where what may be traced for them is used up."""
FEWER: Final = "fewer may be enough: not all sets were judged"


class Fixer:
    """Finds the fixes of one case's findings."""

    def __init__(self, case: Case, screening: Screening, trying: Trying) -> None:
        self.case = case
        self.screening = screening
        self.trying = trying
        self._attempts = Attempts(case, screening, trying)
        self._problems: dict[tuple[str, str], list[Problem]] = {}
        for problem in (*case.job.problems, *network_problems(case.job)):
            self._problems.setdefault((problem.rule, problem.message), []).append(problem)

    def fixed(self) -> list[Finding]:
        """Return the findings with the fixes that were verified, the cheapest for the run first."""
        chosen = self.case.findings if self.trying.only is None else self.trying.only
        return together([*map(self._with_fixes, chosen)], self.case.rules, self._combined)

    def _combined(self, first: Finding, second: Finding, first_fix: Fix, second_fix: Fix) -> Fix | None:
        """Return the edits of two findings' fixes as one fix of both, where that passes."""
        proposal = combined(self._attempts.made[first_fix.edits], self._attempts.made[second_fix.edits])
        fix = None if proposal is None else self._attempts.at(first, (proposal,), 0).fix
        if proposal is None or fix is None:
            return None
        result = self._attempts.known(proposal)
        rules = [self.case.rules[finding.rule] for finding in (first, second)]
        after = None if result is None else result.facts
        words = (f"{workload_of(rule)} {saving(rule, self.case.scope.facts, after)}" for rule in rules)
        summary = said_of(rules, proposal.summary(*words))
        return replace(fix, summary=summary, rules=tuple(rule.name for rule in rules))

    def _with_fixes(self, finding: Finding) -> Finding:
        """Add the first fix of each candidate that passes; of memory's also what several of them come to.

        Fixes that trade one hidden finding for another come only where nothing else passes. A document that
        costs all the checks that it may, as it is or edited, is tried no further.
        """
        self._attempts.untried = False
        try:
            return self._tried(finding)
        except UnreadableError:
            return replace(finding, notes=(*finding.notes, UNTRIED))

    def _tried(self, finding: Finding) -> Finding:
        rule = self.case.rules[finding.rule]
        sure = finding.level is Level.FAIL or any(self.case.job.spec.get(name) for name in ONLY_WARNED)
        decided = not sure or bool(terms_of(rule, self.case.scope.facts)) or MEMORY not in rule.families
        offered: tuple[Fix, ...] = ()
        why: tuple[str, ...] = ()
        together: tuple[str, ...] = ()
        if decided or not self._is_costly():
            offered = self._offered(finding, self._candidates(finding, cutting=False))
            why = self._untried()
        if not offered and (is_language(self.case.job.spec) if decided else not why):
            offered, together = self._of_several(finding, rule)
            offered = offered or self._offered(finding, self._candidates(finding, cutting=True))
            why = self._untried() or (() if offered or decided else self._no_way(bool(rule.fixes)))
        refusals = self._attempts.refusals
        with self.trying.tries.traced.none() if offered else nullcontext():
            tight = tuple(self._attempts.tight(finding))
        notes = (*together, *finding.notes, *tight, *refusals.short(finding), *(() if offered else why))
        return replace(finding, fixes=offered, notes=notes)

    def _is_costly(self) -> bool:
        """Say whether each edit takes a trace of half a minute, so that sets are tried and no single ones."""
        return bool(self.case.job.spec.get("objective") == DENOISE)

    def _untried(self) -> tuple[str, ...]:
        """Say that some edit was not tried; () where all were."""
        if not self._attempts.untried:
            return ()
        return (UNTRACED if self.trying.tries.traced.used_up else UNTRIED,)

    def _of_several(self, finding: Finding, rule: Rule) -> tuple[tuple[Fix, ...], tuple[str, ...]]:
        """Return the fix that candidates make together; without one, what all of them at once leave."""
        attempts = self._attempts
        sets = EditSets.of(
            candidates_of(self.case.job, self.case.scope, rule), partial(attempts.passes_light, finding)
        )
        attempts.unjudged = ""
        fix = sets.smallest(partial(attempts.at, finding)).fix
        if fix is not None:
            unsure = f"{FEWER}, {attempts.unjudged}" if attempts.unjudged else ""
            return (replace(fix, summary=remarked(fix.summary, unsure)) if unsure else fix,), ()
        whole = sets.whole()
        if whole is None:
            return (), ()
        left = attempts.left_by(finding, whole)
        short = [f"{NOT_ENOUGH} ({left}): {whole.change}"] if left else []
        short += [f"{UNKNOWN_SETS}: {attempts.unjudged}"] if attempts.unjudged and not left else []
        return (), (*short, *(f"{REFUSED} {message}" for message in attempts.broken))

    def _offered(self, finding: Finding, candidates: Iterator[Sequence[Proposal]]) -> tuple[Fix, ...]:
        """Return a fix for every key that one can be had for."""
        offered: dict[str, Fix] = {}
        doubtful: dict[str, Fix] = {}
        keys: set[Path] = set()
        for proposals in candidates:
            if not proposals or keys & proposals[0].values.keys():
                continue
            with self._room(proposals, offered):
                fix, calm, _ = self._first(finding, self._worth(proposals, offered))
            if fix is not None:
                (offered if calm else doubtful).setdefault(fix.summary, fix)
                keys |= proposals[0].values.keys() if calm else set()
        return tuple(sorted((offered or doubtful).values(), key=lambda fix: bool(fix.unknown)))

    def _candidates(self, finding: Finding, *, cutting: bool) -> Iterator[Sequence[Proposal]]:
        """Yield each candidate's proposals; those that cut a language model's samples only if `cutting`."""
        rule = self.case.rules[finding.rule]
        if rule.kind == "problems":
            yield list(from_problems(self.case.job, self._problems.get((finding.rule, finding.message), ())))
        spared = not cutting and is_language(self.case.job.spec)
        for candidate in rule.fixes:
            if spared and candidate.field == CUTTING_FIELD:
                continue
            yield from_rule(self.case.job, self.case.scope, rule, candidate)

    def _worth(self, proposals: Sequence[Proposal], offered: Collection[str]) -> Sequence[Proposal]:
        """Leave out values that must be traced again where a cheaper fix is known already."""
        if not needs_trace(proposals, self.case.job.spec):
            return proposals
        return proposals[: 1 if len(proposals) == 1 else 0] if offered else proposals

    def _room(self, proposals: Sequence[Proposal], offered: Collection[str]) -> AbstractContextManager[None]:
        """Trace no language model's step for one fix more, which may take a minute."""
        spec = self.case.job.spec
        costly = offered and is_language(spec) and needs_trace(proposals, spec)
        return self.trying.tries.traced.none() if costly else nullcontext()

    def _no_way(self, tried: bool) -> tuple[str, ...]:
        """Say that no edit helps, and which card would."""
        card = self.trying.larger() if self.trying.larger is not None else None
        if not (tried or card):
            return ()
        message = f"{NO_EDIT}, nor do several" if tried else "no edit makes it fit"
        return (message + (f"; the smallest card here that holds it as it is: {card}" if card else ""),)

    def _first(self, finding: Finding, proposals: Sequence[Proposal]) -> Attempt:
        """Return the first fix that passes, or the nearest of many values, and why not the value before."""
        tried = partial(self._attempts.at, finding, proposals)
        traced = needs_trace(proposals, self.case.job.spec)
        tries = TRACED_TRIES if traced else MOST_VALUES
        if len(proposals) > tries:
            need = partial(self._attempts.need, proposals) if traced else None
            best = nearest(tried, len(proposals), tries, need)
        else:
            best = calmest(map(tried, range(len(proposals))))
        if best.fix is None or not best.place:
            return best
        why = self._attempts.refusals.reason(proposals[best.place - 1])
        summary = remarked(best.fix.summary, why) if why else best.fix.summary
        return best._replace(fix=replace(best.fix, summary=summary, nearer=why))
