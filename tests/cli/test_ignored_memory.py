# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the rule of memory is ignored, nothing says that the job fits."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml"
LARGE = EXAMPLE.read_text("utf-8").replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 4000")
COMMENT = LARGE.replace("4000", "4000  # trainlint: ignore[vram-budget]")


@pytest.mark.parametrize(
    ("text", "settings", "options"),
    [
        (LARGE, 'ignore = ["vram-budget"]', []),
        (LARGE, '[per-file-ignores]\n"*.yml" = ["vram-budget"]', []),
        (COMMENT, "", []),
        (LARGE, "", ["--ignore", "vram-budget"]),
        (LARGE, "", ["--select", "unknown-key"]),
    ],
)
def test_the_headline_follows_the_figures(trainlint, text, settings, options) -> None:
    trainlint.write("a.yml", text)
    trainlint.write("trainlint.toml", settings)
    (result,) = trainlint.json("a.yml", "-t", "rtx-3060", *options)["results"]
    assert result["verdicts"]["memory"] == "not-judged"
    shown = trainlint("a.yml", "-t", "rtx-3060", "--no-trace", *options).stdout
    head = shown.splitlines()[0]
    unasked = "not selected" if "--select" in options else "ignored"
    assert f"does not fit; vram-budget {unasked}" in head
    assert " fits" not in head


def test_a_small_job_is_not_judged_either_and_not_said_not_to_fit(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE.read_text("utf-8"))
    options = ("a.yml", "-t", "rtx-3060", "--ignore", "vram-budget")
    assert trainlint.json(*options)["results"][0]["verdicts"]["memory"] == "not-judged"
    head = trainlint(*options, "--no-trace").stdout.splitlines()[0]
    assert head.count("memory not judged") == 1


def test_what_was_not_selected_was_not_ignored_and_its_figures_stand(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE.read_text("utf-8"))
    shown = trainlint("a.yml", "-t", "rtx-3060", "--select", "unknown-key", "--no-trace").stdout
    assert "GiB" in shown.splitlines()[0]
    assert "not judged" not in shown
    assert "ignored" not in shown
    assert shown.rstrip().endswith("no findings of the selected rules")


def test_errors_of_rules_that_are_not_selected_are_named(trainlint) -> None:
    trainlint.write("a.yml", LARGE)
    shown = trainlint("a.yml", "-t", "rtx-3060", "--select", "unknown-key", "--no-trace").stdout
    said = "no findings of the selected rules, errors of rules that are not selected: vram-budget"
    assert " ".join(shown.split()).endswith(said)
