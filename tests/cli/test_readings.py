# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an input leaves open is judged in every way: launched or not. A fail holds in all of them."""

from __future__ import annotations

import json

import pytest

POOL = (
    ("model_type: SRModel", "model_type: RealESRGANModel\nqueue_size: 180\ngt_size: 256"),
    ("type: PairedImageDataset", "type: RealESRGANDataset"),
    ("batch_size_per_gpu: 16", "batch_size_per_gpu: 12"),
    ("num_gpu: 1", "num_gpu: auto"),
)
"""A pool of 180 samples: a multiple of 12, not of the 24 that one process of two GPUs takes."""


@pytest.fixture
def judge(trainlint, variant):
    trainlint.write("pool.yml", variant(*POOL))

    def judged(*options: str) -> list:
        done = trainlint("pool.yml", "-t", "kaggle-t4x2", "--no-trace", "--format", "json", *options)
        return json.loads(done.stdout)["results"]

    return judged


def pool(result):
    found = [one for one in result["findings"] if one["rule"] == "queue-not-divisible"]
    return [(one["level"], one["holds_in"]) for one in found]


def test_without_a_word_both_are_judged_and_neither_fails_for_the_other(judge) -> None:
    plain, launched = judge()
    assert (plain["variant"], launched["variant"]) == ("without a launcher", "with a launcher")
    assert plain["launcher"] == {"value": "none", "basis": "unknown"}
    assert launched["launcher"] == {"value": "torchrun", "basis": "unknown"}
    assert pool(plain) == [("warn", ["without a launcher"])]
    assert pool(launched) == []
    assert "queue-not-divisible" not in {one["rule"] for one in plain["findings"] if one["level"] == "fail"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--launcher", "none"], [("fail", None)]),
        (["--launcher", "torchrun:2"], []),
        (["--launcher", "torchrun"], []),
        (["--gpus", "1"], []),
        (["--reading", "without"], [("fail", None)]),
        (["--reading", "with a"], []),
    ],
)
def test_flags_decide(judge, options, expected) -> None:
    (result,) = judge(*options)
    assert pool(result) == expected


def test_settings_decide_by_glob(trainlint, judge) -> None:
    trainlint.write("trainlint.toml", '[[files]]\nmatch = "pool*"\nlauncher = "none"\n')
    (result,) = judge()
    assert pool(result) == [("fail", None)]
    assert result["launcher"] == {"value": "none", "basis": "setting"}
    (flagged,) = judge("--launcher", "torchrun")
    assert (pool(flagged), flagged["launcher"]["basis"]) == ([], "flag")


def test_more_processes_than_gpus_is_the_users_word(judge) -> None:
    (result,) = judge("--launcher", "torchrun:4")
    assert [one["level"] for one in result["findings"] if one["rule"] == "more-gpus-than-target"] == ["fail"]


def test_a_launcher_that_does_not_exist_is_refused(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    for wrong in ("tochrun", "none:2", "torchrun:0", "torchrun:x"):
        done = trainlint("a.yml", "--launcher", wrong)
        assert done.returncode == 2
        assert f'"{wrong}" is not one of none, torchrun, slurm' in done.stderr


def test_one_gpu_has_one_reading(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    (result,) = trainlint.json("a.yml", "-t", "kaggle-t4x2", "--no-trace")["results"]
    assert (result["variant"], result["launcher"]) == (None, {"value": "none", "basis": "unknown"})


def test_a_config_for_eight_gpus_on_one_card_is_read_both_ways(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(("num_gpu: 1", "num_gpu: 8")))
    found = trainlint.json("a.yml", "-t", "rtx-4090", "--no-trace")["results"]
    named = {result["variant"]: [one["rule"] for one in result["findings"]] for result in found}
    assert "fewer-gpus-than-named" in named["without a launcher"]
    assert "fewer-gpus-than-named" not in named["with a launcher"]


def test_a_command_has_said_it(trainlint) -> None:
    trainlint.write("a.sh", "torchrun --nproc_per_node=2 basicsr/train.py -opt a.yml --launcher pytorch\n")
    (result,) = trainlint.json("a.sh", "-t", "kaggle-t4x2", "--no-trace")["results"]
    assert result["launcher"] == {"value": "pytorch", "basis": "command"}


def test_text_has_a_line_for_each_reading_and_the_finding_once(trainlint, variant) -> None:
    trainlint.write("pool.yml", variant(*POOL))
    shown = trainlint("pool.yml", "-t", "kaggle-t4x2", "--no-trace", "-v").stdout
    assert shown.count("pool of 180 samples") == 1
    assert (
        "warning[queue-not-divisible]: without a launcher: a pool of 180 samples is not a multiple of the 24"
        in shown
    )
    assert "      without a launcher  " in shown
    assert "      with a launcher     " in shown


def test_fix_leaves_alone_what_one_reading_needs(trainlint, variant) -> None:
    path = trainlint.write("pool.yml", variant(*POOL))
    before = path.read_text()
    trainlint("pool.yml", "-t", "kaggle-t4x2", "--no-trace", "--fix", "--unsafe-fixes")
    assert path.read_text() == before
    trainlint("pool.yml", "-t", "kaggle-t4x2", "--no-trace", "--fix", "--unsafe-fixes", "--launcher", "none")
    assert "queue_size: 168" in path.read_text() or "queue_size: 192" in path.read_text()


def test_an_ignore_that_one_reading_needs_is_used(trainlint, variant) -> None:
    commented = ("queue_size: 180", "queue_size: 180  # trainlint: ignore[queue-not-divisible] torchrun")
    text = variant(*POOL).replace(*commented)
    trainlint.write("pool.yml", text)
    found = trainlint.json("pool.yml", "-t", "kaggle-t4x2", "--no-trace")["results"]
    rules = {one["rule"] for result in found for one in result["findings"]}
    assert not {"queue-not-divisible", "unused-ignore"} & rules


def test_a_job_that_fails_in_every_reading_fails(trainlint) -> None:
    trainlint.write("a.sh", "python train_CR_kaggle.py --gpu_ids 0 --local_rank 0\n")
    done = trainlint("a.sh", "--format", "json")
    found = json.loads(done.stdout)["results"]
    levels = [{one["rule"]: one["level"] for one in result["findings"]} for result in found]
    assert done.returncode == 1
    assert [each["no-reading-works"] for each in levels] == ["fail"] * 3
    assert {each["unknown-key"] for each in levels} == {"warn"}
    trainlint.write("a.sh", "python train_CR_kaggle.py\n")
    assert trainlint("a.sh").returncode == 0


def test_a_version_that_runs_on_one_card_keeps_two_others_from_failing(trainlint) -> None:
    trainlint.write("a.sh", "python train_CR_kaggle.py --gpu_ids 0,1\n")
    found = trainlint.json("a.sh", "-t", "kaggle-t4x2", "--no-trace")["results"]
    levels = [{one["rule"]: one["level"] for one in result["findings"]} for result in found]
    assert levels[0]["nested-data-parallel"] == levels[2]["unknown-key"] == "warn"
    assert not {"nested-data-parallel", "unknown-key"} & set(levels[1])
    assert [len(result["facts"]["memory"]["gpus"]) for result in found] == [2, 1, 2]


def test_without_a_target_the_readings_take_one_line(trainlint, variant) -> None:
    trainlint.write("two.yml", variant(("num_gpu: 1", "num_gpu: 2")))
    said = trainlint("two.yml", "-v").stdout
    assert "      read in 2 ways, alike without a target: without a launcher, with a launcher\n" in said
    assert said.count("with a launcher") == 1
