# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every rule that can fail, as a table over a sweep's values: by the axes that it looks at and no others."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.base_model_bytes import certain_bytes
from trainlint.estimate.resources.checkpoint_disk import estimate_disk
from trainlint.estimate.resources.extra_time import extra_of
from trainlint.estimate.resources.run_time import given_time, in_sessions
from trainlint.estimate.several_batches import TRAINING, VALIDATION, Several, Verdict
from trainlint.judge import RuleSet
from trainlint.judge.evaluate import applies, evaluate, level_of
from trainlint.judge.ignores import ignores_in
from trainlint.judge.problem_findings import (
    UNSOUND_VALUE_PROBLEMS,
    problem_finding,
    refused_problems,
    rule_for,
)
from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import scope_of
from trainlint.judge.rule_values import fact_values
from trainlint.judge.uncounted_terms import DISK_TOTAL, may_be_full, reason, terms_of, turning_terms
from trainlint.model.facts import ESTIMATED, GIVEN, Facts, Memory, Time
from trainlint.model.finding import Finding, Level, Skip
from trainlint.model.job import Job
from trainlint.model.spec import SHAPES_MEMORY, TrainSpec
from trainlint.model.target import Target
from trainlint.settings.settings import Settings
from trainlint.sweep.rule_table import Classes, Mark, RuleMarks, classes_by
from trainlint.sweep.step_groups import Group
from trainlint.sweep.step_task import Task
from trainlint.sweep.swept_factors import Factors, Flaw, Indices

MEMORY: Final = {"vram-budget": TRAINING, "vram-validation": VALIDATION}
"""The rules of memory, and what says without a replay that they fail."""
MOST_CELLS: Final = 500_000
"""Combinations of classes at which one rule is evaluated; one that would need more is not judged."""
OF_MODEL: Final = "facts.memory.certain"
"""What the names of facts begin with that follow from a base model alone, without its step."""
MODEL_FIELDS: Final = (
    "model.parameters",
    "model.weight_bytes",
    "objective",
    "zero_stage",
    "uncounted",
    "gpus",
)
"""Fields that they follow from besides those that shape memory."""
_ABSENT: Final = object()
LENGTH: Final = (
    "duration.iterations", "duration.epochs", "data.images", "data.enlarge", "batch.total", "accumulate",
    "resume", "checkpoint.every", "checkpoint.every_epochs", "checkpoint.keep", "validation.every",
    "validation.save_images", "compile", "uncounted", "batch.per_process", "options",
)  # fmt: skip
"""Fields of which a run's length and what it saves are made."""


