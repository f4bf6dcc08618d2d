# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer before traiNNer-redux: a loader with floats of its own, networks by name, and what is not it."""

from __future__ import annotations

from .dialect_jobs import fields, job, jobs, said

CONFIG = """
name: mosaic_x2
use_amp: true
use_swa: false
model: sr
scale: 2
gpu_ids: [0, 1]
datasets:
  train: {name: D, mode: aligned, dataroot_HR: hr, dataroot_LR: lr, n_workers: 3, batch_size: 6,
          virtual_batch_size: 24, preprocess: crop, crop_size: 96, image_channels: 3, znorm: false}
path: {root: '..', pretrain_model_G: ~}
network_G: esrgan
network_D: patchgan
train:
  optim_G: adam
  lr_G: 2e-4
  lr_scheme: MultiStepLR
  lr_steps_rel: [0.5, 0.75]
  pixel_criterion: l1
  pixel_weight: 1e-2
  niter: 4e5
logger: {print_freq: 50, save_checkpoint_freq: 2e3, overwrite_chkp: false}
"""


def test_numbers_names_and_absent_keys_as_its_loader_reads_them():
    made = job(CONFIG, "train.yml", "trainner")
    assert said(made) == []
    assert fields(made, "scale", "gpus", "batch.total", "accumulate", "crop.hr") == (2, 2, 6, 4, 96)
    assert fields(made, "duration.iterations", "checkpoint.every", "workers.total") == (400_000, 2000, 3)
    assert fields(made, "networks.generator.arch", "recipe", "precision") == ("esrgan", "trainner.sr", "fp16")


def test_a_network_with_arguments_and_a_scale_by_default():
    text = CONFIG.replace("network_G: esrgan", "network_G: {which_model_G: sr_resnet, nf: 32}")
    made = job(text.replace("\nscale: 2\n", "\n"), "train.yml", "trainner")
    assert said(made) == []
    assert fields(made, "scale", "networks.generator.arch") == (1, "sr_resnet")
    assert made.spec["networks.generator.args"] == {"nf": 32}


def test_a_lightning_trainer_of_the_family_is_in_no_dialect():
    text = """
name: t
scale: 2
gpus: 1
use_amp: false
use_swa: false
datasets: {train: {mode: DS_lrhr, n_workers: 4, batch_size: 8, image_channels: 3, HR_size: 128}}
path: {pretrain_model_G: ~, checkpoint_path: ~}
network_G: {netG: RRDB_net, nf: 64}
train: {scheduler: AdamP, L1Loss_weight: 1}
"""
    assert jobs(text, "config.yaml") == (None, ())


def test_what_a_missing_network_name_leads_to_is_told_once():
    old = """
name: old
model: sr
scale: 4
gpu_ids: [0]
datasets: {train: {name: D, mode: LQGT, n_workers: 6, batch_size: 32, GT_size: 128}}
network_G: {in_nc: 3}
path: {pretrain_model_G: ~}
train: {lr_G: 0.0002, niter: 1000, pixel_criterion: l1, val_freq: 10}
logger: {print_freq: 100, save_checkpoint_freq: 500}
"""
    made = job(old, "train.yml", "basicsr-legacy")
    assert said(made) == [
        ("missing-key", 'missing key "which_model_G" in "network_G" (expected a string or a mapping)')
    ]
