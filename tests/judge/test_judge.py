# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Judging: what does not apply, what is skipped and why, where findings point, what is ignored."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.errors import RuleError
from trainlint.judge import load_rules
from trainlint.judge.evaluate import evaluate
from trainlint.judge.rule_scope import Scope
from trainlint.model.facts import Disk, Facts
from trainlint.model.finding import Level, Skip
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target

from .jobs import PROBLEMS, job_of, judged, rules_of

BATCH: dict[str, Any] = {
    "requires": ["spec.batch.per_gpu"],
    "assert": "spec.batch.per_gpu < 4",
    "at": ["spec.batch.per_gpu", "spec.data.pool_size"],
}
DISK: dict[str, Any] = {
    "requires": ["facts.disk.total", "target.disk"],
    "assert": "facts.disk.total <= target.disk",
}
TARGET = Target("small", None, 1, disk=5)


def where(text: str, finding: Any) -> list[str]:
    return [text[span.start : span.end] for span in finding.spans]


def test_a_finding_points_at_every_value_it_is_about() -> None:
    text = "pool: 180\ndata:\n  batch: 8\n"
    (finding,) = judged(rules_of(batch=BATCH), text)
    assert where(text, finding) == ["8", "180"]
    assert finding.level is Level.FAIL


def test_a_default_points_at_the_nearest_key_written() -> None:
    rule = {"requires": ["spec.crop.hr"], "assert": "spec.crop.hr < 4"}
    text = "pool: 180\ndata:\n  batch: 8\n"
    assert where(text, judged(rules_of(crop=rule), text)[0]) == ["data"]
    rule = {"requires": ["spec.data.pool_size"], "assert": "spec.data.pool_size < 4"}
    text = "# first\ndata:\n  batch: 8\n"
    assert where(text, judged(rules_of(pool=rule), text)[0]) == ["data:"]


def test_an_absent_field_means_that_the_rule_does_not_apply() -> None:
    assert rules_of(batch=BATCH).judge(job_of("pool: 180\n")) == ((), ())


def test_another_dialect_too() -> None:
    rule = {**BATCH, "dialects": ["other"]}
    assert rules_of(batch=rule).judge(job_of("data: {batch: 8}\n")) == ((), ())


def test_an_optional_field_counts_as_the_rule_says() -> None:
    rule = {**BATCH, "absent": {"spec.accumulate": 3}, "assert": "spec.batch.per_gpu * spec.accumulate < 9"}
    assert judged(rules_of(batch=rule), "data: {batch: 2}\n") == ()
    assert len(judged(rules_of(batch=rule), "data: {batch: 3}\n")) == 1


@pytest.mark.parametrize(
    ("target", "facts", "reason"),
    [
        (None, None, "no target given"),
        (TARGET, None, "nothing was estimated"),
        (TARGET, Facts(missing={"disk": 'unknown network "FooNet"'}), 'unknown network "FooNet"'),
    ],
)
def test_what_cannot_be_judged_is_skipped_with_the_reason(
    target: Target | None, facts: Facts | None, reason: str
) -> None:
    findings, skips = rules_of(disk=DISK).judge(job_of("pool: 180\n"), target, facts)
    assert findings == ()
    assert [(skip.rule, skip.reason) for skip in skips] == [("disk", reason)]


def test_a_machine_without_the_limit_is_no_skip() -> None:
    facts = Facts(disk=Disk(1, 1, 1))
    assert rules_of(disk=DISK).judge(job_of("pool: 180\n"), Target("vast", None, 1), facts) == ((), ())


def test_a_rule_that_fails_to_evaluate_is_loud() -> None:
    rule = {**BATCH, "assert": "spec.batch.per_gpu / 0 == 1"}
    with pytest.raises(RuleError, match=r"batch.*: assert: .*divide by zero"):
        rules_of(batch=rule).judge(job_of("data: {batch: 8}\n"))


def test_a_rule_that_reads_a_refused_value_is_skipped() -> None:
    rule = {**BATCH, "requires": ["doc.lr", "spec.batch.per_gpu"], "assert": "doc.lr < 1"}
    rules = rules_of(batch=rule, **PROBLEMS)
    findings, skips = rules.judge(job_of("lr: fast\ndata: {batch: 8}\n"))
    assert [finding.rule for finding in findings] == ["wrong-type"]
    assert [(skip.rule, skip.reason) for skip in skips] == [("batch", "a value that it reads is wrong")]


def test_problems_carry_their_rules_level() -> None:
    rules = rules_of(
        **{**PROBLEMS, "unknown_key": {"from": "problems", "message": None, "ignored_level": "warn"}}
    )
    text = "stps: 180\ndata: {batch: many}\npool: 3\npool: 4\n"
    findings = judged(rules, text)
    assert [(f.rule, f.level.value) for f in findings] == [
        ("unknown-key", "warn"),
        ("wrong-type", "fail"),
        ("duplicate-key", "fail"),
    ]
    assert [text[: span.start].count("\n") + 1 for span in findings[2].spans] == [4, 3]


