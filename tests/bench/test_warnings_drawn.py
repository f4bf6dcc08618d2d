# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Warnings that are drawn to be read: each place once, not all of one repository, the same ones again."""

from __future__ import annotations

from bench.corpus import warnings_drawn


def result(path, *findings):
    return {"path": str(path), "line": 1, "findings": list(findings)}


def found(line, rule, level="warn"):
    return {"line": line, "rule": rule, "level": level, "message": f"{rule} is so"}


def test_a_place_is_one_warning_whatever_the_reading(tmp_path):
    file = tmp_path / "owner+name" / "options" / "a.yml"
    results = [
        result(file, found(3, "unknown-key"), found(4, "queue", "fail")),
        result(file, found(3, "unknown-key")),
    ]
    assert list(warnings_drawn.warned(results, tmp_path)) == [
        ("owner/name", "options/a.yml", 3, "unknown-key", "unknown-key is so")
    ]


def test_the_same_ones_are_drawn_again_and_few_of_each_repository():
    warnings = [(f"owner/{number % 5}", "a.yml", number, "rule", "") for number in range(200)]
    drawn = warnings_drawn.drawn(warnings, 7, 30, 8)
    assert drawn == warnings_drawn.drawn(reversed(warnings), 7, 30, 8)
    assert len(drawn) == 30
    assert max(sum(one[0] == f"owner/{name}" for one in drawn) for name in range(5)) <= 8
    assert drawn != warnings_drawn.drawn(warnings, 8, 30, 8)


def test_a_table_is_counted_by_sample():
    rows = [
        {"sample": "first", "repository": "a/b", "rule": "queue", "judgement": "wrong"},
        {"sample": "first", "repository": "a/b", "rule": "queue", "judgement": "useful"},
        {"sample": "second", "repository": "c/d", "rule": "queue", "judgement": "useful"},
    ]
    page = warnings_drawn.tally(rows)
    assert "## first: 2 warnings in 1 repositories" in page
    assert "| rule | warnings | useful | wrong |" in page
    assert "| queue | 2 | 1 | 1 |" in page
