# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GFPGAN's options: what its model reads beside BasicSR's own keys."""

from __future__ import annotations

import pytest

from tests.dialects.documents import document
from trainlint.dialects import normalise

FACES = """
name: faces
model_type: GFPGANModel
num_gpu: 1
datasets:
  train:
    name: faces
    type: FFHQDegradationDataset
    dataroot_gt: data/faces
    out_size: 256
    num_worker_per_gpu: 2
    batch_size_per_gpu: 3
network_g: {type: GFPGANv1, out_size: 256}
network_d: {type: StyleGAN2Discriminator, out_size: 256}
network_d_left_eye: {type: FacialComponentDiscriminator}
network_d_right_eye: {type: FacialComponentDiscriminator}
network_d_mouth: {type: FacialComponentDiscriminator}
network_identity: {type: ResNetArcFace, block: IRBlock, layers: [2, 2, 2, 2]}
path: {pretrain_network_g: ~, strict_load_g: ~}
train:
  optim_g: {type: Adam, lr: 0.002}
  optim_d: {type: Adam, lr: 0.002}
  optim_component: {type: Adam, lr: 0.002}
  scheduler: {type: MultiStepLR, milestones: [10]}
  total_iter: 100
  L1_opt: {type: L1Loss, loss_weight: 1}
  pyramid_loss_weight: 1
  gan_opt: {type: GANLoss, gan_type: wgan_softplus}
  gan_component_opt: {type: GANLoss, gan_type: vanilla}
  comp_style_weight: 0.0
logger: {print_freq: 10, save_checkpoint_freq: 50}
"""


def spec_of(text, basicsr):
    (job,) = normalise(document(text), basicsr)
    assert not job.problems
    return job.spec


def test_what_the_step_needs(basicsr):
    spec = spec_of(FACES, basicsr)
    assert spec["recipe"] == "basicsr.GFPGANModel"
    assert (spec["crop.hr"], spec["crop.lq"]) == (256, 256)
    assert [entry["role"] for entry in spec["optimizers"]] == ["generator", "discriminator", "component"]
    assert [loss["role"] for loss in spec["losses"]] == ["L1", "gan", "gan_component"]
    options = spec["options"]
    assert options["component_discriminator"] == "FacialComponentDiscriminator"
    assert options["identity"]["type"] == "ResNetArcFace"
    assert options["pyramid"] is True
    assert "component_style" not in options  # a weight of 0 leaves it out


@pytest.mark.parametrize("part", ["left_eye", "right_eye", "mouth"])
def test_the_parts_are_judged_together_or_not_at_all(basicsr, part):
    text = FACES.replace(f"network_d_{part}:", f"network_of_{part}:")
    assert "component_discriminator" not in spec_of(text, basicsr)["options"]


@pytest.mark.parametrize(
    ("written", "strict"),
    [("strict_load_g: ~", False), ("param_key_g: params", True), ("strict_load_g: false", False)],
)
def test_a_null_loads_what_fits(basicsr, written, strict):
    text = FACES.replace("strict_load_g: ~", written)
    assert spec_of(text, basicsr)["pretrained.strict"] is strict
