# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which means the shipped memory rules offer a trainer, on cards whose figures the test makes up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trainlint.config.edit import apply_edits
from trainlint.dialects import load_dialects
from trainlint.hardware import load_hardware
from trainlint.judge import load_rules
from trainlint.model.document import Source
from trainlint.model.facts import Facts, GpuMemory, Image, Limits, Memory
from trainlint.model.finding import Finding
from trainlint.model.job import Job
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Estimator, JobJudge, JobReader, Pipeline

GIB = 2**30

Need = Callable[[Job], float]

TIMM = "python train.py --data-dir /data --model resnet50 -b 64 --sched cosine --lr 0.1\n"
NEOSR = """\
name = "neo"
model_type = "image"
scale = 4

[datasets.train]
type = "paired"
dataroot_gt = "gt"
dataroot_lq = "lq"
patch_size = 48
batch_size = 8

[datasets.val]
name = "Urban100"
type = "paired"
dataroot_gt = "v/gt"
dataroot_lq = "v/lq"

[val]
val_freq = 1000

[path]

[network_g]
type = "plksr"

[train.optim_g]
type = "adamw"
lr = 1e-3

[train.pixel_opt]
type = "L1Loss"

[logger]
total_iter = 1000
save_checkpoint_freq = 1000
"""
SRGAN = """\
name: srgan
model_type: SRGANModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: photos
    type: PairedImageDataset
    dataroot_gt: hr
    dataroot_lq: lr
    io_backend: {type: disk}
    gt_size: 256
    use_hflip: true
    use_rot: true
    num_worker_per_gpu: 2
    batch_size_per_gpu: 1
network_g: {type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 16, upscale: 4}
network_d:
  type: VGGStyleDiscriminator
  num_in_ch: 3
  num_feat: 64
  input_size: 256
path:
  pretrain_network_g: ~
  pretrain_network_d: ~
train:
  optim_g: {type: Adam, lr: 0.0001}
  optim_d: {type: Adam, lr: 0.0001}
  scheduler: {type: MultiStepLR, milestones: [200000], gamma: 0.5}
  total_iter: 300000
  pixel_opt: {type: L1Loss, loss_weight: 1.0, reduction: mean}
  gan_opt: {type: GANLoss, gan_type: vanilla, real_label_val: 1.0, fake_label_val: 0.0, loss_weight: 0.1}
logger:
  print_freq: 100
  save_checkpoint_freq: 5000
"""


def found(path: str, text: str, card: str, training: Need, validation: Need | None = None) -> list[Finding]:
    """Lint a text with the shipped rules on a card; sizes are in GiB."""
    target = load_hardware().target(card)

    def facts(job: Job, on: Target, *, largest: bool = True) -> Facts:
        assert on.gpu is not None
        gpu = one(training(job), on.gpu.memory)
        shown = {} if validation is None else {
            "validation": one(validation(job), on.gpu.memory),
            "image": Image(1000, 1000, "a test", int(job.spec.get("validation.tile", 0))),
        }  # fmt: skip
        memory = Memory((gpu,), {}, 0, "train", limits=Limits(largest_batch=int(largest)), **shown)
        return Facts(memory=memory)

    judge = JobJudge(rules=load_rules(), estimator=Estimator(facts))
    pipeline = Pipeline(reader=JobReader(dialects=load_dialects()), judge=judge, targets=(target,))
    (result,) = pipeline.lint_source(Source(path, text), named=True)
    return [finding for finding in result.findings if finding.rule.startswith("vram-")]


def one(size: float, capacity: int) -> GpuMemory:
    least = int(size * GIB)
    return GpuMemory(least, least, least, least, 0, capacity)


def written(text: str, finding: Finding) -> list[str]:
    return [apply_edits(text, fix.edits) for fix in finding.fixes]


@pytest.mark.parametrize(
    ("card", "flags"),
    [("rtx-3060", "--amp-dtype bfloat16 --amp "), ("rtx-2080-ti", "--amp ")],
)
def test_timm_trains_in_bfloat16_where_the_card_has_it(card, flags) -> None:
    def half(job: Job) -> float:
        return {"fp32": 40.0, "bf16": 4.0, "fp16": 4.0}[job.spec["precision"]]

    (finding,) = found("run.sh", TIMM, card, half)
    assert written(TIMM, finding) == [TIMM.replace("--data-dir", f"{flags}--data-dir")]
    assert "mixed precision; needs 4.00 GiB, 36.00 less" in finding.fixes[0].summary


@pytest.mark.parametrize("present", ["", "tile = -1\n", "tile = 1024\n"])
def test_neosr_validates_in_tiles_with_the_key_or_without(present) -> None:
    def tiled(job: Job) -> float:
        return 3.0 if 0 < job.spec.get("validation.tile", 0) <= 256 else 40.0

    text = NEOSR.replace("[val]\n", f"[val]\n{present}")
    (finding,) = found("a.toml", text, "rtx-3060", lambda _: 4.0, tiled)
    assert written(text, finding) == [NEOSR.replace("[val]\n", "[val]\ntile = 256\n")]  # not 64: fewer seams
    assert "validate in tiles; validation needs 3.00 GiB, 37.00 less" in finding.fixes[0].summary


def smaller(job: Job) -> Any:
    return 40.0 * (job.spec["crop.hr"] / 256) ** 2 / 4


def test_a_discriminator_of_one_size_gets_a_smaller_input_with_the_crop() -> None:
    (finding,) = found("a.yml", SRGAN, "gtx-1650", smaller)
    after = SRGAN.replace("gt_size: 256", "gt_size: 128").replace("input_size: 256", "input_size: 128")
    assert written(SRGAN, finding) == [after]
    assert "a smaller input of the discriminator" in finding.fixes[0].summary


@pytest.mark.parametrize(
    "change",
    [
        ("pretrain_network_d: ~", "pretrain_network_d: net_d.pth"),  # weights for the larger input
        ("  input_size: 256\n", ""),  # takes 128 as it is: the crop is what is wrong
    ],
)
def test_no_smaller_discriminator_where_it_cannot_be(change) -> None:
    text = SRGAN.replace(*change)
    for finding in found("a.yml", text, "gtx-1650", smaller):
        assert not any("input_size" in fix.summary for fix in finding.fixes)
