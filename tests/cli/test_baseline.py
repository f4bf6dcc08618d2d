# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A project adopts trainlint: select and ignore, levels, ignores by file and key, a baseline."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from .conftest import unfolded

EXAMPLES = Path(__file__).parents[2] / "examples"

SCALE = ("upscale: 4", "upscale: 2")
CROP = ("gt_size: 128", "gt_size: 126")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "realesrgan_x4.yml"


@pytest.fixture
def rules(trainlint):
    """Return a function that lints and returns (exit code, rules that were found)."""

    def run(*arguments: str) -> tuple[int, set[str]]:
        done = trainlint("--format", "json", "--no-trace", *arguments)
        found = json.loads(done.stdout)["results"]
        return done.returncode, {one["rule"] for result in found for one in result["findings"]}

    return run


def test_rules_are_selected_and_ignored(trainlint, variant, rules) -> None:
    trainlint.write("a.yml", variant(SCALE, CROP))
    assert rules("a.yml") == (1, {"network-scale", "crop-scale"})
    assert rules("a.yml", "--select", "crop-scale") == (1, {"crop-scale"})
    assert rules("a.yml", "--ignore", "crop-scale") == (1, {"network-scale"})
    trainlint.write("trainlint.toml", 'select = ["crop-scale", "network-scale"]\nignore = "network-scale"\n')
    assert rules("a.yml") == (1, {"crop-scale"})


def test_a_level_is_lowered_or_raised_and_nothing_else(trainlint, variant, rules) -> None:
    trainlint.write("a.yml", variant(CROP))
    trainlint.write("trainlint.toml", '[levels]\ncrop-scale = "warn"\n')
    assert rules("a.yml") == (0, {"crop-scale"})
    assert rules("a.yml", "--fail-on", "warn")[0] == 1
    trainlint.write("trainlint.toml", '[levels]\nworkers-over-cores = "hint"\n')
    done = trainlint("a.yml")
    assert done.returncode == 2
    assert 'expected a table of rule names and "warn" or "fail"' in done.stderr


def test_findings_are_left_out_by_file_and_by_key(trainlint, variant, rules) -> None:
    trainlint.write("old/a.yml", variant(SCALE, CROP))
    trainlint.write("new/a.yml", variant(SCALE, CROP))
    trainlint.write(
        "trainlint.toml",
        '[per-file-ignores]\n"old/*" = ["network-scale", "crop-scale"]\n'
        '"new/a.yml#/datasets/train/gt_size" = "crop-scale"\n"new/a.yml#/datasets/tr" = "network-scale"\n',
    )
    assert rules("old")[1] == set()
    assert rules("new") == (1, {"network-scale"})


