# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps written afresh from the columns of dev_peaks.csv: the configs that they name, as a spec says them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1.0, "reduction": "mean"}
CHARBONNIER = {"role": "pixel", "type": "CharbonnierLoss", "loss_weight": 1.0}
PSNR = {"role": "pixel", "type": "PSNRLoss", "loss_weight": 1.0}
LDL = {"role": "ldl", "type": "L1Loss", "loss_weight": 1.0}
GAN = {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 0.1}
LAST_LAYER = {"conv5_4": 1}
ALL_LAYERS = {"conv1_2": 0.1, "conv2_2": 0.1, "conv3_4": 1, "conv4_4": 1, "conv5_4": 1}


def perceptual(layers: Mapping[str, float]) -> dict[str, Any]:
    """Return the entry of a perceptual loss with its weight for each layer of VGG19."""
    return {"role": "perceptual", "type": "PerceptualLoss", "layer_weights": layers, "vgg_type": "vgg19"}


LOSSES = {
    "SRModel": [L1],
    "SwinIRModel": [L1],
    "CATModel": [L1],
    "RealESRNetModel": [L1],
    "ImageRestorationModel": [PSNR],
    "SRGANModel": [L1, perceptual(LAST_LAYER), GAN],
    "ESRGANModel": [L1, perceptual(LAST_LAYER), GAN],
    "RealESRGANModel": [L1, perceptual(ALL_LAYERS), GAN],
    "EDVRModel": [CHARBONNIER],
    "VideoBaseModel": [CHARBONNIER],
    "VideoRecurrentModel": [CHARBONNIER],
}
DISCRIMINATOR_ARGS = {"num_in_ch": 3, "num_feat": 64}


def step_of_row(row: dict[str, str]) -> dict[str, Any]:
    """Return the step of one row, as tape/step.py would from the config itself."""
    args = json.loads(row["net_args"])
    step: dict[str, Any] = {
        "recipe": f"{row['dialect']}.{row['model_class']}",
        "dialect": row["dialect"],
        "scale": int(row["scale"]),
        "channels": int(row["in_channels"]),
        "crop.hr": int(row["gt_size"]),
        "crop.lq": int(row["lq_size"]),
        "networks.generator.arch": row["network"],
        "networks.generator.args": args,
        "losses": list(LOSSES.get(row["model_class"], [])),
        "optimizers": [{"role": "generator", "type": row["optimizer"]}],
        "ema": float(row["ema_decay"]),
        "precision": row["precision"].removesuffix("-amp"),
        "parallel": "none",
        "options": {},
    }
    if row["frames"]:
        step["frames"] = step["options"]["validation_frames"] = int(row["frames"])
    if row["optimizer"] == "AdamW":
        step["optimizers"][0] |= {"weight_decay": 1e-3, "betas": [0.9, 0.9]}
    if row["model_class"] == "ImageRestorationModel":
        step["gradient_clip"] = 0.01
    if row["discriminator"]:
        step["networks.discriminator.arch"] = row["discriminator"]
        step["networks.discriminator.args"] = DISCRIMINATOR_ARGS
        step["optimizers"].append({"role": "discriminator", "type": row["optimizer"]})
    if row["id"].startswith("ldl"):
        step["losses"].insert(1, LDL)
    if row["dialect"] == "kair":
        in_kair(step, row)
    if row["dialect"] == "trainner-redux":
        in_redux(step, row)
    elif row["model_class"].startswith("RealESR"):
        step["options"] = {"high_order_degradation": bool(row["queue_size"]), "gan_gt_usm": False}
    return step


KAIR_ARGS = {
    "rrdbnet": ("in_nc", "out_nc", "nf", "nb", "gc", "scale:sf"),
    "msrresnet0": ("in_nc", "out_nc", "nc", "nb", "scale:upscale", "act_mode", "upsample_mode"),
}
KAIR_GAN = {  # pixel, perceptual and GAN loss as the option files say
    "kair_msrresnet_gan": (34, "ragan"),
    "kair_bsrgan_gan": ([2, 7, 16, 25, 34], "lsgan"),
    "kair_swinir_gan": ([2, 7, 16, 25, 34], "gan"),
}


def in_kair(step: dict[str, Any], row: dict[str, str]) -> None:
    """Say a row in KAIR's words."""
    given = step["networks.generator.args"]
    if row["network"] in KAIR_ARGS:
        pairs = [name.split(":") for name in KAIR_ARGS[row["network"]]]
        step["networks.generator.args"] = {pair[-1]: given[pair[0]] for pair in pairs}
    step["losses"] = [{"role": "pixel", "type": "l1", "loss_weight": 1}]
    step["optimizers"] = [{**entry, "type": "Adam"} for entry in step["optimizers"]]
    step["options"] = {"save_optimizer_g": "optimizerG" in row["ckpt_files"]}
    if row["id"] in KAIR_GAN:
        layers, kind = KAIR_GAN[row["id"]]
        step["losses"].append({"role": "perceptual", "type": "l1", "loss_weight": 1, "feature_layer": layers})
        step["losses"].append({"role": "gan", "type": kind, "loss_weight": 1})
        unet = row["discriminator"] == "discriminator_unet"
        step["networks.discriminator.args"] = {"input_nc": 3} if unet else {"in_nc": 3, "ac_type": "BL"}


REDUX_LOSSES = {
    "l_g_charbonnier": {"type": "charbonnierloss"},
    "l_g_mssim": {"type": "mssimloss"},
    "l_g_perceptual": {"type": "perceptualloss", "criterion": "charbonnier"},
    "l_g_hsluv": {"type": "hsluvloss", "criterion": "charbonnier"},
    "l_g_gan": {"type": "ganloss", "gan_type": "vanilla"},
}


def in_redux(step: dict[str, Any], row: dict[str, str]) -> None:
    """Say a row in traiNNer-redux's words."""
    step["losses"] = [{**REDUX_LOSSES[name], "loss_weight": 1} for name in row["losses"].split()]
    step["channels_last"] = row["precision"] != "fp32"
    step["optimizers"] = [{**entry, "weight_decay": 0} for entry in step["optimizers"]]
    if row["discriminator"]:
        step["networks.discriminator.arch"] = row["discriminator"].lower()
        step["networks.discriminator.args"] = {}
