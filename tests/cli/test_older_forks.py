# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Forks of the trainers before BasicSR 1.0, of which nobody knows what is their own: the real command."""

from __future__ import annotations

import pytest


def findings(result):
    return [(found["rule"], found["level"]) for found in result["findings"]]


def only(trainlint, *arguments):
    (result,) = trainlint.json("--launcher", "none", *arguments)["results"]
    return result


LEGACY = """\
name: volumes
model: sr
scale: 1.0
gpu_ids: [0]
datasets:
  train: {name: D, kind: h5, dataroot_GT: gt, n_workers: 6, batch_size: 32, GT_size: 128}
network_G: {which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 1}
path: {pretrain_model_G: ~, strict_load: true, resume_state: ~}
train:
  lr_G: !!float 2e-4
  lr_scheme: MultiStepLR
  lr_steps: [200000]
  niter: 1000000
  pixel_criterion: l1
  pixel_weight: 1.0
  val_freq: !!float 5e3
logger: {print_freq: 100, save_checkpoint_freq: !!float 5e3}
"""


def test_networks_of_an_older_fork_may_take_other_arguments(trainlint) -> None:
    """As RealVSR's RCAN, which has the present names."""
    text = LEGACY.replace("scale: 1.0", "scale: 1").replace("kind: h5", "mode: LQGT")
    text = text.replace("which_model_G: MSRResNet, in_nc: 3, out_nc: 3", "which_model_G: RCAN, num_in_ch: 3")
    trainlint.write("codes/options/train/a.yml", text)
    arguments = [one for one in findings(only(trainlint, "codes/options/train/a.yml")) if "network" in one[0]]
    assert ("network-arguments", "fail") in arguments
    trainlint.write("codes/options/options.py", "opt['network_G']['scale'] = opt['scale']\n")
    arguments = [one for one in findings(only(trainlint, "codes/options/train/a.yml")) if "network" in one[0]]
    assert arguments == [("network-arguments", "warn")]


def test_options_may_lie_next_to_the_script(trainlint) -> None:
    """As cSNGAN's, which reads volumes without a mode and rounds what it multiplies by the scale."""
    trainlint.write("options/train/a.yml", LEGACY)
    found = only(trainlint, "options/train/a.yml")["findings"]
    assert {("missing-key", "fail"), ("wrong-type", "fail")} <= {(one["rule"], one["level"]) for one in found}
    trainlint.write("options/options.py", "opt['network_G']['scale'] = opt['scale']\n")
    trainlint.write("models/model.py", "size = int(low.size(2) * self.opt['scale'])\n")
    found = only(trainlint, "options/train/a.yml")["findings"]
    assert [one["rule"] for one in found if one["level"] == "fail"] == []
    assert "wrong-type" in [one["rule"] for one in found]


def missing(trainlint):
    found = only(trainlint, "options/train/a.yml")["findings"]
    return [one["level"] for one in found if one["rule"] == "missing-key"]


SOUND = LEGACY.replace("scale: 1.0", "scale: 1").replace("kind: h5", "mode: LQGT")


@pytest.mark.rest
def test_a_key_that_its_own_options_fill_in_from_another_is_not_missing(trainlint) -> None:
    """As Explorable-Super-Resolution's, which has a batch for each GPU and makes the other from it."""
    text = SOUND.replace("batch_size: 32", "batch_size_per_card: 32")
    trainlint.write("options/train/a.yml", text)
    assert missing(trainlint) == ["fail"]
    reads = "number = opt['datasets']['train']['batch_size']\n"
    sets = "opt['datasets']['train']['batch_size'] = "
    trainlint.write("options/options.py", reads)
    assert missing(trainlint) == ["fail"]
    for line in (f"{sets}8\n", f"{sets}2 * opt['datasets']['train']['batch_size']\n"):
        trainlint.write("options/options.py", reads + line)
        assert missing(trainlint) == ["warn"], line  # whichever line comes first
    trainlint.write("options/options.py", f"{sets}opt['datasets']['train']['batch_size_per_card']\n{reads}")
    assert missing(trainlint) == []


def test_a_key_may_be_in_a_mapping_that_only_its_own_source_reads(trainlint) -> None:
    """As PIPAL's trainer, which names its data sets below "train"."""
    text = SOUND.replace(", batch_size: 32", ", choice: hills, hills: {batch_size: 32}")
    trainlint.write("options/train/a.yml", text)
    trainlint.write("options/options.py", "number = opt['datasets']['train']['batch_size']\n")
    assert missing(trainlint) == ["fail"]
    trainlint.write("options/options.py", "number = opt['datasets']['train']['hills']['batch_size']\n")
    assert missing(trainlint) == ["warn"]


def test_a_step_is_missing_where_the_source_chooses_among_published_ones(trainlint) -> None:
    """As PIPAL's trainer, which has one model class and takes any word for it."""
    trainlint.write("options/train/a.yml", SOUND.replace("model: sr\n", ""))
    trainlint.write("options/options.py", "if opt['model'] == 'sr': pass\n")
    assert missing(trainlint) == ["fail"]
    trainlint.write("options/options.py", "if opt['model'] == 'rank' or 'rate': pass\n")
    assert missing(trainlint) == ["warn"]
