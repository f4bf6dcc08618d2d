# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training log instead of the estimate: --log, and --log-gpu for another card's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "realesrgan_x4.yml"
"""Its step is stored in the package."""

LINE = (
    "2026-01-02 10:00:00,123 INFO: [photo..][epoch:  0, iter:{i:8,d}, lr:(1.000e-04,)]"
    " [eta: 1:00:00, time (data): 0.500 ({data:.3f})] l_pix: 2.1e-02 \n"
)


@pytest.fixture
def judge(trainlint):
    def judged(*options: str, data: float = 0.001) -> dict:
        trainlint.write("a.yml", EXAMPLE.read_text(encoding="utf-8"))
        trainlint.write("train.log", "".join(LINE.format(i=100 * i, data=data) for i in range(1, 20)))
        done = trainlint("a.yml", "-t", "kaggle-t4x2", "--no-trace", "--format", "json", *options)
        return json.loads(done.stdout)["results"][0]

    return judged


def test_the_estimate_is_a_range_and_says_so(judge) -> None:
    time = judge()["facts"]["time"]
    low, middle, high = time["step_seconds"]
    assert 0 < low < middle < high
    assert time["basis"] == "roofline"


def test_a_log_replaces_it(judge) -> None:
    result = judge("--log", "train.log")
    time = result["facts"]["time"]
    assert time["step_seconds"] == pytest.approx([0.4995, 0.5, 0.5005])  # "0.500" in the log
    assert (time["basis"], time["data_seconds"]) == ("log", 0.001)
    assert "loader-bound" not in {one["rule"] for one in result["findings"]}


def test_waiting_for_the_loader_is_a_warning(judge) -> None:
    (found,) = [
        one for one in judge("--log", "train.log", data=0.2)["findings"] if one["rule"] == "loader-bound"
    ]
    assert (found["level"], "200 ms of 500 ms" in found["message"]) == ("warn", True)


def test_a_log_of_a_faster_card_is_scaled(judge) -> None:
    time = judge("--log", "train.log", "--log-gpu", "rtx-4090")["facts"]["time"]
    low, middle, high = time["step_seconds"]
    assert 0.5 < low < middle < high
    assert time["basis"] == "log of the NVIDIA GeForce RTX 4090, scaled"
    assert judge("--log", "train.log", "--log-gpu", "t4")["facts"]["time"]["basis"] == "log"


@pytest.mark.rest
def test_waiting_for_the_loader_is_not_scaled(judge, trainlint) -> None:
    """0.1 of 0.5 s are the loader's: they may vanish behind a slower card, and a faster one waits still."""
    options = ("--log", "train.log", "--log-gpu", "rtx-4090")
    slower = judge(*options, data=0.1)["facts"]["time"]
    whole = judge(*options, data=0.0)["facts"]["time"]
    assert slower["step_seconds"][0] == pytest.approx(whole["step_seconds"][0] * 0.3995 / 0.4995)
    assert slower["step_seconds"][1:] == whole["step_seconds"][1:]
    assert slower["loading"] is not None
    asked = (
        "a.yml",
        "-t",
        "rtx-4090",
        "--no-trace",
        "--format",
        "json",
        "--log",
        "train.log",
        "--log-gpu",
        "t4",
    )
    judge(data=0.2)
    (faster,) = json.loads(trainlint(*asked).stdout)["results"]
    assert faster["facts"]["time"]["step_seconds"][2] == pytest.approx(0.5005)
    judge(data=0.05)
    (faster,) = json.loads(trainlint(*asked).stdout)["results"]
    assert faster["facts"]["time"]["step_seconds"][2] < 0.2


@pytest.mark.rest
@pytest.mark.parametrize("command", [(), ("fit",)])
def test_a_log_is_of_one_card(trainlint, judge, command) -> None:
    """Compared on several its seconds were taken for those of each."""
    assert judge()["findings"]
    asked = (*command, "a.yml", "--no-trace", "--log", "train.log", "-t", "kaggle-t4x2", "-t")
    refused = trainlint(*asked, "rtx-4090")
    assert refused.returncode == 2
    assert "--log is of one card, t4 or rtx-4090? Say which with --log-gpu" in refused.stderr
    assert "is of one card" not in trainlint(*asked, "rtx-4090", "--log-gpu", "t4").stderr
    assert "is of one card" not in trainlint(*asked, "colab-t4").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--log", "a.yml"], "--log a.yml: 0 times per iteration found"),
        (["--log-gpu", "t4"], "--log-gpu needs --log"),
        (["--log", "absent"], "does not exist"),
        (["--log", "good.log", "--log-gpu", "rtx-9999"], 'unknown GPU "rtx-9999"'),
    ],
)
def test_what_is_no_log_is_refused(trainlint, config, options, message) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("good.log", "".join(LINE.format(i=100 * i, data=0.1) for i in range(1, 20)))
    done = trainlint("a.yml", "-t", "t4", *options)
    assert done.returncode == 2
    assert message in done.stderr
