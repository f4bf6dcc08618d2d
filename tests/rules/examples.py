# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Running the examples that rules carry: as a whole config, or as the few fields that matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trainlint.estimate.facts import Facts
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge import RuleSet, load_rules
from trainlint.judge.evaluate import evaluate
from trainlint.judge.finding import Finding, Skip
from trainlint.judge.names import FACTS, TARGET
from trainlint.judge.relint import Tries
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope
from trainlint.normalise import load_dialects, normalise
from trainlint.normalise.dialect import Dialect
from trainlint.pipeline import Pipeline
from trainlint.read import read
from trainlint.read.document import Document, Place, Source, Span
from trainlint.spec import TrainSpec, Value
from trainlint.start import Start
from trainlint.start.start import COMMAND, start_of


@dataclass(frozen=True)
class Given(Scope):
    """A scope whose machine and estimate are written down by name."""

    given: Mapping[str, Any] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        return self.given[name] if name in self.given else super().get(name)


@cache
def shipped() -> RuleSet:
    return load_rules()


@cache
def dialects() -> tuple[Dialect, ...]:
    return load_dialects()


def spec_document(data: Mapping[str, Any]) -> Document:
    source = Source("example.yml", "example\n")
    return Document(source, dict(data), {(): Place(Span(0, 7))}, "yaml")


def judge_fields(rule: Rule, example: Mapping[str, Any]) -> Finding | Skip | None:
    """Judge one rule on an example that lists fields, refusing names that do not exist."""
    target, facts = example.get("target", {}), example.get("facts", {})
    assert set(target) <= set(TARGET), f"unknown target.* in an example of {rule.name}"
    assert set(facts) <= set(FACTS), f"unknown facts.* in an example of {rule.name}"
    given = {
        **{f"target.{name}": value for name, value in target.items()},
        **{f"facts.{name}": value for name, value in facts.items()},
        **{f"command.{name}": value for name, value in example.get("command", {}).items()},
        **{f"start.{name}": value for name, value in example.get("start", {}).items()},
        **{f"job.{name}": value for name, value in example.get("job", {}).items()},
        **{f"data.{name}": value for name, value in example.get("data", {}).items()},
        **{f"env.{name}": value for name, value in example.get("env", {}).items()},
        **{f"install.{name}": value for name, value in example.get("install", {}).items()},
    }
    spec = {"dialect": "basicsr", **example.get("spec", {})}
    machine = Target("example", None, 1) if target else None
    scope = Given(
        spec_document(example.get("doc", {})),
        TrainSpec({name: Value(value) for name, value in spec.items()}),
        machine,
        variant=example.get("job", {}).get("variant"),
        given=given,
    )
    return evaluate(rule, scope)


@dataclass(frozen=True)
class Examples(Pipeline):
    """A pipeline that takes a fragment of a config for a job of the dialect that its example names."""

    dialect: Dialect = field(kw_only=True)
    start: Start | None = None

    def jobs(self, document: Document, _starts: Any = None) -> tuple[Job, ...]:
        return tuple(replace(job, skip=None) for job in normalise(document, self.dialect, started=self.start))


@contextmanager
def lying_in(example: Mapping[str, Any]) -> Iterator[str]:
    """Give the path of an example's file: a real one where the example says what lies beside it."""
    name = example.get("file", "config.yml")
    if "beside" not in example:
        yield name
        return
    with TemporaryDirectory() as folder:
        for each in (name, *example["beside"]):
            path = Path(folder, each)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        yield str(Path(folder, name))


def start_in(example: Mapping[str, Any]) -> Start | None:
    """Return the command under which an example's config is judged."""
    if "started" not in example:
        return None
    (document,) = read(Source("train.sh", example["started"]))
    dialect = next(one for one in dialects() if one.id == COMMAND)
    return start_of(normalise(document, dialect)[0], "train.sh:1")


def machine_of(example: Mapping[str, Any]) -> Target | None:
    fields = example.get("target", {} if "refused" in example else None)
    return None if fields is None else Target(name="example", gpu=None, **{"gpu_count": 1, **fields})


def judge_config(example: Mapping[str, Any], text: str, *, fixes: bool = False) -> tuple[Finding, ...]:
    """Judge a whole config with every rule in every reading, as the pipeline does, without an estimate."""

    def estimate(_job: Job, _target: Target, *, largest: bool) -> Facts:
        return Facts(refused=example.get("refused", {}))

    dialect = next(one for one in dialects() if one.id == example["dialect"])
    pipeline = Examples((dialect,), shipped(), (None,), estimate, dialect=dialect, start=start_in(example))
    with lying_in(example) as path:
        document, *_ = read(Source(path, text))
        results = pipeline.judge_all(
            pipeline.jobs(document),
            machine_of(example),
            tries=Tries.of(document.source.text) if fixes else None,
        )
    return tuple(dict.fromkeys(finding for result in results for finding in result.findings))


def findings_of(rule: Rule, example: Mapping[str, Any]) -> list[Finding]:
    """Return what one rule finds in an example of either kind."""
    if "config" in example:
        return [found for found in judge_config(example, example["config"]) if found.rule == rule.name]
    found = judge_fields(rule, example)
    assert not isinstance(found, Skip), f"{rule.name} could not be judged: {found}"
    return [] if found is None else [found]
