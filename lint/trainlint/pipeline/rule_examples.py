# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Running the examples that rules carry: as a whole config, or as the few fields that matter.

A config is judged by every rule in every reading, as the command does, on the machine that the example
names or describes. With `machine`, the name of a target, what it needs is estimated from the stored profiles;
nothing is traced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.commands.started import start_of
from trainlint.config.edit import apply_edits
from trainlint.dialects import Dialect, normalise
from trainlint.documents.file_format import read
from trainlint.errors import RuleError, UnreadableError
from trainlint.estimate.estimate import estimate
from trainlint.estimate.tapes.stored_profiles import shipped_store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.hardware import load_hardware
from trainlint.judge import RuleSet
from trainlint.judge.doubled_numbers import doubled_numbers
from trainlint.judge.evaluate import evaluate
from trainlint.judge.fixes.tries import Tries
from trainlint.judge.rule import Rule
from trainlint.judge.rule_files.rule_check import GROUPS
from trainlint.judge.rule_scope import Scope, scope_of
from trainlint.model.document import Document, Place, Source, Span
from trainlint.model.facts import Facts
from trainlint.model.finding import Finding, Skip
from trainlint.model.job import Job, Problem
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.start import COMMAND, Start
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Estimator, JobJudge, JobReader, Pipeline, Placer, Wishes
from trainlint.settings.settings import Settings

Example = Mapping[str, Any]


class Examples(Struct, frozen=True):
    """What examples are run with: all rules, since a fix has to pass all of them, and the dialects."""

    rules: RuleSet
    dialects: Sequence[Dialect]

    def failures(self, rule: Rule) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the place of every example that does not show what it says, and why."""
        for kind, check in (("pass", self._passes), ("fail", self._fails), ("fixed", self._fixes)):
            for index, example in enumerate(rule.data["examples"].get(kind, ())):
                try:
                    wrong = check(rule, example)
                except UnreadableError as error:
                    wrong = f"its config cannot be read: {error}"
                if wrong:
                    yield ("examples", kind, index), wrong

    def unnoticed(self, rule: Rule) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the place of every number of the rule's conditions that no example holds, and what is wrong.

        Doubled, the number changes no example's outcome.
        """
        for doubled in doubled_numbers(rule):
            try:
                mutant = doubled.rule(rule)
                rules = replace(self.rules, rules={**self.rules.rules, rule.name: mutant})
                noticed = any(replace(self, rules=rules).failures(mutant))
            except RuleError:
                noticed = True
            if not noticed:
                change = f"when {doubled.number} becomes {doubled.twice}"
                yield doubled.place, f"no example notices {change}: expected one on each side of it"

    def _passes(self, rule: Rule, example: Example) -> str:
        findings = self.findings(rule, example)
        if isinstance(findings, Skip):
            return f"the rule could not be judged: {findings.reason}"
        return f"it should pass, and the rule says: {findings[0].message}" if findings else ""

    def _fails(self, rule: Rule, example: Example) -> str:
        findings = self.findings(rule, example)
        if isinstance(findings, Skip):
            return f"the rule could not be judged: {findings.reason}"
        if not findings:
            return f"it should fail, and the rule finds nothing{self._lacking(rule, example)}"
        if example.get("says", "") not in findings[0].message:
            return f'the message should hold "{example["says"]}", and is: {findings[0].message}'
        level = example.get("level", rule.level)
        if rule.certain is not None and findings[0].level != level:
            return f"the level should be {level}, and is {findings[0].level}"
        return "" if findings[0].spans else "the finding points at nothing"

    def _fixes(self, rule: Rule, example: Example) -> str:
        before = self.judge(example, example["config"], fixes=True)
        finding = next(
            (finding_before for finding_before in before if finding_before.rule == rule.name), None
        )
        if finding is None:
            return f"it should fail before the fix, and the rule finds nothing{self._lacking(rule, example)}"
        if not finding.fixes:
            return "no fix passes all rules"
        after = apply_edits(example["config"], finding.fixes[0].edits)
        if after != example["becomes"]:
            return f"the fix should make it what it becomes, and makes it:\n{after}"
        left = [finding.message for finding in self.judge(example, after) if finding.rule == rule.name]
        return f"the rule is not content with the fix: {left[0]}" if left else ""

    def findings(self, rule: Rule, example: Example) -> list[Finding] | Skip:
        """Return what one rule finds in an example of either kind."""
        if "config" in example:
            return [
                finding for finding in self.judge(example, example["config"]) if finding.rule == rule.name
            ]
        outcome = _judged_fields(rule, example)
        return outcome if isinstance(outcome, Skip) else [] if outcome is None else [outcome]

    def judge(self, example: Example, text: str, *, fixes: bool = False) -> tuple[Finding, ...]:
        """Judge a config with every rule in every reading, as the command does."""
        pipeline = self._pipeline(example)
        with _lying_in(example) as path:
            document, *_ = read(Source(path, text))
            results = pipeline.judge_all(
                pipeline.jobs(document),
                _machine_of(example),
                tries=Tries.of() if fixes else None,
            )
        return tuple(dict.fromkeys(finding for result in results for finding in result.findings))

    def _pipeline(self, example: Example) -> Pipeline:
        settings = _settings_of(example)
        dialect = next(candidate for candidate in self.dialects if candidate.id == example["dialect"])
        estimator = partial(_estimated, settings) if "machine" in example else partial(_given, example)
        reader = _FragmentReader(
            dialects=(dialect,),
            under=self.start(example),
            looked=example.get("data", {}),
            ran=example.get("ran", {}),
        )
        return Pipeline(
            reader=reader,
            placer=Placer(lambda _path: Wishes(images=settings.dataset_size)),
            judge=JobJudge(rules=self.rules, estimator=Estimator(estimator)),
            allow_shorter=True,
        )

    def _lacking(self, rule: Rule, example: Example) -> str:
        """Say which of the config's names that a rule requires an example lacks; "" where it has them."""
        if "config" in example:
            pipeline = self._pipeline(example)
            with _lying_in(example) as path:
                document, *_ = read(Source(path, example["config"]))
                placed = pipeline.readings(pipeline.jobs(document), _machine_of(example))
            scopes = [scope_of(job) for job in placed]
        else:
            scopes = [_scope_of_fields(example)]
        asked = rule.asked.union(rule.keys)
        absent = [name for name in rule.requires if name in asked and all(name not in it for it in scopes)]
        return f": it requires {', '.join(absent)}, which the example lacks" if absent else ""

    def start(self, example: Example) -> Start | None:
        """Return the command under which an example's config is judged."""
        if "started" not in example:
            return None
        documents = read(Source("train.sh", example["started"]))
        if len(documents) != 1:
            raise UnreadableError(f'"started" is not a training command: {example["started"]!r}')
        (document,) = documents
        dialect = next(candidate for candidate in self.dialects if candidate.id == COMMAND)
        return start_of(normalise(document, dialect)[0], "train.sh:1")


