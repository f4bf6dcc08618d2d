# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many frames a clip has: BasicSR's video datasets say it each in their own way."""

from __future__ import annotations

import pytest

from tests.dialects.documents import document
from trainlint.dialects import normalise

CLIP = """
name: clips
model_type: VideoRecurrentModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: train
    type: {kind}
    dataroot_gt: data/gt
    dataroot_lq: data/lq
    dataroot_flow: ~
    meta_info_file: data/clips.txt
    val_partition: REDS4
    io_backend: {{type: disk}}
    interval_list: [1]
    random_reverse: false
    num_frame: {frames}
    flip_sequence: {flip}
    gt_size: 256
    batch_size_per_gpu: 2
    num_worker_per_gpu: 2
  val:
    name: {val}
    type: {val_kind}
    dataroot_gt: checks/gt
    dataroot_lq: checks/lq
    io_backend: {{type: disk}}
    cache_data: false
    num_frame: {val_frames}
network_g: {{type: BasicVSRPlusPlus}}
path: {{pretrain_network_g: ~}}
train:
  optim_g: {{type: Adam, lr: 0.0001}}
  scheduler: {{type: MultiStepLR, milestones: [10]}}
  total_iter: 100
  pixel_opt: {{type: CharbonnierLoss}}
val: {{val_freq: 50, save_img: false, flip_seq: true}}
logger: {{print_freq: 10, save_checkpoint_freq: 50}}
"""


def spec_of(basicsr, kind="REDSRecurrentDataset", frames=15, flip="false", val=("x", "VideoTestDataset", -1)):
    name, val_kind, val_frames = val
    text = CLIP.format(
        kind=kind, frames=frames, flip=flip, val=name, val_kind=val_kind, val_frames=val_frames
    )
    (job,) = normalise(document(text), basicsr)
    assert not job.problems
    return job.spec


@pytest.mark.parametrize(
    ("kind", "frames", "flip", "expected"),
    [
        ("REDSRecurrentDataset", 15, "false", 15),
        ("REDSDataset", 5, "true", 5),
        ("Vimeo90KDataset", 7, "false", 7),
        ("Vimeo90KRecurrentDataset", -1, "false", 7),
        ("Vimeo90KRecurrentDataset", -1, "true", 14),
        ("Vimeo90KRecurrentDataset", 5, "true", 14),  # reads all seven whatever num_frame says
        ("REDSRecurrentDataset", -1, "false", None),
    ],
)
def test_frames_of_a_training_clip(basicsr, kind, frames, flip, expected):
    assert spec_of(basicsr, kind, frames, flip).get("frames") == expected


@pytest.mark.parametrize(
    ("val", "expected"),
    [
        (("anything", "VideoTestDataset", 5), 5),
        (("anything", "VideoTestDataset", -1), None),
        (("REDS4", "VideoRecurrentTestDataset", -1), 100),  # REDS' clips have a hundred frames
        (("Vid4", "VideoRecurrentTestDataset", -1), None),
    ],
)
def test_frames_of_a_validation_clip(basicsr, val, expected):
    assert spec_of(basicsr, val=val)["options"].get("validation_frames") == expected


def test_what_the_recurrent_step_needs_to_know(basicsr):
    options = spec_of(basicsr, "Vimeo90KRecurrentDataset", -1, "true")["options"]
    assert options["flip_sequence"] is True
    assert options["flip_seq"] is True


@pytest.mark.parametrize(
    ("model", "built"), [("VideoRecurrentModel", False), ("VideoRecurrentGANModel", True)]
)
def test_a_discriminator_that_the_model_never_builds_is_no_network(basicsr, model, built):
    text = CLIP.format(
        kind="REDSRecurrentDataset",
        frames=15,
        flip="false",
        val="x",
        val_kind="VideoTestDataset",
        val_frames=5,
    ).replace("VideoRecurrentModel", model)
    text += "network_d: {type: VGGStyleDiscriminator, num_in_ch: 3}\n"
    (job,) = normalise(document(text), basicsr)
    assert ("networks.discriminator.arch" in job.spec) is built
    assert ("networks.discriminator.args" in job.spec) is built
