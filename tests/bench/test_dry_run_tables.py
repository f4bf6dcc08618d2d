# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of dry runs: what counts as the same figure, as a verdict, and as the program's own error."""

from __future__ import annotations

from pathlib import Path

from bench.dry_run import tables
from bench.dry_run.cost_rows import Cost, costs, keep_costs
from bench.dry_run.entries import LISTS, Entry, Row, entries, keep, rows
from bench.dry_run.runs import without_places


def row(name, outcome="pass", **more):
    return Row("recipes", name, "2026-01-01", "3.11", "2.14", outcome, **more)


def test_the_page_has_the_rows_that_are_kept():
    text = tables.PAGE.read_text("utf-8")
    assert tables.page(text, rows()) == text


def test_every_program_has_a_name_of_its_own_and_its_place():
    for name in LISTS:
        known = entries(name)
        assert len({entry.name for entry in known}) == len(known)
        assert all("{python" in entry.options + entry.command for entry in known)
    assert all(entry.stops for entry in entries("broken"))


def test_a_row_takes_the_place_of_the_one_before(tmp_path):
    path = tmp_path / "rows.csv"
    keep(row("one", allocated=5, recipe=6, said="a, b; c"), path)
    keep(row("two"), path)
    keep(row("one", allocated=7), path)
    assert [(each.name, each.allocated, each.recipe) for each in rows(path).values()] == [
        ("one", 7, None),
        ("two", None, None),
    ]


def test_a_half_percent_apart_is_the_same_and_more_is_not(monkeypatch):
    known = [Entry(name, "a+b", "{python} train.py", config="c.yml") for name in ("one", "two", "three")]
    monkeypatch.setattr(tables, "entries", lambda _name: known)
    found = {
        ("recipes", name): row(name, allocated=allocated, recipe=1000)
        for name, allocated in (("one", 1000), ("two", 1005), ("three", 1006))
    }
    text = " ".join(tables._recipes(found))
    assert "Of 3 with both figures, 1 are equal to the byte and 2 within 0.5%." in text


def test_only_the_programs_own_error_that_names_the_mistake_counts():
    entry = Entry("broken: a", "a+b", "{python} train.py", stops="NoSuchNet")
    said = "program-crashes: the program stops with KeyError: 'NoSuchNet'"
    assert tables._is_own(entry, row("a", "fail", said=said))
    assert not tables._is_own(entry, row("a", "warn", said=said))
    assert not tables._is_own(entry, row("a", "fail", said=said.replace("NoSuchNet", "other")))
    assert not tables._is_own(entry, row("a", "fail", said="wrong-value: NoSuchNet is none"))


def test_what_was_measured_is_held_against_the_same_meter(monkeypatch):
    known = [
        Entry("live", "a+b", "{python} train.py", measured=100),
        Entry("held", "a+b", "{python} train.py", measured=200, reserved=True),
    ]
    monkeypatch.setattr(tables, "entries", lambda _name: known)
    found = {("measured", entry.name): row(entry.name, allocated=98, reserved=206) for entry in known}
    text = "\n".join(tables._measured(found))
    assert "Live bytes: 1 row, median 2.00% apart, at most 2.00%." in text
    assert "Reserved bytes: 1 row, median 3.00% apart, at most 3.00%." in text
    assert "| live | 100 | 98 | -2.00% |  |" in text
    assert "| held | 200 | 206 | +3.00% |  |" in text


def test_what_recording_costs_is_told_next_to_a_verdict(monkeypatch, tmp_path):
    keep_costs([Cost("one", 4.0, imports=3.0), Cost("vit", 0.2, 0.1)], tmp_path / "costs.csv")
    monkeypatch.setattr(tables, "costs", lambda: costs(tmp_path / "costs.csv"))
    monkeypatch.setattr(tables, "PROGRAMS", (("recipes", "one"),))
    ours, another = (row("one", allocated=1, cpu_seconds=seconds) for seconds in (10, 99))
    text = "\n".join(tables._cost({("recipes", "one"): ours, ("card", "one"): another}))
    assert "| one | 4.0 | 3.0 | 10 | 2.5 |" in text
    assert "| vit | 0.20 | 0.10 | 2.0 |" in text


def test_what_was_said_has_no_place_of_this_machine():
    said = "no name (/a/repos/x+Y/z.py) and '/b/venv/lib/python3.11/site-packages/torch/nn.py'"
    assert without_places(said, Path("/a/repos")) == "no name (x+Y/z.py) and 'torch/nn.py'"
