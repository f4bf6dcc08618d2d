# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The option files of BasicSR, HAT and NAFNet as they are run; build.py traces them.

Here is what profile_jobs.py and profile_templates.py leave out: the validation, which is a step of its own,
the launcher that files for eight GPUs may be started with, and networks of clips and faces. Sizes are those
of the papers (EDVR, arXiv:1905.02716; BasicVSR and IconVSR, arXiv:2012.02181; BasicVSR++, arXiv:2104.13371;
StyleGAN2, arXiv:1912.04958; GFPGAN, arXiv:2101.04061; LDL, arXiv:2203.09195).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.profiles.jobs import adversarial_jobs, example, paired_jobs, real
from bench.profiles.templates import Job, hat, nafnet

VALIDATED = {
    "Set5": (
        "edsr_m_x2", "edsr_m_x3", "edsr_m_x4", "edsr_l_x2", "edsr_l_x3", "edsr_l_x4", "rcan_x2", "rrdb_x4",
        "msrresnet_x2", "msrresnet_x3", "swinir_own_step_x2", "swinir_own_step_x4",
    ),
    "Set14": ("esrgan", "msrresnet_x4"),
    "Urban100": ("ecbsr_x2_1", "ecbsr_x4_1", "ecbsr_x4_3"),
}  # fmt: skip
"""BasicSR's option files by the validation set whose images are the largest (HAT's are in `options`)."""
FIVE_POINTS = {"conv1_2": 0.1, "conv2_2": 0.1, "conv3_4": 1, "conv4_4": 1, "conv5_4": 1}
PERCEPTUAL = {
    "type": "PerceptualLoss", "vgg_type": "vgg19", "use_input_norm": True, "perceptual_weight": 1.0,
    "style_weight": 0, "range_norm": False, "criterion": "l1",
}  # fmt: skip
EIGHT_GPUS = {"num_gpu": 8}
"""A file for eight GPUs is run on fewer, too: with a launcher or without one."""


def validated(
    job: dict[str, Any], name: str, kind: str = "PairedImageDataset", **more: Any
) -> dict[str, Any]:
    """Return a job that also validates on a data set of a name."""
    data = {"name": name, "type": kind, "dataroot_gt": "val/hr", "dataroot_lq": "val/lr", **more}
    if "color" in job["datasets"]["train"]:
        data["color"] = job["datasets"]["train"]["color"]
    metrics = {"psnr": {"type": "calculate_psnr", "crop_border": 0, "test_y_channel": False}}
    return {
        **job,
        "datasets": {**job["datasets"], "val": data},
        "val": {"val_freq": 5000, "save_img": False, "metrics": metrics},
    }


def images() -> Iterator[Job]:
    """Yield the files of single images with the validation that they name."""
    sets = {name: data for data, names in VALIDATED.items() for name in names}
    for name, job in (*paired_jobs(), *adversarial_jobs()):
        if name in sets:
            yield f"{name}_val", validated({**job, "num_gpu": 1}, sets[name])
        if name == "srgan":
            own = {**job, "model_type": "SRGANModel", "train": {**job["train"], "ema_decay": 0.999}}
            yield f"{name}_val", validated({**own, "num_gpu": 1}, "Set14")
    for name, job in hat():
        yield f"{name}_val", validated(job, "Urban100" if name.startswith("hat_s") else "Set14")
    for name, job in nafnet():
        yield f"{name}_8", {**job, **EIGHT_GPUS}
        if "gopro" in name:
            yield f"{name}_8_val", validated({**job, **EIGHT_GPUS}, "gopro-test")
    gan = real(example("realesrgan_x4.yml"), 4)
    train = {key: value for key, value in gan["train"].items() if not key.endswith("_opt")}
    train |= {
        "pixel_opt": {"type": "L1Loss", "loss_weight": 1e-2, "reduction": "mean"},
        "ldl_opt": {"type": "L1Loss", "loss_weight": 1.0, "reduction": "mean"},
        "perceptual_opt": {**PERCEPTUAL, "layer_weights": FIVE_POINTS},
        "gan_opt": {"type": "GANLoss", "gan_type": "vanilla", "loss_weight": 0.1},
    }
    yield "ldl_real_x4", {**gan, **EIGHT_GPUS, "gan_gt_usm": False, "train": train}
