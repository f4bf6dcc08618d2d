# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes: nearest first, verified against every rule, and nothing but the intended value changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judge.jobs import PROBLEMS, judged, rules_of
from trainlint.config.edit import apply_edits
from trainlint.judge.fixes.edited_texts import MOST_TRACED_EDITS
from trainlint.judge.fixes.effects import is_safe
from trainlint.judge.fixes.search import TRACED_TRIES, Attempt, nearest
from trainlint.model.facts import Disk, Facts
from trainlint.model.finding import Fix
from trainlint.model.job import Job
from trainlint.model.target import Target

POOL: dict[str, Any] = {
    "requires": ["spec.data.pool_size", "spec.batch.per_gpu"],
    "assert": "spec.data.pool_size % spec.batch.per_gpu == 0",
    "message": "{spec.data.pool_size} % {spec.batch.per_gpu}",
    "fix": [{"set": "spec.batch.per_gpu", "try": "divisors(spec.data.pool_size)"}],
}
SMALL: dict[str, Any] = {
    "requires": ["spec.batch.per_gpu"],
    "assert": "spec.batch.per_gpu <= 16",
    "fix": [{"set": "spec.batch.per_gpu", "try": "multiples(1, 16)"}],
}
ODD: dict[str, Any] = {
    "requires": ["spec.batch.per_gpu"],
    "assert": "spec.batch.per_gpu % 2 == 0",
    "level": "warn",
}

TEXT = """\
pool: 180
data:
  batch: 24  # per GPU
"""


def fixed(findings: Any, text: str, rule: str, index: int = 0) -> str:
    finding = next(one for one in findings if one.rule == rule)
    return apply_edits(text, finding.fixes[index].edits)


def test_the_nearest_value_that_passes() -> None:
    findings = judged(rules_of(pool=POOL), TEXT)
    assert fixed(findings, TEXT, "pool") == TEXT.replace("24 ", "20 ")
    assert findings[0].fixes[0].summary == "data.batch: 24 -> 20"


def test_a_fix_satisfies_every_failing_rule_of_its_field() -> None:
    findings = judged(rules_of(pool=POOL, small=SMALL), TEXT)
    assert fixed(findings, TEXT, "pool") == fixed(findings, TEXT, "small") == TEXT.replace("24 ", "15 ")


def test_a_fix_that_brings_a_new_finding_is_not_offered() -> None:
    findings = judged(rules_of(pool=POOL, small=SMALL, odd=ODD), TEXT)
    assert fixed(findings, TEXT, "pool") == TEXT.replace("24 ", "12 ")


def test_no_fix_where_none_passes() -> None:
    never = {**POOL, "assert": "spec.data.pool_size % spec.batch.per_gpu == 7"}
    (finding,) = judged(rules_of(pool=never), TEXT)
    assert finding.fixes == ()


def test_unrelated_failures_do_not_forbid_a_fix() -> None:
    other = {"requires": ["spec.data.pool_size"], "assert": "spec.data.pool_size < 100"}
    findings = judged(rules_of(pool=POOL, other=other), TEXT)
    assert fixed(findings, TEXT, "pool") == TEXT.replace("24 ", "20 ")


def test_a_default_is_written_out_and_called_so() -> None:
    grow = {**POOL, "fix": [{"set": "spec.data.pool_size", "try": "multiples(spec.batch.per_gpu, 400)"}]}
    text = "data:\n  batch: 24\n"
    (finding,) = judged(rules_of(pool=grow), text)
    assert finding.message == "180 (default) % 24"
    assert apply_edits(text, finding.fixes[0].edits) == "pool: 168\ndata:\n  batch: 24\n"


@pytest.mark.parametrize(
    ("name", "text", "becomes"),
    [
        ("a.yml", "data:\n    batch: 24\n", "data:\n    crop: 32\n    batch: 24\n"),
        ("a.yml", "data: {batch: 24}\n", "data: {crop: 32, batch: 24}\n"),
        ("a.yml", "data:\r\n  batch: 24\r\n", "data:\r\n  crop: 32\r\n  batch: 24\r\n"),
        ("a.json", '{"data": {\n  "batch": 24}}', '{"data": {\n  "crop": 32,\n  "batch": 24}}'),
        ("a.json", '{"data": {"batch": 24}}', '{"data": {"crop": 32, "batch": 24}}'),
        ("a.toml", "[data]\nbatch = 24\n", "[data]\ncrop = 32\nbatch = 24\n"),
    ],
)
def test_a_missing_key_is_added_in_the_files_own_style(name: str, text: str, becomes: str) -> None:
    crop = {
        "requires": ["spec.crop.hr"],
        "assert": "spec.crop.hr <= 32",
        "fix": [{"set": "spec.crop.hr", "try": "[32]"}],
    }
    (finding,) = judged(rules_of(crop=crop), text, name=name)
    assert apply_edits(text, finding.fixes[0].edits) == becomes


