# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What becomes of a finding that the readings of one job do not share, or share at different levels."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.report.report_samples import passing, span
from trainlint.judge.finding import Finding, Level, Outcome
from trainlint.judge.result import Result
from trainlint.readings import settled

READINGS = ("without a launcher", "with a launcher")


def reading(name: str, level: Level | None) -> Result:
    found = () if level is None else (Finding("bf16-unsupported", level, "no bfloat16", (span("12"),)),)
    return replace(passing(), variant=name, findings=found)


@pytest.mark.parametrize(
    ("levels", "expected", "holds_in"),
    [
        ((Level.FAIL, Level.FAIL), Level.FAIL, None),
        ((Level.FAIL, Level.WARN), Level.WARN, None),
        ((Level.WARN, Level.FAIL), Level.WARN, None),
        ((Level.WARN, Level.WARN), Level.WARN, None),
        ((Level.FAIL, None), Level.WARN, READINGS[:1]),
        ((None, Level.FAIL), Level.WARN, READINGS[1:]),
    ],
)
def test_a_fail_needs_every_reading_to_fail(levels, expected, holds_in) -> None:
    results = settled([reading(name, level) for name, level in zip(READINGS, levels, strict=True)])
    for result, level in zip(results, levels, strict=True):
        if level is None:
            assert (result.findings, result.outcome) == ((), Outcome.PASS)
            continue
        (finding,) = result.findings
        assert (finding.level, finding.holds_in) == (expected, holds_in)
        assert result.outcome is Outcome(expected)


def test_one_failing_finding_at_a_place_makes_its_reading_fail() -> None:
    """Two findings of a rule may point at one value: the reading has the worse of them."""
    both = reading(READINGS[0], Level.FAIL)
    mild = Finding("bf16-unsupported", Level.WARN, "emulated", both.findings[0].spans)
    both = replace(both, findings=(*both.findings, mild))
    first, second = settled([both, reading(READINGS[1], Level.FAIL)])
    assert [finding.level for finding in first.findings] == [Level.FAIL, Level.WARN]
    assert [finding.level for finding in second.findings] == [Level.FAIL]
