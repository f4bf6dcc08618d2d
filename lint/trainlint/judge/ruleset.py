# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rules of a run: loaded once, judged on every job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from trainlint.errors import RuleError
from trainlint.estimate.facts import Facts
from trainlint.estimate.placement import Placing
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.evaluate import evaluate
from trainlint.judge.finding import Finding, Level, Skip
from trainlint.judge.fix import Mender
from trainlint.judge.ignores import UNUSED, Ignore, ignores_in, unused
from trainlint.judge.pointer import pointed
from trainlint.judge.problems import UNSOUND, network_problems, problem_finding, refused_problems, rule_for
from trainlint.judge.relint import Glance, Trying
from trainlint.judge.rule import Rule
from trainlint.judge.rule_file import load_rule
from trainlint.judge.scope import Scope, scope_of
from trainlint.judge.verdicts import Judged, Verdict, verdicts
from trainlint.normalise import Dialect, load_dialects, normalise
from trainlint.read.document import Document
from trainlint.resources import resource
from trainlint.shipped import checked_once

Found = tuple[tuple[Finding, ...], tuple[Skip, ...]]
"""What is wrong with a job, and which rules could not be judged."""


@dataclass(frozen=True)
class RuleSet:
    """Rules by name; `off` are those the user does not want judged."""

    rules: Mapping[str, Rule]
    off: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def decides(self, name: str) -> bool:
        """Return whether a job is half judged without this rule; a name that is no rule's always decides."""
        rule = self.rules.get(name)
        return rule is None or (rule.level is Level.FAIL and not rule.optional)

    def verdicts(self, result: Judged) -> dict[str, Verdict]:
        """Return what was judged of a result, by family of facts."""
        on = {rule.name: rule for rule in self._on()}
        return verdicts(on, result)

    def of_readings(self) -> Rule | None:
        """Return the rule of a job's readings together; None where it is off."""
        return next((rule for rule in self._on() if rule.kind == "readings"), None)

    def judge(self, job: Job, target: Target | None = None, facts: Facts | None = None) -> Found:
        """Return what is wrong with a placed job, and the skips.

        `target` None: rules that need a machine are skipped. Sorted by place in the file, then by rule.
        Raises RuleError where a rule cannot be evaluated.
        """
        _, found, skips = self._found(job, target, facts)
        return tuple(self._heeding_ignores(job.document, found)[0]), tuple(skips)

    def mended(self, job: Job, facts: Facts | None, verdict: Found, trying: Trying) -> tuple[Finding, ...]:
        """Return a verdict's findings with the fixes that pass in every reading of the job."""
        findings, skips = verdict
        target = job.placing.target if job.placing is not None else None
        mender = Mender(
            job,
            scope_of(job, target, facts),
            self.rules,
            findings,
            self.hidden(job, target, facts),
            frozenset(skip.rule for skip in skips),
            partial(self._quick, job, target),
            trying,
        )
        return tuple(mender.mended())

    def hidden(
        self, job: Job, target: Target | None = None, facts: Facts | None = None
    ) -> tuple[Finding, ...]:
        """Return what is wrong with a job and hidden by its comments: no fix may make that worse unsaid."""
        if not ignores_in(job.document):
            return ()
        return tuple(self._heeding_ignores(job.document, self._found(job, target, facts)[1])[1])

    def _found(
        self, job: Job, target: Target | None, facts: Facts | None
    ) -> tuple[Scope, list[Finding], list[Skip]]:
        """Judge by every rule, whatever the comments say."""
        problems = (*job.problems, *network_problems(job))
        problems += tuple(refused_problems(job, facts, problems))
        unsound = any(problem.rule in UNSOUND for problem in problems)
        scope = replace(scope_of(job, target, facts), unsound=unsound)
        found = [
            problem_finding(rule_for(self.rules, problem), job, problem)
            for problem in problems
            if problem.rule not in self.off
        ]
        skips: list[Skip] = []
        for rule in self._on():
            match evaluate(rule, scope):
                case Finding() as finding:
                    found.append(finding)
                case Skip() as skip:
                    skips.append(skip)
        return scope, pointed(job.document, found), skips

    def _quick(self, job: Job, target: Target | None, edited: Document) -> Glance | None:
        """Judge an edited document by the rules that read no facts."""
        heavy = {rule.name for rule in self if rule.families}
        placing = job.placing or Placing(target)
        for other in normalise(edited, job.dialect, job.trainer, job.start):
            if other.variant == job.variant:
                placed = placing.of(other)
                findings, _ = replace(self, off=self.off | heavy).judge(placed, target)
                return Glance(findings, placed.spec.get("batch.per_replica"))
        return None

    def _on(self) -> Iterator[Rule]:
        return (rule for rule in self if rule.name not in self.off)

    def _heeding_ignores(
        self, document: Document, found: Sequence[Finding]
    ) -> tuple[list[Finding], list[Finding]]:
        """Return what no comment hides, with the comments that hide nothing, by place; and what one hides."""
        ignores = ignores_in(document)
        hidden = [(one, finding) for finding in found for one in ignores if one.hides(finding, document)]
        kept = [finding for finding in found if all(finding is not other for _, other in hidden)]
        kept += self._unused(ignores, [(one, finding.rule) for one, finding in hidden])
        covered = [finding for finding in found if any(finding is other for _, other in hidden)]
        return sorted(kept, key=lambda finding: (finding.spans[0], finding.rule)), covered

    def _unused(self, ignores: Sequence[Ignore], hidden: Sequence[tuple[Ignore, str]]) -> Iterator[Finding]:
        rule = self.rules.get(UNUSED)
        if rule is not None and rule.name not in self.off:
            for ignore, message in unused(ignores, hidden, self.rules):
                yield Finding(rule.name, rule.level, message, (ignore.span,))


def load_rules(
    extra: Sequence[Path] = (), off: Sequence[str] = (), dialects: Sequence[Dialect] | None = None
) -> RuleSet:
    """Load the rules that trainlint ships and those of `extra` (files or folders); a later name wins.

    `dialects` are those that a rule may speak of, None: those that trainlint ships. Raises RuleError for a
    rule that is wrong, with its file and line, and for an unknown name in `off`. Shipped rules are checked as
    the user's own are, in a checkout whenever they changed.
    """
    rules: dict[str, Rule] = {}
    with checked_once("rules") as unchecked:
        known = () if dialects is None and not unchecked and not extra else dialects or load_dialects()
        for path in _files(resource("rules")):
            rule = load_rule(path, known, checked=unchecked)
            rules[rule.name] = rule
    for place in extra:
        for path in _files(place):
            rule = load_rule(path, known)
            rules[rule.name] = rule
    for name in off:
        if name not in rules:
            raise RuleError(f'cannot ignore "{name}": there is no such rule')
    return RuleSet(dict(sorted(rules.items())), frozenset(off))


def _files(place: Path) -> Sequence[Path]:
    if not place.exists():
        raise RuleError(f'no rules at "{place}": there is no such file or folder')
    return sorted(place.glob("*.yaml")) if place.is_dir() else (place,)
