# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How verdicts on what threads say are rated."""

from __future__ import annotations

import csv

import pytest

from bench.finetune.threads import TABLE, Verdict, summary


@pytest.mark.parametrize(
    ("outcome", "word", "rating"),
    [
        ("oom", "fits", "dangerous"),
        ("oom", "does not fit", "right"),
        ("oom", "depends", "depends"),
        ("fits", "does not fit", "annoying"),
        ("fits", "fits", "right"),
        ("fits", "not judged", "not judged"),
    ],
)
def test_a_pass_where_memory_ran_out_is_dangerous(outcome: str, word: str, rating: str) -> None:
    assert Verdict({"outcome": outcome}, word).rating == rating


def test_every_statement_has_its_thread_and_an_outcome() -> None:
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 20
    assert {row["outcome"] for row in rows} == {"oom", "fits"}
    assert all(row["thread"].startswith("https://github.com/") for row in rows)


def test_twenty_statements_are_of_image_models() -> None:
    with TABLE.open(encoding="utf-8") as file:
        configs = [row["config"].casefold() for row in csv.DictReader(file)]
    assert sum(any(name in config for name in ("diffusion", "flux")) for config in configs) >= 20


def test_what_is_rated_is_counted() -> None:
    verdicts = [Verdict({"outcome": "oom"}, "fits"), Verdict({"outcome": "fits"}, "fits")]
    assert summary(verdicts) == "2 statements: 1 right, 0 depends, 0 not judged, 0 annoying, 1 dangerous"
