# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What holds in every reading of a job: a fail that only some of them have is a warning that says which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from trainlint.judge.ignores import UNUSED_IGNORE_RULE
from trainlint.judge.rule import Rule
from trainlint.model.finding import Finding, Key, Level, key_of
from trainlint.model.result import Result


def settled(results: Sequence[Result], rule: Rule | None = None) -> tuple[Result, ...]:
    """Return the readings' results with every fail that is none in one of them made a warning.

    `results` are of one document on one target. Findings that only some have say in which they hold. Where
    all readings fail, each for reasons of its own, `rule` says so.
    """
    if len(results) < 2:  # noqa: PLR2004  # one reading: nothing is open
        return tuple(results)
    having: dict[Key, dict[int, Level]] = defaultdict(dict)
    for reading, result in enumerate(results):
        for finding in result.findings:
            levels = having[key_of(finding)]
            levels[reading] = Level.FAIL if levels.get(reading) is Level.FAIL else finding.level
    names = [result.variant or "" for result in results]
    held = tuple(_settled(result, having, names) for result in results)
    return held if rule is None else _with_the_sum(results, held, rule)


def _with_the_sum(before: Sequence[Result], held: tuple[Result, ...], rule: Rule) -> tuple[Result, ...]:
    """Add the finding that no reading works, where every one failed and none of the fails is common."""
    fails = [[finding for finding in result.findings if finding.level is Level.FAIL] for result in before]
    if not all(fails) or any(finding.level is Level.FAIL for finding in held[0].findings):
        return held
    reasons = "; ".join(
        f"{result.variant}: {', '.join(dict.fromkeys(finding.rule for finding in findings))}"
        for result, findings in zip(before, fails, strict=True)
    )
    message = f"every way to run this fails, each for another reason ({reasons})"
    finding = Finding(rule.name, rule.level, message, fails[0][0].spans[:1])
    return tuple(result.with_findings((*result.findings, finding)) for result in held)


def _settled(result: Result, having: Mapping[Key, Mapping[int, Level]], names: Sequence[str]) -> Result:
    findings = tuple(
        _held(finding, having[key_of(finding)], names)
        for finding in result.findings
        if finding.rule != UNUSED_IGNORE_RULE or len(having[key_of(finding)]) == len(names)
    )
    return replace(result.with_findings(findings), alone=result.alone or result.outcome)


def _held(finding: Finding, levels: Mapping[int, Level], names: Sequence[str]) -> Finding:
    """Keep a finding that every reading has, at the mildest of their levels; else name those that have it."""
    if len(levels) < len(names):
        return replace(finding, level=Level.WARN, holds_in=tuple(names[reading] for reading in levels))
    if Level.WARN in levels.values():
        return replace(finding, level=Level.WARN)
    return finding