class _FragmentReader(JobReader, frozen=True, kw_only=True):
    """A reader that takes a fragment of a config for a job of the one dialect that its example names."""

    under: Start | None = None
    looked: Mapping[str, Any] = field(default_factory=dict)
    ran: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def jobs(
        self,
        document: Document,
        _starts: Any = None,
        *,
        of: Sequence[Job] = (),  # noqa: ARG002 - as its base has it
    ) -> tuple[Job, ...]:
        jobs = normalise(document, self.dialects[0], started=self.under)
        ran = tuple(
            Problem(rule, message, tuple(key.split(".")))
            for rule, message_by_key in self.ran.items()
            for key, message in message_by_key.items()
        )
        return tuple(
            replace(job, skip=None, looked=self.looked, problems=(*job.problems, *ran)) for job in jobs
        )


class _Given(Scope, frozen=True, eq=False):
    """A scope whose machine and estimate are written down by name."""

    given: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[str, Any]:
        return {**super().values, **self.given}


def _judged_fields(rule: Rule, example: Example) -> Finding | Skip | None:
    """Judge one rule on an example that lists fields."""
    return evaluate(rule, _scope_of_fields(example))


def _scope_of_fields(example: Example) -> Scope:
    given = {
        f"{group}.{name}": value
        for group in GROUPS
        for name, value in example.get(group, {}).items()
        if group != "spec"
    }
    spec = {"dialect": "basicsr", **example.get("spec", {})}
    source = Source("example.yml", "example\n")
    document = Document(source, dict(example.get("doc", {})), {(): Place(Span(0, 7))}, "yaml")
    return _Given(
        document,
        TrainSpec({name: Value(value) for name, value in spec.items()}),
        Target("example", None, 1) if example.get("target") else None,
        variant=example.get("job", {}).get("variant"),
        given=given,
    )


def _given(example: Example, _job: Job, _target: Target, *, largest: bool) -> Facts:  # noqa: ARG001  # as an estimate is asked for
    """Stand in for the estimate where an example has none."""
    return Facts(refused=example.get("refused", {}))


def _estimated(settings: Settings, job: Job, target: Target, *, largest: bool) -> Facts:
    return estimate(job, target, _tapes(), settings, largest=largest)


@cache
def _tapes() -> TapeSource:
    return TapeSource((shipped_store(),), may_trace=False)


def _settings_of(example: Example) -> Settings:
    return Settings(**{key.replace("-", "_"): item for key, item in example.get("settings", {}).items()})


def _machine_of(example: Example) -> Target | None:
    settings = _settings_of(example)
    fields = example.get("target", {} if "refused" in example else None)
    if "machine" in example:
        fields = {**(fields or {}), **({} if settings.sessions is None else {"sessions": settings.sessions})}
        target = replace(load_hardware(()).target(example["machine"]), **(fields or {}))
        budget = settings.session_budget_h
        return target if budget is None else replace(target, session_budget_h=budget)
    return None if fields is None else Target(name="example", gpu=None, **{"gpu_count": 1, **fields})


@contextmanager
def _lying_in(example: Example) -> Iterator[str]:
    """Give the path of an example's file: a real one where the example says what lies next to it."""
    name = example.get("file", "config.yml")
    if "next_to" not in example:
        yield name
        return
    with TemporaryDirectory() as folder:
        for file_name in (name, *example["next_to"]):
            path = Path(folder, file_name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        yield str(Path(folder, name))