def test_the_pages_example_is_taken(trainlint, variant, rules) -> None:
    page = (EXAMPLE.parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    example = page[page.index("    target = ") : page.index("\n\n`trainlint schema settings`")]
    trainlint.write("trainlint.toml", dedent(example))
    trainlint.write("configs/a.yml", variant(CROP))
    written = trainlint("configs", "--no-trace", "--write-baseline", ".trainlint/baseline.json")
    assert written.returncode == 0, written.stderr
    assert rules("configs") == (0, set())
    trainlint.write("configs/a.yml", variant(CROP, SCALE))
    assert rules("configs") == (1, {"network-scale"})


@pytest.mark.parametrize("key", ["select", "ignore", "levels", "per-file-ignores"])
def test_a_rule_that_is_not_there_is_wrong_use(trainlint, config, key) -> None:
    value = {"levels": '{crop-skale = "warn"}', "per-file-ignores": '{"a" = "crop-skale"}'}.get(
        key, '"crop-skale"'
    )
    trainlint.write("trainlint.toml", f"{key} = {value}\n")
    trainlint.write("a.yml", config)
    done = trainlint("a.yml")
    assert done.returncode == 2
    assert (
        f'toml:1: "{key}" names "crop-skale": there is no such rule; did you mean "crop-scale"?'
        in done.stderr
    )


def test_what_settings_take_away_is_said(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(SCALE))
    trainlint.write(
        "trainlint.toml",
        'ignore = ["crop-scale"]\n[levels]\nnetwork-scale = "warn"\n[per-file-ignores]\n'
        '"*" = "never-saves"\n',
    )
    said = (
        "by your settings and options: not judged: crop-scale; warnings at most: network-scale; "
        "left out in some files: never-saves"
    )
    assert said in unfolded(trainlint("a.yml", "--no-trace").stdout)
    assert said in trainlint("a.yml", "--no-trace", "--format", "concise").stderr
    assert said in trainlint.json("a.yml")["notes"]


@pytest.mark.parametrize(
    ("table", "name", "said"),
    [
        ("[gpu.rtx-3060]\nmemory_gb = 1000\nsmi_mib = 1024000\n", "rtx-3060", True),
        ('[target.ours]\ngpu = "rtx-3060"\n', "ours", False),
    ],
)
def test_a_card_that_settings_make_another_one_is_named(trainlint, config, table, name, said) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("trainlint.toml", 'gpus = "my.toml"\n')
    trainlint.write("my.toml", table)
    notes = trainlint.json("a.yml", "-t", name)["notes"]
    assert notes == ["by your settings and options: rtx-3060 is as my.toml has it"] * said


def test_targets_differ_by_file(trainlint, config) -> None:
    trainlint.write(
        "trainlint.toml", 'target = "rtx-3060"\n[[files]]\nmatch = "cloud/*"\ntarget = ["h200"]\n'
    )
    trainlint.write("a.yml", config)
    trainlint.write("cloud/b.yml", config)
    found = {result["path"]: result["target"] for result in trainlint.json(".")["results"]}
    assert found == {"a.yml": "rtx-3060", "cloud/b.yml": "h200"}
    named = {result["target"] for result in trainlint.json(".", "-t", "rtx-4090")["results"]}
    assert named == {"rtx-4090"}


def test_a_baseline_hides_what_was_there_and_shows_what_is_new(trainlint, variant, rules) -> None:
    trainlint.write("a.yml", variant(SCALE))
    done = trainlint("a.yml", "--no-trace", "--write-baseline", "base.json")
    assert done.returncode == 0
    assert done.stderr == "base.json: 1 finding of 1 file\n"
    assert done.stdout == ""
    assert rules("a.yml", "--baseline", "base.json") == (0, set())
    trainlint.write("a.yml", variant(SCALE, CROP))
    assert rules("a.yml", "--baseline", "base.json") == (1, {"crop-scale"})
    trainlint.write("b.yml", variant(SCALE))  # another file's finding is another finding
    assert rules("b.yml", "--baseline", "base.json") == (1, {"network-scale"})


def test_it_survives_moved_lines_and_ends_where_the_value_changes(trainlint, variant, rules) -> None:
    trainlint.write("a.yml", variant(SCALE))
    trainlint("a.yml", "--no-trace", "--write-baseline", "base.json")
    trainlint.write("a.yml", "# one\n# two\n" + variant(SCALE, ("scale: 4", "scale: 4  # moved")))
    assert rules("a.yml", "--baseline", "base.json") == (0, set())
    trainlint.write("a.yml", variant(("upscale: 4", "upscale: 3")))
    assert rules("a.yml", "--baseline", "base.json") == (1, {"network-scale"})


@pytest.mark.rest
def test_entries_that_nothing_has_any_more_are_reported(trainlint, variant, config) -> None:
    trainlint.write("a.yml", variant(SCALE))
    trainlint.write("b.yml", variant(SCALE))
    trainlint("a.yml", "b.yml", "--no-trace", "--write-baseline", "base.json")
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "--no-trace", "--baseline", "base.json")
    assert "entries that are no longer found: network-scale in a.yml#/network_g/upscale" in " ".join(
        done.stdout.split()
    )
    assert "b.yml" not in done.stdout  # it was not looked at
    for unasked in (("--select", "crop-scale"), ("--ignore", "network-scale")):
        assert (
            "no longer found"
            not in trainlint("a.yml", "--no-trace", "--baseline", "base.json", *unasked).stdout
        )
    trainlint.write("trainlint.toml", 'baseline = "base.json"\n')
    done = trainlint("b.yml", "--no-trace")
    assert done.returncode == 0
    assert "1 finding of the baseline base.json not shown" in done.stdout
    assert "no longer found" not in done.stdout


