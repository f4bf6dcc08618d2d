# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr: TOML as its loader reads it, the YAML of older versions, what stops its trainer."""

from __future__ import annotations

import pytest

from .dialect_jobs import fields, job, said

CONFIG = """
name = "faces"
model_type = "otf"
scale = 4
use_amp = true
bfloat16 = true

[datasets.train]
type = "otf"
dataroot_gt = 'C:\\faces\\'
patch_size = 48
batch_size = 6
accumulate = 2

[path]

[network_g]
type = "span"
feature_channels = 52

[network_d]
type = "unet"

[train]
ema = 0.999
[train.optim_g]
type = "adan_sf"
lr = 8e-4
schedule_free = true
[train.optim_d]
type = "adamw"
lr = 1e-4
[train.mssim_opt]
type = "mssim_loss"
[train.gan_opt]
type = "gan_loss"
gan_type = "bce"

[val]
val_freq = 1000
tile = 200
[datasets.val]
name = "val"
type = "paired"

[logger]
total_iter = 250000
save_checkpoint_freq = 5000
"""

OLD = """
name: old
model_type: default
scale: 2
use_amp: true
network_g: {type: compact}
path: {resume_state: ~}
datasets:
  train: {type: paired, dataroot_gt: gt, gt_size: 96, batch_size: 4, num_worker_per_gpu: 2}
train:
  total_iter: 50000
  optim_g: {type: adamw, lr: !!float 5e-4}
  pixel_opt: {type: L1Loss}
logger: {save_checkpoint_freq: 1000, print_freq: 100}
"""


def toml(text, dialect="neosr"):
    return job(text, "train.toml", dialect)


def test_fields():
    made = toml(CONFIG)
    assert said(made) == []
    assert fields(made, "recipe", "scale", "crop.lq", "crop.hr") == ("neosr.otf", 4, 48, 192)
    assert fields(made, "batch.per_gpu", "accumulate", "workers.per_gpu") == (6, 2, 4)
    assert fields(made, "precision", "channels_last", "ema", "gradient_clip") == ("bf16", True, 0.999, 1.0)
    assert fields(made, "networks.generator.arch", "networks.generator.args") == (
        "span",
        {"feature_channels": 52},
    )
    assert made.spec["networks.discriminator.arch"] == "unet"
    assert fields(made, "duration.iterations", "checkpoint.every") == (250_000, 5000)
    assert fields(made, "validation.every", "validation.tile") == (1000, 200)
    assert [entry["role"] for entry in made.spec["optimizers"]] == ["generator", "discriminator"]
    assert {entry["role"]: entry["type"] for entry in made.spec["losses"]} == {
        "mssim": "mssim_loss",
        "gan": "gan_loss",
    }


def test_older_versions_in_yaml():
    made = job(OLD, "train.yml", "neosr")
    assert said(made) == []
    assert fields(made, "crop.hr", "crop.lq", "precision", "duration.iterations") == (96, 48, "fp16", 50_000)
    assert fields(made, "workers.per_gpu", "ema") == (2, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("use_amp = true", "use_amp = false", "bfloat16 option has no effect without use_amp"),
        ('[network_d]\ntype = "unet"', "", "GAN requires a discriminator"),
        ('[train.optim_d]\ntype = "adamw"\nlr = 1e-4', "", 'needs "train.optim_d"'),
        ("schedule_free = true", "", "schedule_free"),
        ("patch_size = 48", 'patch_size = "48"', "patch_size"),
        ("save_checkpoint_freq = 5000", "", "save_checkpoint_freq"),
        ("ema = 0.999", "wavelet_guided = true", ""),
        ('type = "adan_sf"', 'type = "adan_fs"', "adan_sf"),
    ],
)
def test_what_stops_the_trainer(old, new, message):
    assert old in CONFIG
    found = said(toml(CONFIG.replace(old, new)))
    assert any(message in text for _, text in found) if message else found == []


def test_deterministic_runs_do_not_autotune():
    assert toml(CONFIG).spec["cudnn_benchmark"] is True
    assert toml("manual_seed = 1\n" + CONFIG).spec["cudnn_benchmark"] is False


@pytest.mark.parametrize(("batch", "pool"), [(6, 180), (8, 176), (7, 175)])
def test_the_pool_of_degraded_data_is_180_in_whole_batches(batch, pool):
    """otf.py: (180 // batch) * batch, or the train section's queue_size."""
    text = CONFIG.replace("batch_size = 6", f"batch_size = {batch}")
    assert toml(text).spec["data.pool_size"] == pool
    own = text.replace("accumulate = 2", "queue_size = 60")
    assert toml(own).spec["data.pool_size"] == 60 // batch * batch


def test_the_loader_makes_the_paths():
    assert said(job(CONFIG.replace("[path]\n", ""), "t.toml", "neosr")) == []


LISTED = (
    CONFIG.replace("[train.mssim_opt]", '[[train.losses]]\nname = "ssim"')
    .replace("[train.gan_opt]", '[[train.losses]]\nname = "gan"')
    .replace("[val]\n", '[val]\nmetrics = [{ name = "psnr", type = "calculate_psnr" }]\n')
)  # fmt: skip


def test_losses_as_a_list_of_named_tables():
    made = job(LISTED, "t.toml", "neosr")
    assert said(made) == []
    assert made.spec["recipe"] == "neosr.otf with train.losses"  # a step that is not modeled
    nameless = job(LISTED.replace('name = "gan"\n', ""), "t.toml", "neosr")
    assert [rule for rule, _ in said(nameless)] == ["missing-key"]
