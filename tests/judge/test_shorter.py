# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""No edit shortens what is learned unless that is asked for, and a smaller batch says what it costs."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.judge.fixes.effects import shortens
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Target

from .jobs import judged, rules_of

LONG: dict[str, Any] = {
    "requires": ["spec.duration.iterations"],
    "assert": "spec.duration.iterations <= 100",
    "fix": [{"set": "spec.duration.iterations", "try": "[100]"}],
}
LARGE: dict[str, Any] = {
    "requires": ["spec.batch.per_gpu"],
    "assert": "spec.batch.per_gpu <= 16",
    "fix": [{"set": "spec.batch.per_gpu", "try": "[12]"}],
}
TEXT = "steps: 1000\ndata: {batch: 24}\n"
ONE = Target("one", None, 1)


def test_a_shorter_run_is_offered_only_where_it_is_asked_for() -> None:
    (finding,) = judged(rules_of(long=LONG), TEXT)
    assert finding.fixes == ()
    (finding,) = judged(rules_of(long=LONG), TEXT, shorter=True)
    assert finding.fixes[0].summary == "steps: 1000 -> 100"


def test_an_edit_of_another_field_may_not_shorten_either() -> None:
    also = {"set": "spec.batch.per_gpu", "try": "[12]", "also": {"spec.duration.iterations": "10"}}
    (finding,) = judged(rules_of(large={**LARGE, "fix": [also]}), TEXT)
    assert finding.fixes == ()


def test_a_longer_run_may_be_offered() -> None:
    more = {**LONG, "assert": "spec.duration.iterations >= 2000"}
    more["fix"] = [{"set": "spec.duration.iterations", "try": "[2000]"}]
    (finding,) = judged(rules_of(long=more), TEXT)
    assert finding.fixes[0].summary == "steps: 1000 -> 2000"


def test_a_smaller_batch_says_how_many_samples_fewer_are_seen() -> None:
    (finding,) = judged(rules_of(large=LARGE), TEXT, ONE)
    assert finding.fixes[0].summary == "data.batch: 24 -> 12 (sees 12,000 samples instead of 24,000)"


def test_a_smaller_batch_that_is_accumulated_sees_as_many() -> None:
    fix = {"set": "spec.batch.per_gpu", "try": "[12]", "also": {"spec.accumulate": "2"}}
    text = "steps: 1000\ndata: {batch: 24, accumulate: 1}\n"
    (finding,) = judged(rules_of(large={**LARGE, "fix": [fix]}), text, ONE)
    assert "samples instead of" not in finding.fixes[0].summary


@pytest.mark.parametrize(
    ("name", "before", "after", "less"),
    [
        ("duration.epochs", 10, 9, True),
        ("duration.epochs", 10, 10, False),
        ("schedule.milestones", [100, 200], [100, 150], True),
        ("schedule.milestones", [100, 200], [100], True),
        ("schedule.milestones", [200, 100], [100, 200], False),  # put in order
        ("schedule.periods", [400], [100, 300], True),
        ("duration.iterations", 100, None, True),
    ],
)
def test_what_counts_as_shorter(name, before, after, less) -> None:
    new = {} if after is None else {name: Value(after)}
    assert shortens(TrainSpec({name: Value(before)}), TrainSpec(new)) is less


def test_the_length_that_the_trainer_supplies_was_never_asked_for() -> None:
    """A misspelt key that is corrected: what is written then was meant all along."""
    before = TrainSpec({"duration.iterations": Value(400_000, (), "default")})
    assert not shortens(before, TrainSpec({"duration.iterations": Value(1_000)}))