def test_a_problem_without_a_rule_is_loud() -> None:
    with pytest.raises(RuleError, match='there is no rule "wrong-type"'):
        rules_of(batch=BATCH).judge(job_of("data: {batch: many}\n"))


def test_rules_that_are_off_are_not_judged() -> None:
    rules = rules_of(batch=BATCH)
    off = type(rules)(rules.rules, frozenset({"batch"}))
    assert off.judge(job_of("data: {batch: 8}\n")) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "pool: 180\ndata:\n  batch: 8  # trainlint: ignore[batch] tried it\n",
        "pool: 180 # trainlint: ignore[other, batch]\ndata:\n  batch: 8\n",
        "pool: 180\ndata:\n  # trainlint: ignore[batch] tried it\n  batch: 8\n",
    ],
)
def test_an_ignore_on_any_line_of_the_finding(text: str) -> None:
    assert judged(rules_of(batch=BATCH), text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "# trainlint: ignore[batch]\npool: 180\n\ndata:\n  x: 1  # trainlint: ignore[other]\n  batch: 8\n",
        "pool: 180\nname: 'a#trainlint: ignore[batch]'\ndata:\n  batch: 8\n",
    ],
)
def test_an_ignore_elsewhere_hides_nothing(text: str) -> None:
    rule = {**BATCH, "at": ["spec.batch.per_gpu"]}
    assert [f.rule for f in judged(rules_of(batch=rule), text)] == ["batch"]


def test_ignores_in_vain_are_reported() -> None:
    rules = rules_of(
        batch=BATCH, disk=DISK, unused_ignore={"from": "ignores", "message": None, "level": "warn"}
    )
    text = "data:\n  batch: 2  # trainlint: ignore[batch, disk, bach] why not\n"
    findings, _ = rules.judge(job_of(text))
    assert [f.message for f in findings] == [
        '"batch" finds nothing here: the ignore is not needed',
        'there is no rule "bach" to ignore',
    ]
    assert where(text, findings[0]) == ["# trainlint: ignore[batch, disk, bach] why not"]


def test_a_validation_of_unknown_size_leaves_the_verdict_standing() -> None:
    rules = load_rules()
    assert not rules.decides("vram-validation")
    assert rules.decides("vram-budget")
    missing = Facts(missing={"memory.validation": "size unknown"})
    spec = TrainSpec({"validation.every": Value(5000)})
    gpu = Gpu("card", "Card", 8, 1, 7.5, 1, 1.0, 1.0, 0, 0, 0, False, "11.0", None, "none")
    scope = Scope(job_of("pool: 180\n").document, spec, Target("box", gpu, 1), missing)
    assert evaluate(rules.rules["vram-validation"], scope) == Skip("vram-validation", "size unknown")


@pytest.mark.parametrize("comment", ["ignore", "ignore[]", "ignore batch", "ignore[ , ]", "ignore[batch"])
def test_a_malformed_ignore_is_reported(comment: str) -> None:
    rules = rules_of(batch=BATCH, unused_ignore={"from": "ignores", "message": None, "level": "warn"})
    findings, _ = rules.judge(job_of(f"data:\n  batch: 8  # trainlint: {comment}\n"))
    assert {finding.rule for finding in findings} == {"batch", "unused-ignore"}
    (said,) = [finding.message for finding in findings if finding.rule == "unused-ignore"]
    assert said == 'this hides nothing: expected "# trainlint: ignore[rule] reason"'


@pytest.mark.parametrize(
    "text",
    [
        "data: {name: 'a # trainlint: ignore[batch]', batch: 8}\n",
        'data: {name: "a # trainlint: ignore", batch: 8}\n',
        "data:\n  name: |\n    a\n    # trainlint: ignore[batch]\n  batch: 8\n",
    ],
)
def test_an_ignore_inside_a_string_is_no_comment(text: str) -> None:
    rules = rules_of(batch=BATCH, unused_ignore={"from": "ignores", "message": None, "level": "warn"})
    assert [finding.rule for finding in rules.judge(job_of(text))[0]] == ["batch"]


def test_a_huge_integer_is_shown_as_written() -> None:
    rule = {"requires": ["doc.huge"], "assert": "doc.huge < 4", "message": "{doc.huge} is too much"}
    (finding,) = judged(rules_of(huge=rule), f"huge: {10**23}\n")
    assert finding.message == f"{10**23} is too much"


def test_a_set_is_shown_in_order() -> None:
    rule = {"requires": ["doc.names"], "assert": "false", "message": "{doc.names}"}
    (finding,) = judged(rules_of(names=rule), "names: !!set {delta, beta, alpha, gamma, epsilon}\n")
    assert finding.message == "[alpha, beta, delta, epsilon, gamma]"
