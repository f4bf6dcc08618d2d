"""Problems that reading and normalising met, as findings of the rules named after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.errors import RuleError
from trainlint.job import Job, Problem
from trainlint.judge.finding import Finding
from trainlint.judge.rule import Rule
from trainlint.judge.spans import span_at
from trainlint.read.document import Document, Span
from trainlint.signature import signature


def problem_finding(rule: Rule, job: Job, problem: Problem) -> Finding:
    """Return the finding for one problem, at its key or value.

    A slip of the pen (it has a suggestion) in options that stay open is the rule's `ignored_level`.
    """
    open_options = job.dialect.unknown == "ignore" and problem.suggestion is not None
    level = rule.ignored_level if open_options and rule.ignored_level else rule.level
    return Finding(rule.name, level, problem.message, _spans(job.document, problem))


def rule_for(rules: Mapping[str, Rule], problem: Problem) -> Rule:
    """Return the rule that carries a problem's level and page. Raises RuleError where there is none."""
    rule = rules.get(problem.rule)
    if rule is None or rule.kind != "problems":
        raise RuleError(f'there is no rule "{problem.rule}" (from: problems) for "{problem.message}"')
    return rule


def network_problems(job: Job) -> Iterator[Problem]:
    """Yield what the constructors of the job's networks would refuse, for architectures that are known."""
    unsound = {problem.path for problem in job.problems}
    for role in ("generator", "discriminator"):
        arch = job.spec.get(f"networks.{role}.arch")
        known = signature(job.spec.get("dialect", ""), arch) if arch else None
        at = job.spec.at(f"networks.{role}.args") or tuple(
            path[:-1] for path in job.spec.at(f"networks.{role}.arch")
        )
        if known is None or not at:
            continue
        for argument, message in known.problems(job.spec.get(f"networks.{role}.args") or {}):
            path = (*at[0], argument)
            if path not in unsound:
                yield Problem("network-arguments", message, path, on_key=True)


def _spans(document: Document, problem: Problem) -> tuple[Span, ...]:
    if problem.rule == "duplicate-key":
        for twice in document.duplicates:
            if twice.path == problem.path:
                return (twice.second, twice.first)
    return (span_at(document, problem.path, on_key=problem.on_key),)
