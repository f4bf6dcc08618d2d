# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint spec`: what was read, where it is from, and in which line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main
from trainlint.errors import UsageError

CONFIG = """\
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train: {type: PairedImageDataset, gt_size: 128, batch_size_per_gpu: 16}
train: {total_iter: 1000}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "x4.yml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["spec", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_every_field_has_its_value_origin_and_place(config: Path) -> None:
    heading, *rows = printed(config).splitlines()
    assert heading == f"{config}:1: BasicSR"
    fields = {row.split()[0]: row.split(maxsplit=1)[1] for row in rows}
    assert fields["scale"].split() == ["4", "written", f"{config}:2"]
    assert fields["crop.lq"].split() == ["32", "derived", f"{config}:5,", f"{config}:2"]
    assert fields["channels_last"].split() == ["false", "default", "of", "the", "trainer"]


def test_json_has_the_same_with_columns(config: Path) -> None:
    (job,) = json.loads(printed(config, "--format", "json"))["jobs"]
    assert (job["dialect"], job["variant"], job["target"], job["line"]) == ("basicsr", None, None, 1)
    fields = {each["field"]: each for each in job["fields"]}
    assert fields["scale"] == {
        "field": "scale",
        "value": 4,
        "origin": "written",
        "places": [{"key": "scale", "line": 2, "column": 1}],
    }
    assert fields["accumulate"]["origin"] == "default"


def test_on_a_target_it_is_the_placed_spec(config: Path) -> None:
    (heading, *_), *_ = [part.splitlines() for part in printed(config, "-t", "kaggle-t4x2").split("\n\n")]
    assert heading.endswith("BasicSR, on kaggle-t4x2")


def test_a_file_that_no_dialect_knows_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.yml"
    path.write_text("a: 1\n", encoding="utf-8")
    with pytest.raises(
        UsageError, match=f"{path}: not a config of a trainer that trainlint knows; lint the config"
    ):
        printed(path)


def test_the_signs_of_a_dialect_that_a_file_lacks_are_listed(trainlint, config) -> None:
    trainlint.write("b.yml", "model_type: SRModel\nlr: 0.1\n")
    trainlint.write("c.toml", "a = 1\n")
    assert trainlint("spec", str(config), "--dialect", "basicsr").stdout == f"{config}:1: basicsr\n"
    done = trainlint("spec", "b.yml", "--dialect", "kair")
    assert done.returncode == 1
    assert done.stdout.startswith("b.yml:1: not kair\n  it is yaml, expected json\n")
    assert "  not so: 'model' in flat\n" in trainlint("spec", "b.yml", "--dialect", "timm").stdout
    lacking = trainlint("spec", "c.toml", "--dialect", "neosr").stdout
    assert "  0 of the 4 signs that it takes\n    not there: network_g.type\n" in lacking
    some = trainlint("spec", "b.yml", "--dialect", "basicsr").stdout
    assert "  1 of the 4 signs that it takes\n    there: model_type && " in some
    wrong = trainlint("spec", str(config), "--dialect", "basicsrr")
    assert (wrong.returncode, 'did you mean "basicsr"?' in wrong.stderr) == (2, True)


def test_two_readings_of_a_config_are_told_apart(config: Path) -> None:
    config.write_text(CONFIG.replace("num_gpu: 1", "num_gpu: 2"), encoding="utf-8")
    headings = [
        line
        for line in printed(config, "--target", "kaggle-t4x2").splitlines()
        if line.startswith(str(config))
    ]
    assert headings == [
        f"{config}:1: BasicSR, {how} a launcher, on kaggle-t4x2" for how in ("without", "with")
    ]