@pytest.mark.parametrize(
    ("written", "becomes"),
    [("50000", "1000"), ("!!float 5e4", "!!float 1000"), ("5.0e+4", "1000"), ("50_000", "1000")],
)
def test_a_tag_stays_and_what_follows_is_untouched(written: str, becomes: str) -> None:
    saves = {
        "requires": ["spec.checkpoint.every", "spec.duration.iterations"],
        "assert": "spec.checkpoint.every <= spec.duration.iterations",
        "fix": [{"set": "spec.checkpoint.every", "try": "[spec.duration.iterations / 10]"}],
    }
    text = f"steps: 10000\nsave: {written}   # seldom\n# the end\n"
    (finding,) = judged(rules_of(saves=saves), text)
    assert apply_edits(text, finding.fixes[0].edits) == text.replace(written, becomes)


def test_several_fields_at_once() -> None:
    both = {
        **POOL,
        "fix": [
            {
                "set": "spec.batch.per_gpu",
                "try": "[16]",
                "also": {"spec.data.pool_size": "it * 10"},
            }
        ],
    }
    findings = judged(rules_of(pool=both), TEXT)
    assert fixed(findings, TEXT, "pool") == TEXT.replace("180", "160").replace("24 ", "16 ")
    assert findings[0].fixes[0].summary == "data.batch: 24 -> 16, pool: 180 -> 160"


def test_an_alias_is_not_edited() -> None:
    text = "pool: &n 25\ndata:\n  batch: *n\n"
    rule = {**SMALL, "fix": [{"set": "spec.batch.per_gpu", "try": "[5]"}]}
    (finding,) = judged(rules_of(small=rule), text)
    assert finding.fixes == ()


def test_a_misspelt_key_is_renamed() -> None:
    text = "'poool': 180\nlr: 1.0\n"
    (finding,) = judged(rules_of(**PROBLEMS), text)
    assert apply_edits(text, finding.fixes[0].edits) == "'pool': 180\nlr: 1.0\n"


def test_a_number_that_is_read_as_text_is_rewritten() -> None:
    text = "lr: 1e-4 # small\n"
    (finding,) = judged(rules_of(**PROBLEMS), text)
    assert apply_edits(text, finding.fixes[0].edits) == "lr: 1.0e-4 # small\n"


def test_facts_are_worked_out_again_for_every_edit() -> None:
    disk = {
        "requires": ["facts.disk.total", "target.disk", "spec.checkpoint.every", "spec.duration.iterations"],
        "assert": "facts.disk.total <= target.disk",
        "fix": [
            {
                "set": "spec.checkpoint.every",
                "try": "multiples(spec.checkpoint.every, spec.duration.iterations)",
            }
        ],
    }

    def facts(job: Job) -> Facts:
        count = job.spec["duration.iterations"] // job.spec["checkpoint.every"]
        return Facts(disk=Disk(10, count, 10 * count))

    text = "steps: 100\nsave: 10\n"
    (finding,) = judged(rules_of(disk=disk), text, Target("small", None, 1, disk=50), facts)
    assert apply_edits(text, finding.fixes[0].edits) == "steps: 100\nsave: 20\n"


def test_a_fix_must_not_make_another_rule_unjudgeable() -> None:
    needs_disk = {"requires": ["facts.disk.total"], "assert": "facts.disk.total >= 0"}

    def facts(job: Job) -> Facts:
        known = job.spec["batch.per_gpu"] != 20
        return Facts(disk=Disk(1, 1, 1)) if known else Facts(missing={"disk": "who knows"})

    findings = judged(rules_of(pool=POOL, disk=needs_disk), TEXT, Target("small", None, 1), facts)
    assert fixed(findings, TEXT, "pool") != TEXT.replace("24 ", "20 ")


IGNORED = "pool: 180  # trainlint: ignore[pool] tried it\ndata:\n  batch: 24\n"