def test_it_counts_what_it_hides(trainlint) -> None:
    """Started in two ways, a config has most of its findings twice."""
    text = (EXAMPLES / "msrresnet_x4.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text.replace("gt_size: 128", "gt_size: 126"))
    trainlint.write("trainlint.toml", 'baseline = "base.json"\ntarget = "kaggle-t4x2"\n')
    missing = trainlint("a.yml", "--no-trace")
    assert missing.returncode == 2
    assert missing.stderr == (
        f"trainlint: {trainlint.folder / 'trainlint.toml'}:1: "
        'there is no baseline "base.json": --write-baseline base.json writes it\n'
    )
    written = trainlint("a.yml", "--no-trace", "--write-baseline", "base.json").stderr
    count = written.removeprefix("base.json: ").partition(" of ")[0]
    assert f"{count} of the baseline base.json not shown" in trainlint("a.yml", "--no-trace").stdout


def test_what_could_not_be_judged_is_not_called_gone(trainlint) -> None:
    """A crop that no stored profile has leaves memory and hours open: their entries were to be dropped."""
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    words = ("configs/a.yml", "--no-trace", "-t", "kaggle-t4x2")
    trainlint.write("configs/a.yml", text)
    trainlint(*words, "--write-baseline", "known/base.json")
    trainlint.write("configs/a.yml", text.replace("gt_size: 256", "gt_size: 264").replace(": 180", ": 240"))
    shown = " ".join(trainlint(*words, "--baseline", "known/base.json").stdout.split())
    assert "no longer found: queue-not-divisible in configs/a.yml#/queue_size; write it again" in shown
    trainlint.write("configs/a.yml", "a: [")
    assert "no longer found" not in trainlint(*words, "--baseline", "known/base.json").stdout


def test_a_pass_beside_the_baseline_names_what_is_wrong(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(SCALE))
    trainlint("a.yml", "--no-trace", "--write-baseline", "base.json")
    done = trainlint("a.yml", "--no-trace", "--baseline", "base.json")
    assert "known before: network-scale" in done.stdout


def test_what_does_not_fit_and_is_in_the_baseline_does_not_fit(trainlint) -> None:
    """The figure of an edit that nobody made was that of a pass."""
    text = EXAMPLE.read_text("utf-8").replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 60")
    trainlint.write("big.yml", text)
    words = ("big.yml", "-t", "rtx-3090", "--no-trace")
    assert "runs out of memory" in trainlint(*words).stdout
    trainlint(*words, "--write-baseline", "old.json")
    done = trainlint(*words, "--baseline", "old.json")
    assert done.returncode == 0
    assert "(does not fit, known before)" in done.stdout
    assert "->" not in done.stdout


def test_the_last_line_counts_what_is_ignored_and_the_files_that_hold_jobs(trainlint, variant) -> None:
    text = variant(SCALE)
    line = next(line for line in text.splitlines() if line.strip().startswith("upscale:"))
    trainlint.write("a.yml", text.replace(line, f"{line}  # trainlint: ignore[network-scale] a fork's"))
    trainlint.write("b.yml", text)
    for name in ("x", "y", "z"):
        trainlint.write(f"{name}.yml", f"{name}: 1\n")
    done = trainlint("a.yml", "b.yml", "x.yml", "y.yml", "z.yml", "--no-trace", "--skip-unknown")
    last = " ".join(done.stdout.splitlines()[-2:])
    assert "1 finding (1 error), 1 ignored, 1 fixable with --unsafe-fixes, in 2 of 5 files" in last


@pytest.mark.rest
def test_a_finding_on_another_target_is_new(trainlint, rules) -> None:
    trainlint.write("x4.yml", EXAMPLE.read_bytes())
    trainlint("x4.yml", "--no-trace", "-t", "kaggle-t4x2", "--write-baseline", "base.json")
    assert rules("x4.yml", "-t", "kaggle-t4x2", "--baseline", "base.json") == (0, set())
    code, found = rules("x4.yml", "-t", "rtx-3060", "--baseline", "base.json")
    assert code == 1
    assert "vram-budget" in found


ENTRY = '{"path": "a.yml", "rule": "x", "pointer": "", "target": null, "values": "", "count": %s}'
"""A finding of which nobody has any."""


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"trainlint-baseline": 9, "findings": []}', "[" * 100_000),
        *(
            f'{{"trainlint-baseline": 1, "findings": [{ENTRY % count}]}}'
            for count in ("1e999", '"9"', "null")
        ),
    ],
)
def test_what_is_no_baseline_is_refused_in_one_line(trainlint, config, text) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("base.json", text)
    done = trainlint("a.yml", "--no-trace", "--baseline", "base.json")
    assert done.returncode == 2
    assert '"base.json" is not a baseline of this version' in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_entry_that_counts_a_billion_findings_is_one_entry(trainlint, config) -> None:
    """Each of them was listed: 50 million took 4.7 GB."""
    trainlint.write("a.yml", config)
    trainlint.write("base.json", f'{{"trainlint-baseline": 1, "findings": [{ENTRY % 10**9}]}}')
    done = trainlint("a.yml", "--no-trace", "--baseline", "base.json")
    assert done.returncode == 0
    assert "has entries that are no longer found: x in a.yml;" in " ".join(
        done.stderr.split() + done.stdout.split()
    )


def test_a_project_names_a_baseline_of_its_own_alone(trainlint, config) -> None:
    trainlint.write("project/a.yml", config)
    trainlint.write("project/trainlint.toml", 'baseline = "../base.json"\n')
    trainlint.write("base.json", "{}")
    done = trainlint("project/a.yml")
    assert done.returncode == 2
    assert "leads out of the project" in done.stderr


def test_a_file_that_cannot_be_read_is_no_old_story(trainlint) -> None:
    trainlint.write("a.yml", "a: [\n")
    assert trainlint("a.yml", "--no-trace", "--write-baseline", "base.json").returncode == 2
    assert json.loads((trainlint.folder / "base.json").read_text())["findings"] == []
