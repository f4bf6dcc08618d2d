# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job that needs too much memory is given one edit, whoever is asked."""

from __future__ import annotations

import pytest

from bench.reading.advice import EXAMPLES, rows

LLAMA = """\
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_target: all
dataset: identity
template: llama3
cutoff_len: 2048
output_dir: saves
per_device_train_batch_size: 4
gradient_accumulation_steps: 8
bf16: true
"""
"""24 GiB are too little for samples of cutoff_len alone: only one of two readings fails."""


@pytest.mark.slow
def test_headings_of_a_file_are_no_part_of_its_keys(tmp_path) -> None:
    """sd-scripts reads its TOML files so; no edit of one was offered."""
    text = (EXAMPLES / "trainers" / "sdxl_lora.toml").read_text(encoding="utf-8")
    job = tmp_path / "sdxl_lora.toml"
    job.write_text(text.replace("train_batch_size = 1", "train_batch_size = 8"), encoding="utf-8")
    ((_, answers),) = rows(str(job), "12GiB")
    assert answers.alike
    assert answers.check.startswith("train_batch_size: 8 -> 4, add gradient_accumulation_steps = 2 ")


@pytest.mark.slow
def test_what_only_one_reading_needs_is_the_same_edit(tmp_path) -> None:
    job = tmp_path / "lora.yaml"
    job.write_text(LLAMA, encoding="utf-8")
    ((_, answers),) = rows(str(job), "rtx-4090")
    assert answers.alike
    assert answers.check


@pytest.mark.rest
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("realesrgan_x4.yml", "rtx-3060"),
        ("trainers/kair_rrdb_x4.json", "12GiB"),
        ("trainers/neosr_x4.toml", "4GiB"),
        ("trainers/trainner-redux_x4.yml", "4GiB"),
        ("trainers/timm.sh", "4GiB"),
    ],
)
def test_an_example_of_each_trainer_has_one_edit(name, target) -> None:
    ((_, answers),) = rows(str(EXAMPLES / name), target)
    assert answers.alike
    assert answers.check
