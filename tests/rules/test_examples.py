# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every rule's own examples: what passes, what fails and says so, what its fix makes of a config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from trainlint.judge import apply_edits
from trainlint.judge.rule import Rule
from trainlint.normalise.dialect import Dialect
from trainlint.normalise.schema import subschemas

from .examples import dialects, findings_of, judge_config, shipped


def examples(kind: str) -> list[Any]:
    return list(_examples(kind))


def _examples(kind: str) -> Iterator[Any]:
    for rule in shipped():
        for index, example in enumerate(rule.data["examples"].get(kind, ())):
            yield pytest.param(rule, example, id=f"{rule.name}-{index}")


@pytest.mark.parametrize(("rule", "example"), examples("pass"))
def test_passes(rule: Rule, example: Mapping[str, Any]) -> None:
    assert findings_of(rule, example) == []


@pytest.mark.parametrize(("rule", "example"), examples("fail"))
def test_fails(rule: Rule, example: Mapping[str, Any]) -> None:
    findings = findings_of(rule, example)
    assert findings
    assert example.get("says", "") in findings[0].message
    if rule.certain is not None:
        assert findings[0].level == example.get("level", rule.level)
    assert findings[0].spans


@pytest.mark.parametrize(("rule", "example"), examples("fixed"))
def test_fixes(rule: Rule, example: Mapping[str, Any]) -> None:
    before = judge_config(example, example["config"], fixes=True)
    finding = next(found for found in before if found.rule == rule.name)
    assert finding.fixes, "no fix was verified"
    assert finding.fixes[0].verified
    after = apply_edits(example["config"], finding.fixes[0].edits)
    assert after == example["becomes"]
    assert [f.rule for f in judge_config(example, after) if f.rule == rule.name] == []


def _has_unused(dialect: Dialect) -> bool:
    return dialect.unknown == "unused" or any("x-unused" in part for part in subschemas(dialect.schema))


@pytest.mark.parametrize("rule", list(shipped()), ids=lambda rule: rule.name)
def test_is_shown_to_pass_and_to_fail(rule: Rule) -> None:
    if rule.name == "unused-key" and not any(_has_unused(dialect) for dialect in dialects()):
        pytest.skip("no shipped dialect has keys without effect yet")
    assert rule.data["examples"]["pass"]
    assert rule.data["examples"]["fail"]
    assert rule.sources
