# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The stage of ZeRO: in a config's own text, in the DeepSpeed file that it names, in accelerate's config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainlint.dialects.extract.deepspeed_stage import with_zero_stage
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.model.spec import TrainSpec, Value

SPEC = TrainSpec({"model.base": Value("Qwen/Qwen3-4B")})
ZERO3 = json.dumps({"zero_optimization": {"stage": 3}})


def stage(folder: Path, text: str, name: str = "train.yaml") -> object:
    path = folder / name
    path.write_text(text, "utf-8")
    document = read(source_of(path.read_bytes(), str(path)))[0]
    return with_zero_stage(SPEC, document).get("zero_stage")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "examples" / "deepspeed").mkdir(parents=True)
    (tmp_path / "examples" / "deepspeed" / "ds.json").write_text(ZERO3, "utf-8")
    return tmp_path


def test_a_named_file_is_found_above_the_config(folder: Path) -> None:
    assert stage(folder / "examples", "deepspeed: examples/deepspeed/ds.json\n") == 3
    assert stage(folder, "deepspeed: {zero_optimization: {stage: 2}}\n") == 2


@pytest.mark.parametrize(
    "text",
    ["deepspeed: elsewhere/ds_z3.json\n", "deepspeed: ../../etc/passwd\n", "deepspeed: null\n", "a: 1\n",
     "deepspeed: {zero_optimization: {stage: three}}\n", "deepspeed: {zero_optimization: 3}\n"],
)  # fmt: skip
def test_what_is_not_there_says_nothing(folder: Path, text: str) -> None:
    assert stage(folder, text) is None


def test_a_file_that_is_no_json_says_nothing(folder: Path) -> None:
    (folder / "ds.json").write_text("{zero", "utf-8")
    assert stage(folder, "deepspeed: ds.json\n") is None


@pytest.mark.parametrize(
    ("more", "expected"),
    [("  zero_stage: 2\n", 2), ("  deepspeed_config_file: examples/deepspeed/ds.json\n", 3)],
)
def test_accelerates_config_has_a_stage_or_names_the_file(folder: Path, more: str, expected: int) -> None:
    config = f"distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config:\n{more}"
    (folder / "zero.yaml").write_text(config, "utf-8")
    command = "accelerate launch --config_file zero.yaml train.py --batch-size 8\n"
    assert stage(folder, command, "run.sh") == expected
    (folder / "zero.yaml").write_text(config.replace("DEEPSPEED", "MULTI_GPU"), "utf-8")
    assert stage(folder, command, "run.sh") is None
