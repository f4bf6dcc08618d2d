# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Jobs for the judge's tests: a small trainer with open options, read and normalised as any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainlint.dialects import normalise
from trainlint.dialects.schema.dialect import parse_dialect
from trainlint.documents.file_format import read
from trainlint.estimate.run.placement import place_job
from trainlint.judge import RuleSet
from trainlint.judge.fixes.tries import Tries, Trying
from trainlint.judge.rule_files.rule_file import parse_rule
from trainlint.model.document import Document, Source
from trainlint.model.facts import Facts
from trainlint.model.finding import Finding, Skip
from trainlint.model.job import Job
from trainlint.model.placing import Placing
from trainlint.model.target import Target

DIALECT = parse_dialect(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "x-trainlint": {
            "id": "small",
            "title": "Small",
            "loader": "pyyaml",
            "formats": ["yaml", "json", "toml"],
            "unknown": "ignore",
            "recognise": {"when": "true"},
        },
        "type": "object",
        "x-slips": True,
        "properties": {
            "lr": {"type": "number"},
            "pool": {"type": "integer", "default": 180, "x-spec": "data.pool_size"},
            "steps": {"type": "number", "x-spec": "duration.iterations"},
            "save": {"type": "number", "x-spec": "checkpoint.every"},
            "data": {
                "type": "object",
                "properties": {
                    "batch": {"type": "integer", "x-spec": "batch.per_gpu"},
                    "workers": {"type": "integer", "x-spec": "workers.per_gpu"},
                    "crop": {"type": "integer", "default": 64, "x-spec": "crop.hr"},
                    "accumulate": {"type": "integer", "x-spec": "accumulate"},
                    "half": {"type": "boolean"},
                    "twice": {"type": "boolean", "x-spec": "checkpointing"},
                },
            },
        },
    }
)


def job_of(text: str, name: str = "a.yml", target: Target | None = None) -> Job:
    (document,) = read(Source(name, text))
    return place_job(normalise(document, DIALECT)[0], Placing(target))


def rule_text(name: str, **parts: Any) -> str:
    data = {
        "name": name,
        "level": "fail",
        "summary": "must hold",
        "message": "does not hold",
        "why": "an example",
        "source": "https://example.org",
        "examples": {"pass": [], "fail": []},
        **parts,
    }
    return json.dumps({key: value for key, value in data.items() if value is not None})


def rules_of(**rules: dict[str, Any]) -> RuleSet:
    """Build rules from keyword arguments: underscores of the name become dashes."""
    named = {name.replace("_", "-"): parts for name, parts in rules.items()}
    return RuleSet(
        {name: parse_rule(rule_text(name, **parts), Path(f"{name}.yaml")) for name, parts in named.items()}
    )


PROBLEMS = {
    name.replace("-", "_"): {"from": "problems", "message": None}
    for name in (
        "missing-key",
        "unknown-key",
        "wrong-type",
        "wrong-value",
        "duplicate-key",
        "number-as-string",
    )
}


@dataclass(frozen=True)
class Again:
    findings: tuple[Finding, ...]
    skips: tuple[Skip, ...]
    hidden: tuple[Finding, ...] = ()
    facts: Facts | None = None
    exceeds: bool = False
    unfinished: bool = False

    def glances(self) -> Iterator[tuple[Finding, ...]]:
        yield from ()

    def by_itself(self) -> Iterator[tuple[Finding, ...]]:
        yield self.findings

    settled = by_itself


def judged(
    rules: RuleSet,
    text: str,
    target: Target | None = None,
    facts: Any = None,
    *,
    name: str = "a.yml",
    larger: Any = None,
    tries: Tries | None = None,
    shorter: bool = False,
) -> tuple[Finding, ...]:
    """Judge with fixes; `facts` may be a function of the job, as an estimate is."""

    def estimated(job: Job) -> Facts | None:
        return facts(job) if callable(facts) else facts

    def relint(edited: Document) -> Again:
        job = job_of(edited.source.text, name, target)
        seen = (job, target, estimated(job))
        return Again(*rules.judge(*seen), rules.hidden(*seen), seen[2])

    job = job_of(text, name, target)
    seen = estimated(job)
    return rules.fixed(
        job,
        seen,
        rules.judge(job, target, seen),
        Trying(relint, tries or Tries.of(), larger=larger, shorter=shorter),
    )
