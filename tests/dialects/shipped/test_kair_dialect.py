# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR: JSON with comments, patches of blind data sets, totals over GPUs, define_G's arguments."""

from __future__ import annotations

import pytest

from trainlint.estimate.run.placement import place, place_job
from trainlint.model.launcher import Launcher
from trainlint.model.placing import Placing

from .dialect_jobs import fields, job, said

CONFIG = """{
  "task": "faces" // root/task
  , "model": "gan"
  , "gpu_ids": [0, 1]
  , "scale": 4
  , "n_channels": 3
  , "path": {"root": "superresolution", "pretrained_netG": null}
  , "datasets": {
    "train": {"dataset_type": "blindsr", "dataroot_H": "H", "H_size": 320, "lq_patchsize": 64
      , "dataloader_shuffle": true, "dataloader_num_workers": 8, "dataloader_batch_size": 10}
    , "test": {"dataset_type": "blindsr", "dataroot_H": "H"}
  }
  , "netG": {"net_type": "rrdbnet", "in_nc": 3, "out_nc": 3, "nf": 64, "nb": 23, "gc": 32, "ng": 2
    , "init_type": "orthogonal"}
  , "netD": {"net_type": "discriminator_unet", "in_nc": 3, "base_nc": 64, "n_layers": 3}
  , "train": {
    "G_lossfn_type": "l1", "G_lossfn_weight": 1, "F_lossfn_type": "l1", "F_lossfn_weight": 1
    , "F_feature_layer": 34
    , "gan_type": "gan", "D_lossfn_weight": 0.1, "E_decay": 0.999
    , "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4, "D_optimizer_type": "adam", "D_optimizer_lr": 1e-4
    , "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [1000], "G_scheduler_gamma": 0.5
    , "D_scheduler_milestones": [1000], "D_scheduler_gamma": 0.5, "G_optimizer_reuse": true
    , "checkpoint_test": 5000, "checkpoint_save": 5000, "checkpoint_print": 200
  }
}
"""


def kair(text):
    return job(text, "options/train.json", "kair")


def test_fields():
    made = kair(CONFIG)
    assert said(made) == []
    assert fields(made, "recipe", "crop.lq", "crop.hr", "gpus") == ("kair.gan", 64, 256, 2)
    assert fields(made, "batch.total", "workers.total", "ema") == (10, 8, 0.999)
    assert fields(kair(CONFIG.replace(', "lq_patchsize": 64', "")), "crop.lq", "crop.hr") == (64, 256)
    assert made.spec["networks.generator.args"] == {
        "in_nc": 3,
        "out_nc": 3,
        "nf": 64,
        "nb": 23,
        "gc": 32,
        "sf": 4,
    }
    assert made.spec["networks.discriminator.args"] == {"input_nc": 3, "ndf": 64}
    assert {entry["role"]: entry["type"] for entry in made.spec["losses"]} == {
        "pixel": "l1",
        "perceptual": "l1",
        "gan": "gan",
    }
    assert made.spec["options"]["save_optimizer_g"] is True


def test_dataparallel_splits_the_total():
    placed = place(kair(CONFIG).spec, None)
    assert (placed["parallel"], placed["batch.per_process"], placed["batch.per_replica"]) == ("dp", 10, 5)


def test_one_process_per_gpu_shares_it_out():
    made = kair(CONFIG.replace(', "scale": 4', ', "dist": true, "scale": 4'))
    assert "launcher" not in made.spec  # main_train_psnr.py replaces `dist` by its flag
    placed = place_job(made, Placing(None, Launcher("torchrun"))).spec
    assert (placed["parallel"], placed["batch.per_process"], placed["workers.per_process"]) == ("ddp", 5, 4)


def test_a_training_config_without_its_data_does_not_test():
    text = CONFIG.replace('"train": {"dataset_type"', '"training": {"dataset_type"')
    assert "what it trains on is not in this file" in (kair(text).skip or "")


