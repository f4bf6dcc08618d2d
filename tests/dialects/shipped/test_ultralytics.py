# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of arguments of ultralytics' YOLO: which they are, what they ask for, and what starts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.shipped.dialect_jobs import fields, job, jobs, said
from trainlint.dry_run.starting.known_command import dry_run_of

ARGS = """\
task: segment
model: yolo11n-seg.yaml
data: coco8-seg.yaml
epochs: 100
batch: 16
imgsz: 640
device: 0,1
amp: true
nbs: 64
save_period: 10
optimizer: auto
"""


def made(text):
    return job(text, "args.yaml", "ultralytics")


def test_what_a_file_asks_for():
    assert fields(made(ARGS), "batch.total", "gpus", "parallel", "accumulate") == (16, 2, "ddp", 4)
    assert fields(made(ARGS), "precision", "gradient_clip") == ("fp16", 10.0)
    assert fields(made(ARGS), "checkpoint.every_epochs", "duration.epochs", "optimizers") == (10, 100, None)


@pytest.mark.parametrize(
    ("line", "names", "values"),
    [
        ("batch: -1", ("batch.total", "accumulate"), (None, None)),  # it is measured at the start
        ("batch: 0.7", ("batch.total", "accumulate"), (None, None)),
        ("batch: 128", ("batch.total", "accumulate"), (128, 1)),
        ("device: 0", ("gpus", "parallel"), (1, "none")),
        ("device: [0, 1, 2]", ("gpus", "parallel"), (3, "ddp")),
        ("device: cpu", ("gpus", "parallel"), (None, "none")),
        ("amp: bf16", ("precision",), ("bf16",)),
        ("amp: false", ("precision",), ("fp32",)),
        ("save_period: -1", ("checkpoint.every_epochs",), (None,)),
        ("optimizer: AdamW", ("optimizers",), ([{"role": "model", "type": "AdamW"}],)),
        ("resume: true", ("resume",), ("true",)),
    ],
)
def test_one_line_is_another(line, names, values):
    key = line.partition(":")[0]
    rest = "".join(kept for kept in ARGS.splitlines(keepends=True) if not kept.startswith(f"{key}:"))
    assert fields(made(f"{rest}{line}\n"), *names) == values


@pytest.mark.parametrize(
    ("line", "rule", "words"),
    [
        ("mosiac: 1.0", "unknown-key", '"mosiac"; did you mean "mosaic"'),
        ("cos_lr: 'yes'", "wrong-type", "expected true or false"),
        ("hsv_h: 1.5", "wrong-value", "hsv_h"),
        ("patience: 2.5", "wrong-type", "patience"),
    ],
)
def test_what_the_program_stops_at(line, rule, words):
    ((found, message),) = said(made(f"{ARGS}{line}\n"))
    assert found == rule
    assert words in message


def test_names_that_it_used_to_take_are_none_of_its_errors():
    assert said(made(f"{ARGS}label_smoothing: 0.1\nhalf: false\nline_thickness: 2\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "path: ../datasets/coco8\ntrain: images/train\nval: images/val\nnc: 80\nnames: [a]\n",  # a data set
        "lr0: 0.01\nlrf: 0.1\nmomentum: 0.937\nbox: 0.05\nanchor_t: 4.0\nfl_gamma: 0.0\n",  # YOLOv5
        "model: resnet50\nepochs: 300\nbatch_size: 128\nlr: 0.1\nsched: cosine\namp: true\n",  # timm
        "nc: 80\nscales: {n: [0.5, 0.25, 1024]}\nbackbone: []\nhead: []\n",  # a network
    ],
)
def test_neighbours_are_not_taken_for_it(text):
    assert jobs(text, "some.yaml")[0] != "ultralytics"


def test_it_is_started_by_the_installed_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert dry_run_of(made(ARGS)) == "trainlint dry-run --store args.yaml"
