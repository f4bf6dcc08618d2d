# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs that failed in public: what would have been said of them, and that the working setting passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import in_process
from tests.sampling import sampled
from tests.warm_cache import warm

HERE = Path(__file__).parent
TABLE = yaml.safe_load((HERE / "incidents.yaml").read_text("utf-8"))
CAUGHT = TABLE["caught"]

BY_TIME = {"session-budget"}
"""The threads say nothing of how long the runs were meant to take."""


def judged(cache: Path, row: dict[str, str], key: str) -> list[dict[str, Any]]:
    """Return the findings of a row's file, as the command reports them."""
    look = [f"--data={row['data']}"] if "data" in row else []
    words = ("-t", row["target"], "--no-trace", "--format", "json", "--profiles-dir", "profiles", *look)
    results = json.loads(in_process.run(HERE, cache, row[key], *words).stdout)["results"]
    return [finding for result in results for finding in result["findings"]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warm(tmp_path_factory.mktemp("cache"))


def named(row: dict[str, str]) -> str:
    return row["file"]


@pytest.mark.parametrize("row", sampled(CAUGHT, 2), ids=named)
def test_the_cause_is_named(cache: Path, row: dict[str, str]) -> None:
    assert row["rule"] in {finding["rule"] for finding in judged(cache, row, "file")}


@pytest.mark.parametrize("row", sampled([row for row in CAUGHT if "working" in row], 2), ids=named)
def test_the_working_setting_does_not_fail(cache: Path, row: dict[str, str]) -> None:
    found = judged(cache, row, "working")
    assert row["rule"] not in {one["rule"] for one in found}
    assert {one["rule"] for one in found if one["level"] == "fail"} <= BY_TIME


def test_every_thread_is_listed_once() -> None:
    threads = [row["thread"] for rows in TABLE.values() for row in rows]
    assert len(threads) == len(set(threads))


def test_every_incident_of_the_facts_is_listed(shared: Path) -> None:
    """Trainers that trainlint does not claim are in nobody's table."""
    claimed = ("BasicSR", "Real-ESRGAN", "HAT", "KAIR", "Restormer", "SwinIR", "neosr", "FFTformer")
    text = (shared / "facts" / "incidents.csv").read_text("utf-8")
    listed = {row["thread"] for rows in TABLE.values() for row in rows}
    known = {
        word
        for line in text.splitlines()[1:]
        for word in line.split(",")[1:2]
        if word.startswith("https://github.com/") and word.split("/")[4] in claimed
    }
    assert known - listed <= NOT_FAILURES


NOT_FAILURES = {
    "https://github.com/JingyunLiang/SwinIR/issues/3",  # what its author trained with
    "https://github.com/XPixelGroup/HAT/issues/18",  # judged with tracing alone: minutes
}
"""Rows that nothing can be caught of, or not in a test."""
