# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Attempts: a proposal's text is judged again, and makes a fix where the finding is gone and nothing came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from trainlint.estimate.larger_card import share_with_room
from trainlint.judge.fixes.criterion import NEARLY_FULL_RULES, Criterion, Refusals
from trainlint.judge.fixes.edited_texts import EditedTexts, is_language
from trainlint.judge.fixes.effects import (
    MEMORY,
    fewer_samples,
    is_known,
    is_safe,
    is_shortening,
    samples_cut,
    saving,
    sessions_saved,
    shortens,
    tensors_saved,
    workload_of,
)
from trainlint.judge.fixes.proposal import Proposal
from trainlint.judge.fixes.search import Attempt
from trainlint.judge.fixes.tries import Relinted, Screening, Trying
from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import Scope
from trainlint.model.document import Document
from trainlint.model.finding import Edit, Finding, Fix, Level
from trainlint.model.job import Job
from trainlint.model.spec import TrainSpec

OVER_BUDGET_RULE = "vram-budget"
BATCH_FIELDS = frozenset(f"spec.batch.{name}" for name in ("per_gpu", "per_process", "total"))
"""The rule for a step that does not fit, and the fields of which a larger one never fits either."""


NAMES_RULES = ("misspelt-name", "network-arguments")
"""Rules of names that only a fork may have where they warn: another one is a guess at what was meant."""


def _is_guess(finding: Finding) -> bool:
    return finding.rule in NAMES_RULES and finding.level is Level.WARN


class Case(Struct, frozen=True):
    """One reading of a job with what was found in it.

    `hidden` is what comments hide, `unjudged` names the rules that could not be judged or did not speak.
    """

    job: Job
    scope: Scope
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    hidden: tuple[Finding, ...]
    unjudged: frozenset[str]


class _Screened(Struct, frozen=True):
    """An edited text that is worth judging, and what it trains."""

    text: str
    document: Document
    spec: TrainSpec


