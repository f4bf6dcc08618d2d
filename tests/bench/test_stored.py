# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from __future__ import annotations

from bench import ROOT
from bench.corpus import stored
from trainlint.estimate.tapes.tape_source import TapeSource

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
    assert {"memory", "missing", "time", "verdicts"} <= {*stored.differing(once, without)}
    assert stored.differing(once, without[1:]) == ["jobs"]


def test_where_a_figure_is_from_is_no_difference():
    (row,) = stored.said(str(EXAMPLES / "edsr_x2.yml"), "rtx-4090", stored.stored())[:1]
    assert "source" not in row["memory"]
    assert row["memory"]["gpus"]


def test_what_cannot_be_traced_here_is_no_difference(monkeypatch):
    path = str(EXAMPLES / "edsr_x2.yml")
    monkeypatch.setattr(
        stored, "TapeSource", lambda stores, may_trace=False: TapeSource(stores, may_trace=may_trace)
    )
    ((named, text, differs),) = stored.compared([path], "rtx-4090")
    assert (named, differs) == (path, False)
    assert text.startswith("not traced here: no stored profile")