def test_a_fix_heeds_what_an_ignore_hides() -> None:
    findings = judged(rules_of(pool=POOL, small=SMALL), IGNORED)
    assert [finding.rule for finding in findings] == ["small"]
    assert fixed(findings, IGNORED, "small") == IGNORED.replace("24", "15")


def test_a_fix_may_make_an_ignore_needless() -> None:
    unused = {"from": "ignores", "message": None, "level": "warn"}
    findings = judged(rules_of(pool=POOL, small=SMALL, unused_ignore=unused), IGNORED)
    assert fixed(findings, IGNORED, "small") == IGNORED.replace("24", "15")


def test_where_nothing_else_passes_a_hidden_finding_may_change() -> None:
    never = {**POOL, "assert": "spec.data.pool_size % spec.batch.per_gpu == 999", "fix": []}
    findings = judged(rules_of(pool=never, small=SMALL), IGNORED)
    assert fixed(findings, IGNORED, "small") == IGNORED.replace("24", "16")


def test_a_fix_adds_nothing_under_an_ignore() -> None:
    text = IGNORED.replace("24", "20")
    findings = judged(rules_of(pool=POOL, small=SMALL), text)
    assert fixed(findings, text, "small") == text.replace("20", "15")


@pytest.mark.parametrize("most", [95, 94, 61, 33, 17, 2, 1, 0])
def test_of_many_crops_the_largest_that_passes_is_found_in_few_tries(most: int) -> None:
    tried: list[int] = []

    def passes(at: int) -> Attempt:
        tried.append(at)
        return Attempt(Fix(str(at), ()), True, at) if 95 - at <= most else Attempt()

    fix, calm, index = nearest(passes, 95)
    assert (fix is None) == (most == 0)
    assert len(tried) == len(set(tried)) <= TRACED_TRIES
    if fix is not None:
        assert calm
        assert fix.summary == str(index)
        assert 0 <= most - (95 - int(fix.summary)) <= 4  # the nearest, or near it where it is far


@pytest.mark.parametrize("most", [95, 94, 61, 33])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_crop_whose_need_is_known_is_the_largest_that_fits(most: int, share: float) -> None:
    tried: list[int] = []

    def need(number: int) -> float:
        side = number / (most + 0.5)
        return share + (1 - share) * (side**4 + side**2) / 2

    def passes(at: int) -> Attempt:
        tried.append(at)
        return Attempt(Fix(str(at), ()), True, at) if need(95 - at) <= 1 else Attempt()

    assert nearest(passes, 95, TRACED_TRIES, need).place == 95 - most
    assert len(tried) == len(set(tried)) <= TRACED_TRIES  # of which halving without it finds half of them


def test_a_fix_that_trades_a_hidden_finding_is_the_last_resort_among_many() -> None:
    best = nearest(lambda at: Attempt(Fix(str(at), ()), False, at), 40)
    assert best == (Fix("0", ()), False, 0)


def test_a_job_has_few_traces_for_all_of_its_fixes_together() -> None:
    """A trace takes seconds: many findings that a crop might fix must not take minutes."""
    crops = [[10 * rule + at for at in range(1, 10)] for rule in range(6)]
    rules = {
        f"rule_{at}": {
            "requires": ["facts.disk.total", "spec.crop.hr"],
            "assert": "facts.disk.total < 0",
            "fix": [{"set": "spec.crop.hr", "try": str(values)}],
        }
        for at, values in enumerate(crops)
    }
    traced: set[int] = set()

    def facts(job: Job) -> Facts:
        traced.add(job.spec["crop.hr"])
        return Facts(disk=Disk(1, 1, 1))

    findings = judged(rules_of(**rules), "data:\n  crop: 64\n", Target("small", None, 1), facts)
    assert len(findings) == len(crops)
    assert len(traced - {64}) == MOST_TRACED_EDITS < sum(map(len, crops))


@pytest.mark.parametrize(
    ("fields", "safe"),
    [
        ((), True),
        (("spec.workers.per_gpu",), True),
        (("spec.batch.per_gpu",), False),
        (("spec.batch.per_gpu", "spec.accumulate"), True),
        (("spec.batch.per_gpu", "spec.accumulate", "spec.crop.hr"), False),
        (("doc.train.use_checkpoint",), True),
        (("doc.train.lr",), False),
    ],
)
def test_what_changes_what_is_learned_is_not_safe(fields: tuple[str, ...], safe: bool) -> None:
    assert is_safe(frozenset(fields)) is safe
