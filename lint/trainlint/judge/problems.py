"""Problems that reading and normalising met, as findings of the rules named after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainlint.errors import RuleError
from trainlint.job import Job, Problem
from trainlint.judge.finding import Finding
from trainlint.judge.rule import Rule
from trainlint.judge.spans import span_at
from trainlint.read.document import Document, Span
from trainlint.signature import signature

UNSOUND = ("wrong-type", "wrong-value", "number-as-string", "network-arguments")
"""Problems after which a value is not what its readers expect."""

SLIPS = "unknown-key"
"""The rule of keys that nobody reads."""

STRAYS = {"ema_decay": "train"}
"""Keys of the trainer that were found under a network, and where they belong (BasicSR's two EDVR_L files)."""


def problem_finding(rule: Rule, job: Job, problem: Problem) -> Finding:
    """Return the finding for one problem, at its key or value.

    A slip of the pen (it has a suggestion) in options that stay open is the rule's `ignored_level`, and so
    is a value that the trainer only tests for truth.
    """
    slip = problem.rule == SLIPS and job.dialect.unknown == "ignore" and problem.suggestion is not None
    level = rule.ignored_level if (slip or problem.harmless) and rule.ignored_level else rule.level
    return Finding(rule.name, level, problem.message, _spans(job.document, problem))


def rule_for(rules: Mapping[str, Rule], problem: Problem) -> Rule:
    """Return the rule that carries a problem's level and page. Raises RuleError where there is none."""
    rule = rules.get(problem.rule)
    if rule is None or rule.kind != "problems":
        raise RuleError(f'there is no rule "{problem.rule}" (from: problems) for "{problem.message}"')
    return rule


def network_problems(job: Job) -> Iterator[Problem]:
    """Yield what the constructors of the job's networks would refuse."""
    unsound = {problem.path for problem in job.problems}
    for role in ("generator", "discriminator"):
        arch, args = f"networks.{role}.arch", f"networks.{role}.args"
        at = job.spec.at(args)[:1] or tuple(path[:-1] for path in job.spec.at(arch)[:1])
        refused = _refused(job.spec.get("dialect", ""), job.spec.get(arch), job.spec.get(args) or {})
        for argument, message in refused if at else ():
            path = (*at[0], argument)
            if path not in unsound:
                yield Problem("network-arguments", message, path, on_key=argument in job.spec.get(args, {}))


def _refused(dialect: str, arch: str | None, args: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (argument, message) for what a constructor does not take.

    A network that lacks required arguments and has unknown ones instead is a fork's own under a known name:
    nothing can be said about it. Of unknown networks only strays are told.
    """
    known = signature(dialect, arch) if arch else None
    if known is None:
        where = f'belongs under "{{}}", no network takes it: {arch} is built with all keys beside "type"'
        return [(name, f'"{name}" {where.format(STRAYS[name])}') for name in args if name in STRAYS]
    required = {name for name, param in known.params.items() if param.required}
    foreign = not known.open and required - set(args) and set(args) - set(known.params)
    return [] if foreign else known.problems(args)


def _spans(document: Document, problem: Problem) -> tuple[Span, ...]:
    if problem.rule == "duplicate-key":
        for twice in document.duplicates:
            if twice.path == problem.path:
                return (twice.second, twice.first)
    return (span_at(document, problem.path, on_key=problem.on_key),)