@dataclass
class Judging:
    """The tables of one target; what is estimated is asked for as tasks first, and given back as results."""

    factors: Factors
    rules: RuleSet
    target: Target
    settings: Settings
    tables: list[RuleMarks] = field(default_factory=list)
    unjudged: dict[str, str] = field(default_factory=dict)
    """Rules that are not judged at all, and why."""

    def __post_init__(self) -> None:
        """Judge by what needs no estimate, and note what has to be estimated."""
        self._ignored = {
            name for ignore in ignores_in(self.factors.jobs[0].document) for name in ignore.rules
        }
        self._groups = [Group(self.factors, reading) for reading in range(len(self.factors.jobs))]
        for reading, job in enumerate(self.factors.jobs):
            self.tables += self._problems(reading, job)
            for rule in self._on():
                if rule.kind == "assert" and (not rule.families or _is_of_model(rule)):
                    self.tables += self._plain(rule, reading, job)

    def _on(self) -> Iterator[Rule]:
        """Yield the rules by which something can fail here."""
        away = self.rules.off | self.rules.lowered | self._ignored
        return (rule for rule in self.rules if rule.level is Level.FAIL and rule.name not in away)

    def _can_fail(self, name: str) -> bool:
        return any(rule.name == name for rule in self._on())

    def tasks(self) -> tuple[Task, ...]:
        """Return what has to be estimated."""
        return tuple(
            Task(spec, self.target, self.settings, tuple(shares), (group.job.pins, group.job.own))
            for group in self._groups
            for spec, shares in group.steps.values()
        )

    @property
    def steps(self) -> int:
        """Distinct steps, in the first reading."""
        return sum(len(shares) for _, shares in self._groups[0].steps.values())

    def finish(self, results: Sequence[Several]) -> None:
        """Judge by what was estimated: `results` are those of the tasks, in their order."""
        given = iter(results)
        for group in self._groups:
            group.results = {key: next(given) for key in group.steps}
            self.tables += self._refused(group)
            for rule in self._on():
                if rule.kind != "assert" or not rule.families or _is_of_model(rule):
                    continue
                if rule.name in MEMORY:
                    self.tables += self._memory(rule, group)
                elif rule.families <= {"time", "disk"}:
                    self.tables += self._run(rule, group)
                elif _concerns(rule, group):
                    self.unjudged[rule.name] = "a sweep does not estimate what it reads"

    def _problems(self, reading: int, job: Job) -> Iterator[RuleMarks]:
        """Yield a table for each problem that fails, by the axes that bring it or take it away."""
        changes = self.factors.changes
        known: dict[Flaw, Any] = dict(self.factors.problems(reading, self.factors.first))
        for changes_of_axis in changes.values():
            for change in changes_of_axis:
                known |= {
                    flaw: problem for flaw, problem in change[reading].problems.items() if problem is not None
                }
        for flaw, problem in known.items():
            finding = problem_finding(rule_for(self.rules.rules, problem), job, problem)
            if finding.level is not Level.FAIL or not self._can_fail(finding.rule):
                continue
            classes = self._classes(
                lambda axis, index, flaw=flaw: _effect(flaw, changes[axis][index][reading].problems)
            )
            marks = {
                key: Mark.FAIL
                for key, chosen in classes
                if flaw in self.factors.problems(reading, classes.whole(self.factors.first, chosen))
            }
            yield RuleMarks(finding.rule, reading, classes, marks)

    def _plain(self, rule: Rule, reading: int, job: Job) -> Iterator[RuleMarks]:
        """Yield the table of a rule that reads no facts, or what a base model alone takes."""
        names = {*rule.requires, *(rule.absent or {})}
        fields = {name.removeprefix("spec.") for name in names if name.startswith("spec.")}
        fields |= {"name"} if "job.name_scale" in names else set()
        of_model = _is_of_model(rule)
        fields |= {*SHAPES_MEMORY, *MODEL_FIELDS} if of_model else set()
        keys = [tuple(name.split(".")[1:]) for name in names if name.startswith("doc.")]
        classes = self._classes(lambda axis, index: self._seen(reading, axis, index, fields, keys))
        if classes.count > MOST_CELLS:
            self.unjudged[rule.name] = f"{classes.count:,} combinations decide it"
            return
        marks: dict[Indices, Mark] = {}
        why: dict[Indices, str] = {}
        for key, chosen in classes:
            whole = classes.whole(self.factors.first, chosen)
            document = self.factors.document(whole) if keys else job.document
            placed = replace(job, spec=self.factors.spec(reading, whole), document=document)
            flawed = any(flaw[0] in UNSOUND_VALUE_PROBLEMS for flaw in self.factors.problems(reading, whole))
            facts = Facts(model=certain_bytes(placed.spec)) if of_model else None
            match evaluate(rule, replace(scope_of(placed, self.target, facts), unsound=flawed)):
                case Finding(level=Level.FAIL):
                    marks[key] = Mark.FAIL
                case Skip() as skip if self.rules.decides(rule.name):
                    marks[key], why[key] = Mark.OPEN, skip.reason
        if marks:
            yield RuleMarks(rule.name, reading, classes, marks, why)

    def _seen(
        self, reading: int, axis: int, index: int, fields: Container[str], keys: Sequence[tuple[str, ...]]
    ) -> str:
        """Return what a rule sees of a value: the parts of these fields, and the value under these keys."""
        parts = self.factors.changes[axis][index][reading].parts
        seen = repr([(path, value) for path, value in parts.items() if str(path[0]) in fields])
        path = self.factors.base.axes[axis].path
        read = any(key[: len(path)] == path or path[: len(key)] == key for key in keys)
        return f"{seen} {self.factors.base.axes[axis].values[index]!r}" if read else seen

    def _refused(self, group: Group) -> Iterator[RuleMarks]:
        """Yield the table of what a network refuses when it is built or run."""
        if not self._can_fail("refused-when-built"):
            return
        marks = {}
        for key, whole in group.cells():
            facts = group.at(key)[0].facts
            job = (
                replace(group.job, spec=self.factors.spec(group.reading, whole))
                if facts.refused
                else group.job
            )
            known = self.factors.problems(group.reading, whole).values() if facts.refused else ()
            if facts.refused and [*refused_problems(job, facts, [*known])]:
                marks[key] = Mark.FAIL
        if marks:
            yield RuleMarks("refused-when-built", group.reading, group.classes, marks)

    def _memory(self, rule: Rule, group: Group) -> Iterator[RuleMarks]:
        """Yield the table of a rule of memory."""
        marks: dict[Indices, Mark] = {}
        why: dict[Indices, str] = {}
        decides = self.rules.decides(rule.name)
        for key, whole in group.cells():
            several, index = group.at(key)
            terms = terms_of(rule, several.facts)
            verdict = several.memory[index]
            if isinstance(verdict, CannotTraceError):
                open_ = verdict.reason
            else:
                above = self._above(rule, group, whole, several, verdict)
                open_ = reason(turning_terms(terms, has_found=above, rule=rule))
                if above and not open_:
                    marks[key] = Mark.FAIL
                    continue
            if open_ and decides:
                marks[key], why[key] = Mark.OPEN, open_
        if marks:
            yield RuleMarks(rule.name, group.reading, group.classes, marks, why)

    def _above(self, rule: Rule, group: Group, whole: Indices, several: Several, verdict: Verdict) -> bool:
        """Return whether a rule of memory fails at one batch: by its live tensors, or by its figures."""
        if verdict != MEMORY[rule.name] and not isinstance(verdict, Memory):
            return False
        job = replace(group.job, spec=self.factors.spec(group.reading, whole))
        if not isinstance(verdict, Memory):
            return rule.when is None or applies(rule, scope_of(job, self.target)) is None
        outcome = evaluate(rule, scope_of(job, self.target, replace(several.facts, memory=verdict)))
        return isinstance(outcome, Finding) and outcome.level is Level.FAIL

    def _run(self, rule: Rule, group: Group) -> Iterator[RuleMarks]:
        """Yield the table of a rule of time or disk."""
        around = scope_of(group.job, self.target).values
        if any(name not in around for name in rule.requires if name.startswith("target.")):
            return
        names = {name.removeprefix("spec.") for name in (*rule.requires, *(rule.absent or {}))} | {*LENGTH}
        classes = self._classes(
            lambda axis, index: (
                group.class_of(axis, index),
                self._seen(group.reading, axis, index, names, ()),
            )
        )
        if classes.count > MOST_CELLS:
            self.unjudged[rule.name] = f"{classes.count:,} combinations decide it"
            return
        marks: dict[Indices, Mark] = {}
        why: dict[Indices, str] = {}
        for key, chosen in classes:
            whole = classes.whole(self.factors.first, chosen)
            spec = self.factors.spec(group.reading, whole)
            facts = self._facts(rule, spec, *group.at(group.classes.key(whole)))
            unknown = facts if isinstance(facts, str) else None
            if not isinstance(facts, str):
                if _fails(rule, around, spec, fact_values(facts)):
                    marks[key] = Mark.FAIL
                    continue
                unknown = may_be_full(facts.disk, self.target.disk) if DISK_TOTAL in rule.requires else None
            if unknown and self.rules.decides(rule.name):
                marks[key], why[key] = Mark.OPEN, unknown
        if marks:
            yield RuleMarks(rule.name, group.reading, classes, marks, why)

    def _facts(self, rule: Rule, spec: TrainSpec, several: Several, index: int) -> Facts | str:
        """Return the facts that a rule of time or disk reads, or why they are not known."""
        time = disk = None
        try:
            if "time" in rule.families:
                time = self._time(spec, several, index)
            if "disk" in rule.families:
                disk = estimate_disk(spec, several.files)
        except CannotTraceError as error:
            return error.reason
        return Facts(time=time, disk=disk)

    def _time(self, spec: TrainSpec, several: Several, index: int) -> Time:
        """Return the run's duration, by the project's own seconds where its settings have them."""
        if (given := self.settings.seconds_per_iteration) is not None:
            return given_time(spec, self.target, (given,) * 3, GIVEN)
        if not several.seconds:
            raise CannotTraceError(several.facts.missing.get("time", "the time of a step is not known"))
        seconds = several.paced(spec, index, self.settings.validation_images)
        return in_sessions(spec, self.target, seconds, ESTIMATED, extra=extra_of(spec, several.files))

    def _classes(self, key: Any) -> Classes:
        return classes_by(self.factors.free, [len(axis.values) for axis in self.factors.base.axes], key)