class Attempts:
    """Tries proposals for one case; every edited text is judged once, in all readings.

    `made` are the proposals that fixes were made of; `untried`: some were not tried, since the file has had
    its share. `broken`: what edits that were to be made with others would bring, in order. `unjudged`: why
    what one of them needs is not known.
    """

    def __init__(self, case: Case, screening: Screening, trying: Trying) -> None:
        self.case = case
        self.screening = screening
        self.trying = trying
        self.untried = False
        self.made: dict[tuple[Edit, ...], Proposal] = {}
        self.broken: dict[str, None] = {}
        self.unjudged = ""
        self._criterion = Criterion(case.scope, case.rules, case.findings, case.unjudged)
        self.refusals = Refusals(self._criterion)
        self._single: list[tuple[Finding, Proposal, Relinted]] = []
        self._edited = EditedTexts(case.job, screening.quick, trying.relint)

    def at(self, finding: Finding, proposals: Sequence[Proposal], index: int) -> Attempt:
        """Try one of a candidate's proposals: no fix unless the finding is gone and nothing new came."""
        proposal = proposals[index]
        screened = self._screened(finding, proposal, first=index == 0)
        if screened is None:
            return Attempt()
        result = self._edited.relinted(screened.text, screened.document, proposal)
        if result is None or self._exceeds(finding, proposal, result, first=index == 0):
            return Attempt()
        if index and not self._passes_elsewhere(finding, proposal, result):
            return Attempt()
        if lacking := [skip for skip in result.skips if skip.rule not in self.case.unjudged]:
            self.untried |= self.trying.tries.traced.used_up
            self.unjudged = self.unjudged or lacking[0].reason
            return Attempt()
        fixed = self._is_fixed(finding, proposal, result)
        if not fixed:
            self._note_refused(finding, proposal, result)
            self._note_figure(finding, proposal, result)
            self._single += [(finding, proposal, result)] if len(proposals) == 1 else []
        if not fixed or result.unfinished:
            self.untried |= result.unfinished
            return Attempt()
        old, new = (
            Counter((hidden_finding.rule, hidden_finding.message) for hidden_finding in findings)
            for findings in (self.case.hidden, result.hidden)
        )
        summary = proposal.summary(
            self._brought(finding, result),
            sessions_saved(self.case.scope.facts, result.facts),
            fewer_samples(self.case.job.spec, screened.spec),
            samples_cut(self.case.job.looked, self.case.job.spec, screened.spec),
        )
        edits = tuple(sorted(proposal.edits, key=lambda edit: edit.span))
        self.made[edits] = proposal
        unknown = self._unknown(proposal, screened.spec, result)
        safe = is_safe(proposal.fields) and not _is_guess(finding)
        fix = Fix(summary, edits, safe=safe, rules=(finding.rule,), unknown=unknown, effect=proposal.effect)
        return Attempt(fix, not new - old, index)

    def tight(self, finding: Finding) -> Iterator[str]:
        """Yield what would fix a finding and leave the card almost full, of candidates with one value.

        Asked once the fixes are there: it takes every reading, and what may be traced is for those first.
        """
        for refused, proposal, result in self._single:
            nearly = refused is finding and self._is_fixed(finding, proposal, result, but=NEARLY_FULL_RULES)
            if nearly and not result.unfinished:
                yield f"fits with little to spare: {proposal.summary(self._brought(finding, result))}"

    def passes_light(self, finding: Finding, proposal: Proposal) -> bool:
        """Say whether the rules that need no estimate let an edit pass, whatever memory it leaves."""
        try:
            edited, glance = self._edited.glanced(self._edited.text_of(proposal), proposal)
        except ValueError:
            return False
        if self._is_hopeless(finding, proposal) or edited is None or glance is None:
            return False
        shorter = not self.trying.shorter and shortens(self.case.job.spec, glance.spec)
        passes = not shorter and self._passes_quickly(finding, glance.findings, proposal)
        if not (passes or shorter):
            known = {left.rule for left in self.case.findings}
            self.broken |= {left.message: None for left in glance.findings if left.rule not in known}
        return passes

    def left_by(self, finding: Finding, proposal: Proposal) -> str:
        """Say what memory edits leave needed that were tried and are not enough; "" where that is not known.

        It is not where the finding is gone and its rule could not be judged.
        """
        result = self._edited.tried(proposal)
        if result is None:
            return ""
        remains = result.exceeds or any(
            left.rule == finding.rule for _, after in self._readings(result) for left in after
        )
        return self._brought(finding, result) if remains else ""

    def need(self, proposals: Sequence[Proposal], number: int) -> float | None:
        """Return what a value that was tried may need, as a share of the card; None where that is not known.

        They are numbered as `nearest` has them: the last is the present value's.
        """
        facts = self.case.scope.facts
        if number <= len(proposals):
            result = self._edited.tried(proposals[len(proposals) - number])
            facts = None if result is None else result.facts
        return None if facts is None else share_with_room(facts)

    def known(self, proposal: Proposal) -> Relinted | None:
        """Return what was found in a proposal's text, which was tried before."""
        return self._edited.known(proposal)

    def _exceeds(self, finding: Finding, proposal: Proposal, result: Relinted, *, first: bool) -> bool:
        """Return whether an edit is sure to leave the finding that training does not fit.

        The first batch of a candidate is judged wholly all the same: its finding says why it was refused. So
        is what has a figure of its own.
        """
        asked = OVER_BUDGET_RULE in (finding.rule, *self._criterion.bound_up(finding, proposal))
        said = proposal.figure or (first and proposal.fields & BATCH_FIELDS)
        if not asked or said or not result.exceeds:
            return False
        self.refusals.note_too_much(proposal)
        return True

    def _is_fixed(
        self, finding: Finding, proposal: Proposal, result: Relinted, but: Collection[str] = ()
    ) -> bool:
        """Return whether an edit has fixed a finding in every reading; findings of the rules `but` aside.

        The first reading that refuses it by itself decides, so that most others need not be judged.
        """
        return all(
            self._criterion.is_fixed(
                finding, before, [left for left in after if left.rule not in but], proposal
            )
            for before, after in self._readings(result)
        )

    def _note_refused(self, finding: Finding, proposal: Proposal, result: Relinted) -> None:
        """Note why an edit was refused: the first reading that says so decides."""
        for before, after in self._readings(result):
            if self.refusals.note(finding, proposal, before, after):
                return

    def _note_figure(self, finding: Finding, proposal: Proposal, result: Relinted) -> None:
        """Note what an edit saves where that is not enough: advice that is often given has a figure, too."""
        if proposal.figure and MEMORY in self.case.rules[finding.rule].families:
            less = tensors_saved(self.case.scope.facts, result.facts)
            if less is not None:
                self.refusals.note_figure(finding, proposal.change, less)

    def _readings(self, result: Relinted) -> Iterator[tuple[tuple[Finding, ...], tuple[Finding, ...]]]:
        """Yield what each reading had and has: by itself, then held against the others."""
        for judged_again in (result.by_itself, result.settled):
            yield from zip((self.case.findings, *self.trying.others), judged_again(), strict=True)

    def _unknown(self, proposal: Proposal, after: TrainSpec, result: Relinted) -> str:
        """Say why it is unknown what an edit makes: its memory was not judged, which would have shown it."""
        facts = result.facts
        if facts is None or facts.memory is not None or is_known(proposal.fields, self.case.job.spec, after):
            return ""
        return facts.missing.get("memory", "its memory is not judged")

    def _brought(self, finding: Finding, result: Relinted) -> str:
        """Say what memory an edit leaves needed, and what it saves."""
        rule = self.case.rules[finding.rule]
        words = saving(rule, self.case.scope.facts, result.facts)
        return f"validation {words}" if words and workload_of(rule) == "validation" else words

    def _screened(self, finding: Finding, proposal: Proposal, *, first: bool) -> _Screened | None:
        """Apply, prove, and judge by the light rules; None for what is not worth more.

        A proposal that sets none of the fields that fix a rule bound up with it is not worth a try, nor is
        one that adds an argument which its network refuses, one that shortens what is learned, or a batch
        that is known not to fit, but for the first of a candidate: its finding says why.
        """
        if self._is_hopeless(finding, proposal):
            return None
        try:
            text = self._edited.text_of(proposal)
        except ValueError:
            return None
        if not self.trying.tries.take(text):
            self.untried = True
            return None
        edited, glance = self._edited.glanced(text, proposal)
        if edited is None or glance is None or not self._passes_quickly(finding, glance.findings, proposal):
            return None
        shorter = not self.trying.shorter and shortens(self.case.job.spec, glance.spec)
        too_much = not first and self._is_too_much(finding, glance.samples, proposal)
        if shorter or too_much or self._is_outweighed(finding, glance.spec, proposal):
            return None
        return _Screened(text, edited, glance.spec)

    def _is_hopeless(self, finding: Finding, proposal: Proposal) -> bool:
        """Return whether a proposal shows without its text that it is no fix."""
        written = self.case.job.document.value
        shortens_all = not self.trying.shorter and is_shortening(proposal.fields, proposal.values, written)
        return (
            shortens_all or self._criterion.is_missed(finding, proposal) or self.screening.refuses(proposal)
        )

    def _is_too_much(self, finding: Finding, samples: int | None, proposal: Proposal) -> bool:
        """Return whether an edit of the batch leaves more on a GPU than the largest batch that fits."""
        facts = self.case.scope.facts
        memory = facts.memory if facts is not None else None
        return (
            memory is not None
            and samples is not None
            and samples > memory.largest_batch
            and not (memory.largest_open or memory.stages)
            and proposal.fields <= BATCH_FIELDS
            and OVER_BUDGET_RULE in (finding.rule, *self._criterion.bound_up(finding, proposal))
        )

    def _is_outweighed(self, finding: Finding, spec: TrainSpec, proposal: Proposal) -> bool:
        """Return whether a language model's weights alone are larger than the card: nothing is traced.

        Of image models, some of whose blocks may wait on the host, the rule weights-beyond-card says so.
        """
        facts = self.case.scope.facts
        if not is_language(spec):
            return False
        if finding.rule != OVER_BUDGET_RULE or proposal.figure or facts is None or facts.memory is None:
            return False
        weights: int = spec.get("model.weight_bytes", 0)
        return weights > facts.memory.gpus[0].capacity

    def _passes_quickly(self, finding: Finding, after: Sequence[Finding], proposal: Proposal) -> bool:
        before = self._light(self.case.findings)
        if self._criterion.is_fixed(finding, before, after, proposal):
            return True
        self.refusals.note(finding, proposal, before, after)
        return False

    def _passes_elsewhere(self, finding: Finding, proposal: Proposal, result: Relinted) -> bool:
        """Return whether the rules that need no estimate let an edit pass in the job's other readings."""
        for others, after in zip(self.trying.others, result.glances(), strict=True):
            before = self._light(others)
            if not self._criterion.is_fixed(finding, before, after, proposal):
                self.refusals.note(finding, proposal, before, after)
                return False
        return True

    def _light(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the findings of rules that need no estimate."""
        rules = self.case.rules
        return tuple(finding for finding in findings if not rules[finding.rule].families)
