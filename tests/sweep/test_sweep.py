# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep says of every combination what a single check says."""

from __future__ import annotations

import random

import pytest

from tests.sweep.conftest import EXAMPLES
from trainlint.model.launcher import Launcher
from trainlint.sweep.rule_table import Mark

WORDS = {Mark.PASS: "pass", Mark.OPEN: "open", Mark.FAIL: "fail"}

MSRRESNET = (
    EXAMPLES / "msrresnet_x4.yml",
    "datasets.train.batch_size_per_gpu=1,2,16,64,150,200,400,0",
    "datasets.train.num_worker_per_gpu=2,16",
    "train.total_iter=1000,400000,90000000",
    "logger.save_checkpoint_freq=100,5000,100000000",
    "train.optim_g.lr=0.1,0.0002",
    "train.ema_decay=0,0.999",
)
REAL = (
    EXAMPLES / "realesrgan_x4.yml",
    "datasets.train.batch_size_per_gpu=1,5,6,12,14,18",
    "queue_size=180,120,12",
    "gt_size=256,128,100",
    "scale=4,2",
    "num_gpu=1,auto",
    "train.total_iter=4000,400000",
)


@pytest.mark.rest
@pytest.mark.parametrize(
    ("case", "target", "count"),
    [
        (MSRRESNET, "kaggle-t4x2", 40),
        (MSRRESNET, "rtx-4090", 40),
        pytest.param(REAL, "kaggle-t4x2", 15, marks=pytest.mark.slow),
        (REAL, "4GiB", 15),
    ],
)
def test_it_says_of_combinations_by_chance_what_a_single_check_says(sweeper, case, target, count) -> None:
    judge = sweeper(target)
    swept = judge(*case)
    chance = random.Random(7)  # noqa: S311 - a sample, no secret
    seen = set()
    for _ in range(count):
        combination = tuple(chance.randrange(len(axis.values)) for axis in swept.axes)
        verdict = swept.verdict(combination)
        word, fails = judge.single(swept, combination)
        assert (WORDS[verdict.mark], combination) == (word, combination)
        if word == "fail":
            assert set(verdict.rules) == fails or fails == {"no-reading-works"}
        seen.add(word)
    assert "fail" in seen
    assert len(seen) > 1 or target == "4GiB"


@pytest.mark.rest
def test_every_combination_is_counted_once(sweeper) -> None:
    swept = sweeper("kaggle-t4x2")(*MSRRESNET)
    every = [verdict.mark for _, verdict in swept.every()]
    assert swept.combinations == len(every) == 8 * 2 * 3 * 3 * 2 * 2
    for mark in Mark:
        assert swept.count(mark) == every.count(mark)


SFT = """\
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
dataset: identity
template: llama3
cutoff_len: 2048
output_dir: saves
per_device_train_batch_size: 1
learning_rate: 1.0e-4
num_train_epochs: 3.0
bf16: true
"""


def test_what_fails_in_one_reading_alone_is_no_pass(sweeper, tmp_path) -> None:
    """Batch 4 of 4,096 tokens does not fit a 4090; of short samples it does."""
    (tmp_path / "sft.yaml").write_text(SFT, "utf-8")
    swept = sweeper("rtx-4090")(
        tmp_path / "sft.yaml", "per_device_train_batch_size=1,4", "cutoff_len=1024,4096"
    )
    verdicts = dict(swept.every())
    assert verdicts[0, 0].mark is Mark.PASS
    assert (verdicts[1, 1].mark, verdicts[1, 1].rules) == (Mark.OPEN, ("vram-budget",))
    assert verdicts[1, 1].why == ("fails with samples of cutoff_len",)


def test_a_model_whose_weights_do_not_fit_fails_though_its_step_is_not_stored(sweeper) -> None:
    models = "model_name_or_path=meta-llama/Llama-2-70b-hf,Qwen/Qwen3-4B-Instruct-2507"
    judge = sweeper("rtx-4090", Launcher("none", "flag"))
    swept = judge(EXAMPLES / "trainers" / "llamafactory_lora.yaml", models, "learning_rate=1e-4,2e-4")
    assert swept.verdict((0, 1)).rules == ("base-model-beyond-card",)
    for combination, word in (((0, 0), "fail"), ((1, 0), "pass")):
        assert WORDS[swept.verdict(combination).mark] == judge.single(swept, combination)[0] == word


def test_values_that_change_the_same_part_are_read_together(sweeper) -> None:
    """The crop of the input is the target's by the scale: neither says it alone."""
    swept = sweeper("rtx-4090")(EXAMPLES / "realesrgan_x4.yml", "scale=4,2", "gt_size=256,128,100")
    assert swept.coupled
    assert {swept.axes[axis].key for axis in swept.coupled} <= {"scale", "gt_size"}


def test_what_shapes_nothing_makes_no_distinct_step(sweeper) -> None:
    swept = sweeper("rtx-4090")(
        EXAMPLES / "msrresnet_x4.yml",
        "train.optim_g.lr=0.1,0.01,0.001",
        "datasets.train.batch_size_per_gpu=2,4",
    )
    assert swept.steps == 2
    assert swept.combinations == 6
