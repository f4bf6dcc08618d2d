# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""trainlint's own job description."""

from __future__ import annotations

import pytest

from .dialect_jobs import fields, job, said

JOB = """
trainlint: 1
name: mine
model: mypackage.nets:Net
args: {width: 64}
input: [3, 64, 64]
target: [3, 256, 256]
loss: l1
batch: 16
optimizer: {type: SGD, momentum: 0.9}
precision: bf16
gpus: 2
parallel: ddp
workers: 4
iterations: 100000
checkpoint: {every: 5000, keep: 3}
validation: {height: 512, width: 512}
ema: 0.999
"""


def native(text):
    return job(text, "job.yml", "trainlint")


def test_fields():
    made = native(JOB)
    assert said(made) == []
    assert fields(made, "networks.generator.arch", "networks.generator.args") == (
        "mypackage.nets:Net",
        {"width": 64},
    )
    assert fields(made, "channels", "crop.lq", "crop.hr", "batch.per_gpu") == (3, 64, 256, 16)
    assert fields(made, "gpus", "launcher", "precision", "ema") == (2, "pytorch", "bf16", 0.999)
    assert made.spec["losses"] == [{"role": "loss", "type": "l1"}]
    assert made.spec["optimizers"] == [{"role": "generator", "type": "SGD", "momentum": 0.9}]
    assert fields(made, "checkpoint.every", "checkpoint.keep") == (5000, 3)
    assert made.spec["options"] == {"input": [3, 64, 64], "target": [3, 256, 256]}


def test_four_lines_are_enough():
    made = native("trainlint: 1\nmodel: RRDBNet\ninput: [3, 48, 48]\nbatch: 4\n")
    assert said(made) == []
    assert made.spec["optimizers"] == [{"role": "generator", "type": "AdamW"}]
    assert fields(made, "precision", "networks.generator.args") == ("fp32", {})


def test_attention_can_be_said_to_be_written_out():
    text = "trainlint: 1\nmodel: timm/deit_tiny_patch16_224\ninput: [3, 224, 224]\nbatch: 4\n"
    assert native(f"{text}attention: eager\n").spec["options"]["fused_attention"] is False
    assert "fused_attention" not in native(f"{text}attention: fused\n").spec["options"]
    assert said(native(f"{text}attention: slow\n"))


def test_several_inputs():
    made = native("trainlint: 1\nmodel: a:B\ninput: [[13, 32, 32], [2, 32, 32]]\nbatch: 4\n")
    assert said(made) == []
    assert made.spec["crop.lq"] == 32


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("trainlint: 1", "trainlint: 2", "wrong-value"),
        ("batch: 16", "batch: 0", "wrong-value"),
        ("input: [3, 64, 64]", "input: 64", "wrong-type"),
        ("workers: 4", "worker: 4", "unknown-key"),
        ("precision: bf16", "precision: half", "wrong-value"),
        ("model: mypackage.nets:Net", "model: 'a; b'", "wrong-value"),
        ("batch: 16\n", "", "missing-key"),
    ],
)
def test_mistakes(old, new, rule):
    assert old in JOB
    assert rule in [name for name, _ in said(native(JOB.replace(old, new)))]


@pytest.mark.parametrize("optimizer", ["Adamm", "{type: Adamm}"])
def test_an_optimizer_that_torch_does_not_have_is_named(optimizer) -> None:
    (problem,) = said(native(JOB.replace("{type: SGD, momentum: 0.9}", optimizer)))
    assert "Adamm" in str(problem)
    assert "AdamW" in str(problem)


def test_a_misspelt_key_is_told_with_the_one_that_was_meant():
    made = native("trainlint: 1\nmodel: x:Y\ninput: [3, 8, 8]\nbatch: 2\npresicion: fp16\n")
    message = 'trainlint refuses the unknown key "presicion"; did you mean "precision"?'
    assert said(made) == [("unknown-key", message)]