def test_other_data_sets_crop_the_target():
    made = kair(
        CONFIG.replace(
            '"blindsr", "dataroot_H": "H", "H_size": 320, "lq_patchsize": 64', '"sr", "H_size": 96'
        )
    )
    assert fields(made, "crop.lq", "crop.hr") == (24, 96)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('"gan_type": "gan"', '"gan_type": "gun"', "wrong-value"),
        ('"n_channels": 3', '"n_chanels": 3', "missing-key"),
        ('"dataloader_batch_size": 10', '"dataloader_batch_size": "10"', "wrong-type"),
        (', "nf": 64', "", "missing-key"),
        (', "gan_type": "gan"', "", "missing-key"),
    ],
)
def test_mistakes(old, new, rule):
    assert old in CONFIG
    assert rule in [name for name, _ in said(kair(CONFIG.replace(old, new)))]


CLIPS = """{
  "task": "clips", "model": "vrt", "gpu_ids": [0, 1], "dist": true, "scale": 4, "n_channels": 3
  , "path": {"root": "experiments", "pretrained_netG": null}
  , "datasets": {"train": {"dataset_type": "VideoRecurrentTrainDataset", "dataroot_gt": "G", "num_frame": 6
    , "gt_size": 256, "dataloader_shuffle": true, "dataloader_num_workers": 8, "dataloader_batch_size": 2}}
  , "netG": {"net_type": "vrt", "upscale": 4, "img_size": [6, 64, 64], "window_size": [6, 8, 8]
    , "depths": [8, 8], "indep_reconsts": [1], "embed_dims": [120, 120], "num_heads": [6, 6], "pa_frames": 2
    , "deformable_groups": 12, "no_checkpoint_attn_blocks": [], "no_checkpoint_ffn_blocks": []
    , "use_checkpoint_attn": true, "init_type": "default"}
  , "train": {"G_lossfn_type": "charbonnier", "G_lossfn_weight": 1, "G_optimizer_type": "adam"
    , "G_optimizer_lr": 1e-4, "G_scheduler_type": "CosineAnnealingWarmRestarts", "G_scheduler_periods": 10
    , "fix_iter": 20000, "fix_keys": ["spynet"], "fix_lr_mul": 0.125
    , "checkpoint_test": 5000, "checkpoint_save": 5000, "checkpoint_print": 200}
  , "val": {"num_frame_testing": 12, "size_patch_testing": 128}
}
"""
VIMEO = CLIPS.replace("VideoRecurrentTrainDataset", "VideoRecurrentTrainVimeoDataset")


def test_clips():
    made = kair(CLIPS)
    assert said(made) == []
    assert fields(made, "recipe", "frames", "crop.lq", "crop.hr") == ("kair.vrt", 6, 64, 256)
    assert "init_type" not in made.spec["networks.generator.args"]
    assert made.spec["options"] == {
        "target_channels": 3, "fix_iter": 20000, "fix_keys": ["spynet"], "fix_lr_mul": 0.125,
        "num_frame_testing": 12, "size_patch_testing": 128, "save_optimizer_g": False,
        "save_optimizer_d": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (VIMEO, 7),
        (VIMEO.replace('"num_frame": 6', '"num_frame": -1, "mirror_sequence": true'), 14),
        (VIMEO.replace('"num_frame": 6', '"num_frame": 7, "pad_sequence": true'), 8),
        (VIMEO.replace("VimeoDataset", "VimeoVFIDataset").replace('": 6', '": 7, "temporal_scale": 2'), 4),
    ],
)
def test_a_vimeo_dataset_reads_seven_frames(text, frames):
    made = kair(text)
    assert made.spec["frames"] == frames
    assert made.spec["options"].get("target_frames") == (1 if "VFI" in text else None)


def test_deformable_groups_are_needed_where_frames_are_warped():
    without = CLIPS.replace('"deformable_groups": 12, ', "")
    assert [rule for rule, _ in said(kair(without))] == ["missing-key"]
    assert said(kair(without.replace('"pa_frames": 2', '"pa_frames": 0'))) == []


def test_counts_that_are_only_compared_may_be_floats() -> None:
    """JSON reads 5e3 as a float; the trainer asks for the remainder by it, which is the same number."""
    text = CONFIG.replace(
        '"checkpoint_test": 5000, "checkpoint_save": 5000', '"checkpoint_test": 5e3, "checkpoint_save": 5e3'
    )
    made = kair(text)
    assert said(made) == []
    assert fields(made, "checkpoint.every", "validation.every") == (5000, 5000)
