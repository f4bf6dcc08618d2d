# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest

from bench.corpus import fails


def row(file, line, rule, level):
    return {"run": "card", "file": file, "line": str(line), "rule": rule, "level": level}


def test_what_became_of_each_fail():
    before = [
        row("a.yml", 1, "unknown-key", "fail"),
        row("a.yml", 2, "unknown-key", "fail"),
        row("a.yml", 3, "vram-budget", "fail"),
        row("a.yml", 4, "queue", "fail"),
        row("a.yml", 5, "milestones", "warn"),
    ]
    after = [
        row("a.yml", 1, "unknown-key", "warn"),
        row("a.yml", 3, "vram-budget", "fail"),
        row("a.yml", 4, "queue", "warn under a reading"),
    ]
    assert [what for _, what in fails.fates(before, after)] == [
        "warn",
        "warn, elsewhere in the file",
        "still a fail",
        "warn under a reading",
    ]
    assert [what for _, what in fails.fates(before[2:3], [row("a.yml", 9, "other", "warn")])] == ["gone"]


def test_a_run_that_was_not_repeated_is_not_compared():
    assert fails.fates([row("a.yml", 1, "unknown-key", "fail")], []) == []


def test_figures_that_leave_a_term_out_are_no_verdict():
    figures = {"memory": {"gpus": []}, "missing": {}}
    judged = {"facts": figures, "verdicts": {"memory": "pass"}}
    assert fails.reason(judged) is None
    assert fails.reason({**judged, "verdicts": {"memory": "not-judged"}}) == "a term that is not counted"
    unknown = {"memory": None, "missing": {"memory": "no stored profile of this step"}}
    assert fails.reason({"facts": unknown, "verdicts": {"memory": "not-judged"}}) == "not traced (--no-trace)"


def test_a_fail_that_is_new_is_counted(tmp_path):
    before = [row("a.yml", 1, "unknown-key", "fail")]
    for entry in before:
        entry |= {"column": "1", "variant": ""}
    after = [*before, row("b.yml", 7, "vram-budget", "fail")]
    page = fails.compare(before, after, tmp_path / "gone.csv")
    assert "| still a fail | 1 | 100.0% |" in page
    assert "| vram-budget | 1 | 50.0% |" in page
    assert (tmp_path / "gone.csv").read_text().count("\n") == 1


def job(line, memory, variant=""):
    return {"run": "card", "file": "a.yml", "line": str(line), "variant": variant, "memory": memory}


def test_a_job_is_judged_where_every_reading_of_it_is():
    before = [job(1, "judged"), job(2, "judged"), job(3, "unknown network")]
    after = [job(1, "judged", "x"), job(1, "no batch size", "y"), job(2, "judged"), job(3, "judged")]
    page = fails.compare_jobs(before, after)
    assert "before: 2 of 3 jobs (66.7%)" in page
    assert "after: 2 of 3 jobs (66.7%)" in page
    assert "| no batch size | 1 | 33.3% |" in page


def test_the_table_of_read_fails_has_its_denominators():
    rows = [row("a.yml", 1, "queue", "") | {"verdict": "right under a reading"}]
    rows += [row("a.yml", 2, "queue", "") | {"verdict": "wrong"}]
    page = fails.read(rows)
    assert "2 fails in 1 files" in page
    assert "| wrong | 1 | 50.0% |" in page
    assert "| queue | 0 | 1 | 1 | 0 |" in page
    with pytest.raises(SystemExit, match="surely"):
        fails.read([rows[0] | {"verdict": "surely"}])


def test_files_are_named_from_the_folder_above_what_is_linted(tmp_path):
    assert fails.below(str(tmp_path / "corpus" / "one" / "a.yml"), tmp_path / "corpus") == "corpus/one/a.yml"


def test_what_became_of_the_right_and_of_the_wrong():
    rows = [row("a.yml", 1, "queue", "") | {"variant": "", "verdict": "right"}]
    rows += [row("a.yml", 2, "bf16", "") | {"variant": "", "verdict": "wrong"}]
    page = fails.became(rows, [rows[1] | {"now": "warn"}])
    assert "| right (1), now | n | share |" in page
    assert "| still a fail | 1 | 100.0% |" in page
    assert "| wrong: bf16: warn | 1 | 50.0% |" in page


def test_only_what_is_known_is_said_to_be_a_fail_still():
    rows = [row("a.yml", at, "queue", "") | {"variant": "", "verdict": "wrong"} for at in (1, 2)]
    elsewhere = rows[0] | {"run": "another card"}
    page = fails.became([rows[0], elsewhere], [rows[0] | {"now": "warn"}])
    assert "| wrong (1), now | n | share |" in page
    assert "still a fail" not in page
    assert fails.listed([*rows, elsewhere], [rows[1]]) == [rows[1]]


def test_every_fail_of_a_run_is_held_against_the_table():
    read = [
        row("a.yml", 1, "queue", "") | {"verdict": "right"},
        row("a.yml", 2, "bf16", "") | {"verdict": "wrong"},
    ]
    now = [row("a.yml", 1, "queue", "fail")] * 2 + [
        row("a.yml", 2, "bf16", "warn"),
        row("a.yml", 3, "queue", "fail"),
    ]
    page = fails.present(read, now)
    assert "| card: 2 fails | n | share |" in page
    assert "- not read: card a.yml:3 queue" in page
    assert page.endswith("1 of 2 fails not read, or wrong")
    assert "- wrong: card a.yml:2 bf16" in fails.present(read, [row("a.yml", 2, "bf16", "fail")])
