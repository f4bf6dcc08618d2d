# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from __future__ import annotations

from bench import ROOT
from bench.corpus import stored
from trainlint.estimate.tapes.source import TapeSource

EXAMPLES = ROOT / "examples"


def test_a_file_counts_where_all_of_its_readings_are_judged(tmp_path):
    known, text = tmp_path / "known.yml", (EXAMPLES / "edsr_x2.yml").read_text(encoding="utf-8")
    known.write_text(text)
    (tmp_path / "unknown.yml").write_text(text.replace("num_block: 16", "num_block: 17"))
    found = stored.judged(stored.report(str(tmp_path), "rtx-4090", stored.stored()))
    assert found == {str(known): True, str(tmp_path / "unknown.yml"): False}


def test_the_same_profiles_say_the_same_and_none_say_something_else():
    path = str(EXAMPLES / "edsr_x2.yml")
    once, again = (stored.said(path, "rtx-4090", stored.stored()) for _ in range(2))
    assert stored.differing(once, again) == []
    without = stored.said(path, "rtx-4090", TapeSource((), may_trace=False))
    assert {"memory", "time", "verdicts"} <= {*stored.differing(once, without)}
    assert stored.differing(once, without[1:]) == ["jobs"]


def test_where_a_figure_is_from_is_no_difference():
    (row,) = stored.said(str(EXAMPLES / "edsr_x2.yml"), "rtx-4090", stored.stored())[:1]
    assert "source" not in row["memory"]
    assert row["memory"]["gpus"]
