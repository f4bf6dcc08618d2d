# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What users of other linters look for: counts, ignores in bulk, settings of one run, only what is new."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LINT = ("-t", "kaggle-t4x2", "--no-trace")


@pytest.fixture
def typos(trainlint) -> Path:
    return trainlint.write("typos.yml", (EXAMPLES / "typos.yml").read_text(encoding="utf-8"))


@pytest.fixture
def gan(trainlint) -> Path:
    return trainlint.write("gan.yml", (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8"))


@pytest.fixture
def committed(trainlint, gan):
    """Commit what is in the folder."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it was"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *words], cwd=trainlint.folder, check=True, capture_output=True)
    return gan


def rules(done) -> list[str]:
    results = json.loads(done.stdout)["results"]
    return sorted({finding["rule"] for result in results for finding in result["findings"]})


def test_findings_are_counted_by_rule_with_those_that_an_edit_fixes(trainlint, typos, gan) -> None:
    done = trainlint(".", *LINT, "--statistics")
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["rule", "errors", "warnings", "hints", "fixable", "files"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line and line[0] != "1"}
    assert rows["vram-budget"] == ["1", "-", "-", "1", "1"]
    assert rows["network-scale"] == ["1", "-", "-", "-", "1"]
    assert rows["number-as-string"] == ["-", "1", "-", "1", "1"]
    assert done.returncode == 1
    assert trainlint(".", *LINT, "--statistics", "--format", "json").returncode == 2


def test_concise_lines_mark_what_can_be_fixed(trainlint, typos) -> None:
    lines = trainlint("typos.yml", *LINT, "--output-format", "concise").stdout.splitlines()
    marked = {line.rpartition("[")[2].rstrip("]") for line in lines if ": [*] " in line}
    assert marked == {"crop-scale", "number-as-string"}


def test_exit_zero_keeps_what_is_wrong_use(trainlint, typos) -> None:
    assert trainlint("typos.yml", *LINT).returncode == 1
    assert trainlint("typos.yml", *LINT, "--exit-zero").returncode == 0
    assert trainlint("nowhere.yml", *LINT, "--exit-zero").returncode == 2


def test_settings_of_the_command_line_are_over_those_of_the_file(trainlint, typos) -> None:
    trainlint.write("trainlint.toml", 'ignore = ["crop-scale"]\nlevels = {network-scale = "warn"}\n')
    words = ("typos.yml", *LINT, "--format", "json")
    assert "crop-scale" not in rules(trainlint(*words))
    assert "crop-scale" in rules(trainlint(*words, "--isolated"))
    assert rules(trainlint(*words, "--config", 'ignore=["milestones-order"]')) == [
        "crop-scale",
        "network-scale",
        "number-as-string",
    ]
    shown = trainlint(
        "typos.yml", "--show-settings", "--config", "target=t4", "--config", "levels.vram-tight=fail"
    )
    lines = shown.stdout.splitlines()
    assert lines[0] == f"# from {trainlint.folder / 'trainlint.toml'}"
    assert 'target = ["t4"]' in lines
    assert 'levels = {"network-scale" = "warn", "vram-tight" = "fail"}' in lines
    assert "# strict = false" in lines


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("targett=t4", 'unknown setting "targett" in --config; did you mean "target"?'),
        ("target", '--config "target": expected KEY=VALUE'),
        (
            "dataset-size=x",
            "setting \"dataset-size\" in --config is 'x', expected a number of images above 0",
        ),
        ("ignore=[", '--config "ignore=[" is not TOML'),
    ],
)
def test_a_wrong_setting_of_the_command_line_is_one_line(trainlint, typos, given, said) -> None:
    done = trainlint("typos.yml", "--config", given)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_files_that_are_read_are_listed(trainlint, typos, gan) -> None:
    trainlint.write("trainlint.toml", 'exclude = ["gan.yml"]\n')
    assert trainlint(".", "--show-files").stdout == "typos.yml\n"


def test_a_level_is_raised_as_well_as_lowered(trainlint) -> None:
    trainlint.write("a.yml", (EXAMPLES / "compact_x4.yml").read_text(encoding="utf-8"))
    assert trainlint("a.yml", *LINT).returncode == 0
    done = trainlint("a.yml", *LINT, "--config", "levels.session-straddles=fail")
    assert done.returncode == 1
    assert "error[session-straddles]" in done.stdout
    assert trainlint("a.yml", *LINT, "--config", "levels.session-straddles=hard").returncode == 2


def test_what_only_one_reading_has_stays_a_warning_where_its_rule_is_raised(trainlint) -> None:
    trainlint.write("train.sh", "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10 --gpu_ids 0,1\n")
    done = trainlint("train.sh", *LINT, "--config", "levels.unknown-key=fail")
    assert "warning[unknown-key]" in done.stdout
    assert done.returncode == 0


def test_ignores_are_written_with_their_reason_and_change_nothing_else(trainlint, typos) -> None:
    trainlint.write("train.sh", "python train_vae.py --image_size 256 --batch_size 4\n" * 2)
    before = typos.read_text(encoding="utf-8")
    done = trainlint("typos.yml", "train.sh", *LINT, "--add-ignore", "known, see #12")
    assert done.returncode == 0
    assert "ignored typos.yml:17: crop-scale\n" in done.stderr
    text = typos.read_text(encoding="utf-8")
    assert "    # trainlint: ignore[crop-scale] known, see #12\n    gt_size: 126\n" in text
    assert [line for line in text.splitlines() if "trainlint:" not in line] == before.splitlines()
    again = trainlint("typos.yml", "train.sh", *LINT, "--format", "json")
    assert rules(again) == []
    assert again.returncode == 0


def test_an_ignore_joins_the_one_above_and_only_selected_rules_are_ignored(trainlint, typos) -> None:
    text = typos.read_text(encoding="utf-8")
    trainlint.write(
        "typos.yml", text.replace("  upscale: 2", "  # trainlint: ignore[unknown-key] old\n  upscale: 2")
    )
    trainlint("typos.yml", *LINT, "--select", "network-scale", "--add-ignore", "a reason")
    after = typos.read_text(encoding="utf-8")
    assert "  # trainlint: ignore[unknown-key, network-scale] old\n  upscale: 2\n" in after
    assert after.count("trainlint: ignore") == 1


def test_where_no_comment_can_be_the_finding_is_named(trainlint) -> None:
    """A comment would end the command at its continued line."""
    text = "python train_vae.py \\\n  --data_path d \\\n  --image_size 1024 \\\n  --batch_size 16\n"
    script = trainlint.write("train.sh", text)
    done = trainlint("train.sh", *LINT, "--select", "vram-budget", "--add-ignore", "a reason")
    assert "train.sh:4: no comment can be written here: vram-budget" in done.stderr
    assert done.returncode == 1
    assert script.read_text(encoding="utf-8") == text
    assert trainlint("train.sh", *LINT, "--add-ignore", " ").returncode == 2


def test_a_file_that_is_read_only_gets_no_comment(trainlint, typos) -> None:
    before = typos.read_text(encoding="utf-8")
    typos.chmod(0o444)
    done = trainlint("typos.yml", *LINT, "--add-ignore", "a reason")
    assert done.returncode == 2
    assert '"typos.yml" is read-only' in done.stderr
    assert typos.read_text(encoding="utf-8") == before


def test_only_what_is_new_against_a_revision_is_reported(trainlint, typos, committed) -> None:
    unchanged = trainlint(".", *LINT, "--since", "HEAD")
    assert (unchanged.returncode, "not judged again" in unchanged.stdout) == (0, True)
    text = committed.read_text(encoding="utf-8")
    committed.write_text(text.replace("  num_feat: 64", "  num_feet: 64"), encoding="utf-8")
    done = trainlint(".", *LINT, "--since", "HEAD", "--format", "json")
    assert {one["path"] for one in json.loads(done.stdout)["results"]} == {"gan.yml"}
    assert rules(done) == ["network-arguments"]
    assert trainlint(".", *LINT, "--since", "no-such-revision").returncode == 2


@pytest.mark.rest
def test_a_fix_of_one_rule_is_the_edit_that_the_report_shows(trainlint) -> None:
    root = Path(__file__).parents[2]
    example = (root / "examples" / "realesrgan_x4.yml").read_text("utf-8")
    options = ("-t", "kaggle-t4x2", "--no-trace")
    trainlint.write("r.yml", example)
    shown = trainlint("r.yml", *options).stdout
    assert "12 -> 6" in shown
    assert "apply: --fix --unsafe-fixes --select vram-budget" in shown
    asked = (*options, "--unsafe-fixes", "--select", "vram-budget")
    assert "+    batch_size_per_gpu: 6\n" in trainlint("r.yml", *asked, "--diff").stdout
    assert "12 -> 6" in trainlint("r.yml", *asked, "--fix").stderr


def test_a_fix_of_one_rule_says_how_many_it_fixed(trainlint, typos, gan) -> None:
    done = trainlint(".", *LINT, "--select", "number-as-string", "--select", "network-scale", "--fix")
    assert "number-as-string: 1 finding fixed, 0 left" in done.stderr
    assert "network-scale: 0 findings fixed, 1 left" in done.stderr


def test_a_rules_page_is_named_where_no_link_can_be(trainlint, typos) -> None:
    page = "https://trainlint.github.io/trainlint/rules/crop-scale/"
    assert f"= {page}" in trainlint("typos.yml", *LINT, "-v").stdout
    log = json.loads(trainlint("typos.yml", *LINT, "--format", "sarif").stdout)
    listed = {rule["id"]: rule["helpUri"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert listed["crop-scale"] == page
