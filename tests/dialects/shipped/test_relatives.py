# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trainers that grew out of BasicSR and read other keys: what only some of the family read is not missing."""

from __future__ import annotations

import pytest

from .dialect_jobs import job, said
from .test_legacy import CONFIG as LEGACY

ASSESSOR = """
name: assess
model_type: {model}
num_gpu: 1
datasets:
  train: {{name: photos, type: Scored, dataroot_target: photos, batch_size_per_gpu: 8, num_worker_per_gpu: 4}}
network: {{type: Scores}}
path: {{strict_load_g: true}}
train:
  total_iter: 1000
  optim: {{type: Adam, lr: !!float 1e-4}}
logger: {{print_freq: 100, save_checkpoint_freq: !!float 5e3}}
"""


def missing(made):
    return [message for rule, message in said(made) if rule == "missing-key"]


def test_a_model_class_of_a_fork_may_call_its_network_otherwise():
    assert missing(job(ASSESSOR.format(model="ScoreModel"), "a.yml", "basicsr")) == []
    stock = missing(job(ASSESSOR.format(model="SRModel"), "a.yml", "basicsr"))
    assert any('"network_g"' in message for message in stock)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("scale: 4", ""),
        ("scale: 4", "distortion: deblur"),
        ("scale: 4", "distortion: sr\ndegradation: {scale: 4, sigma: 50}"),
    ],
)
def test_the_scale_is_read_where_the_task_is_super_resolution(before: str, after: str):
    assert missing(job(LEGACY.replace(before, after, 1), "train.yml", "basicsr-legacy")) == []
    needed = missing(job(LEGACY.replace("scale: 4", "distortion: sr", 1), "train.yml", "basicsr-legacy"))
    assert needed == ['missing key "scale" at the top level (expected an integer)']


def test_the_network_may_be_named_otherwise():
    own = LEGACY.replace("which_model_G: MSRResNet", "which_model: Own")
    assert not any("which_model_G" in said for said in missing(job(own, "train.yml", "basicsr-legacy")))
    none = LEGACY.replace("which_model_G: MSRResNet, ", "")
    assert any("which_model_G" in said for said in missing(job(none, "train.yml", "basicsr-legacy")))