def _is_of_model(rule: Rule) -> bool:
    """Return whether a rule judges a base model by what it takes alone, where its step is not known."""
    alone = not any(name.startswith("facts.") for name in rule.requires)
    return alone and any(name.startswith(OF_MODEL) for name in (rule.absent or {}))


def _effect(flaw: Flaw, changes: Mapping[Flaw, Any]) -> str:
    """Return what a value does to a problem."""
    if flaw not in changes:
        return ""
    return "takes away" if changes[flaw] is None else "brings"


def _fails(rule: Rule, around: Mapping[str, Any], spec: TrainSpec, facts: Mapping[str, Any]) -> bool:
    """Return whether a rule fails by a spec and its facts; `around` are the values that do not vary."""
    values = {"spec.dialect": spec.get("dialect", ""), "job.variant": around.get("job.variant", "")}
    for name in dict.fromkeys((*rule.requires, *(rule.absent or {}))):
        own = name.removeprefix("spec.")
        value = spec.get(own, _ABSENT) if own != name else facts.get(name, around.get(name, _ABSENT))
        if value is _ABSENT:
            if name in rule.requires:
                return False
            value = (rule.absent or {})[name]
        values[name] = value
    if rule.when is not None and rule.when(values) is not True:
        return False
    return level_of(rule, values) is Level.FAIL


def _concerns(rule: Rule, group: Group) -> bool:
    """Return whether one of the swept jobs has everything that a rule requires of a job."""
    fields = [name.removeprefix("spec.") for name in rule.requires if name.startswith("spec.")]
    return any(all(field in spec for field in fields) for spec, _ in group.steps.values())
