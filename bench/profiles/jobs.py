# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The jobs whose profiles travel in the wheel: what people train most, set as published.

Besides examples/ these are the common jobs of BasicSR, Real-ESRGAN's six option files (xinntao/Real-ESRGAN
a4abfb2, options/) and the commands of docs/guides.md. The batch, the pool's size and the target are variables
of a tape, so they are not varied here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from bench import ROOT
from bench.profiles.templates import hat

RRDB = {
    "type": "RRDBNet",
    "num_in_ch": 3,
    "num_out_ch": 3,
    "num_feat": 64,
    "num_block": 23,
    "num_grow_ch": 32,
}
RESNET = {"type": "MSRResNet", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 16}
EDSR = {
    "type": "EDSR",
    "num_in_ch": 3,
    "num_out_ch": 3,
    "img_range": 255.0,
    "rgb_mean": [0.4488, 0.4371, 0.4040],
}
EDSR_M = {**EDSR, "num_feat": 64, "num_block": 16, "res_scale": 1}
EDSR_L = {**EDSR, "num_feat": 256, "num_block": 32, "res_scale": 0.1}
COMPACT = {"type": "SRVGGNetCompact", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "act_type": "prelu"}
SWINIR = {
    "type": "SwinIR", "in_chans": 3, "img_size": 48, "window_size": 8, "img_range": 1.0,
    "depths": [6] * 6, "embed_dim": 180, "num_heads": [6] * 6, "mlp_ratio": 2,
    "upsampler": "pixelshuffle", "resi_connection": "1conv",
}  # fmt: skip
RCAN = {
    "type": "RCAN", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_group": 10, "num_block": 20,
    "squeeze_factor": 16, "res_scale": 1, "img_range": 255.0, "rgb_mean": [0.4488, 0.4371, 0.4040],
}  # fmt: skip
ECBSR = {"type": "ECBSR", "num_block": 4, "num_channel": 16, "with_idt": False, "act_type": "prelu"}
"""ECBSR-M4C16 (Zhang et al., ACM Multimedia 2021), which is trained on luminance alone, or on RGB."""
VGG_D = {"type": "VGGStyleDiscriminator", "num_in_ch": 3, "num_feat": 64}
PIXEL = {"pixel_opt": {"type": "L1Loss", "loss_weight": 1.0, "reduction": "mean"}}


def example(name: str) -> dict[str, Any]:
    """Return one of examples/ as a mapping to vary."""
    job: dict[str, Any] = yaml.safe_load((ROOT / "examples" / name).read_text(encoding="utf-8"))
    return job


def varied(
    base: dict[str, Any], *, scale: int, network: dict[str, Any], gt: int, ema: float
) -> dict[str, Any]:
    """Return a paired job of another network, scale and crop."""
    data = {"train": {**base["datasets"]["train"], "gt_size": gt}}
    train = {**base["train"], "ema_decay": ema}
    return {**base, "scale": scale, "network_g": network, "datasets": data, "train": train}


def real(base: dict[str, Any], scale: int, gt: int = 256) -> dict[str, Any]:
    """Return a Real-ESRGAN job at another scale or crop."""
    return {**base, "scale": scale, "gt_size": gt, "network_g": {**RRDB, "scale": scale}}


def paired_jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, config) of the paired jobs that people train most, set as published."""
    base, by_scale = example("edsr_x2.yml"), ((2, 96), (3, 144), (4, 192))
    table = [(f"edsr_m_x{scale}", {**EDSR_M, "upscale": scale}, scale, gt) for scale, gt in by_scale]
    table += [(f"edsr_l_x{scale}", {**EDSR_L, "upscale": scale}, scale, gt) for scale, gt in by_scale]
    table += [(f"swinir_x{scale}", {**SWINIR, "upscale": scale}, scale, gt) for scale, gt in by_scale[::2]]
    table += [(f"rcan_x{scale}", {**RCAN, "upscale": scale}, scale, gt) for scale, gt in by_scale[::2]]
    table += [(f"msrresnet_x{s}", {**RESNET, "upscale": s}, s, gt) for s, gt in ((2, 64), (3, 96), (4, 128))]
    table += [(f"rrdb_x{scale}", {**RRDB, "scale": scale}, scale, 128) for scale in (1, 2, 4)]
    for scale, convs in ((2, 16), (4, 16), (4, 32)):
        network = {**COMPACT, "num_conv": convs, "upscale": scale}
        table.append((f"compact_x{scale}_{convs}", network, scale, 256))
    for name, network, scale, gt in table:
        yield name, varied(base, scale=scale, network=network, gt=gt, ema=0.999)
    for scale, gt in by_scale[::2]:
        job = varied(base, scale=scale, network={**SWINIR, "upscale": scale}, gt=gt, ema=0.999)
        yield f"swinir_own_step_x{scale}", {**job, "model_type": "SwinIRModel"}
    for scale, colors in ((2, 1), (4, 1), (4, 3)):
        network = {**ECBSR, "num_in_ch": colors, "num_out_ch": colors, "scale": scale}
        job = varied(base, scale=scale, network=network, gt=64 * scale, ema=0)
        if colors == 1:
            job["datasets"]["train"]["color"] = "y"
        yield f"ecbsr_x{scale}_{colors}", job


def adversarial_jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, config) of ESRGAN, SRGAN and Real-ESRGAN's two stages."""
    base, discriminator = example("esrgan_x4.yml"), {**VGG_D, "input_size": 128}
    for name, network, ema in (("esrgan", RRDB, 0.999), ("srgan", {**RESNET, "upscale": 4}, 0)):
        job = varied(base, scale=4, network=network, gt=128, ema=ema)
        yield name, {**job, "network_d": discriminator}
    gan, net = example("realesrgan_x4.yml"), example("realesrnet_x2.yml")
    for scale in (1, 2, 4):
        yield f"realesrgan_x{scale}", real(gan, scale)
        yield f"realesrnet_x{scale}", real(net, scale)
    for gt in (128, 192):
        yield f"realesrgan_x4_gt{gt}", real(gan, 4, gt)
    network = dict(hat())["hat_m_x4"]["network_g"]
    for name, job, model in (("gan", gan, "RealHATGANModel"), ("mse", net, "RealHATMSEModel")):
        train = {
            **job["train"],
            "optim_d": gan["train"]["optim_d"],
        }  # HAT's file of pixels alone names one too
        yield f"hat_real_{name}", {**real(job, 4), "model_type": model, "network_g": network, "train": train}
    pairs = {key: value for key, value in real(gan, 4).items() if key != "queue_size"}
    train = {**pairs["datasets"]["train"], "type": "RealESRGANPairedDataset"}
    yield "realesrgan_x4_paired", {**pairs, "high_order_degradation": False, "datasets": {"train": train}}


VAE_SIDES = (512, 768, 1024, 1536, 2048, 2560)
ZOOM23_SIDES = (512, 768, 1024)
LARGE_VAE = {"image_size": 1024, "batch_size": 12, "z_channels": 32, "channels": [192, 384, 768, 768]}
"""The VAE guide's config of more channels."""
NANO_SIDES = ((128, 1), (96, 2))
"""(crop, accumulated steps) of the ParagonSR2 guide: as it is, and as it says that it fits."""


def commands() -> Iterator[str]:
    """Yield the training commands of the guides, without what shapes no memory."""
    yield "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10 --gpu_ids 0,1"
    for side in VAE_SIDES:
        for precision in ("", " --mixed_precision"):
            yield f"python train_vae.py --data_path data --image_size {side} --batch_size 4{precision}"
    for side in ZOOM23_SIDES:
        for gpus in ("", " --multi_gpu"):
            yield f"python train_zoom23_autoencoder.py --img_size {side} --patch_size 16 --batch_size 4{gpus}"


def nano(side: int, accumulate: int) -> dict[str, Any]:
    """Return the ParagonSR2 guide's job, with the one loss that it names."""
    data = {
        "name": "pairs", "type": "pairedimagedataset", "dataroot_gt": "hr", "dataroot_lq": "lr",
        "lq_size": side, "batch_size_per_gpu": 8, "num_worker_per_gpu": 4, "accum_iter": accumulate,
    }  # fmt: skip
    train = {
        "total_iter": 100000,
        "optim_g": {"type": "AdamW", "lr": 1e-4, "betas": [0.9, 0.99]},
        "losses": [{"type": "l1loss", "loss_weight": 1.0}],
    }
    return {
        "scale": 2, "use_amp": True, "datasets": {"train": data}, "network_g": {"type": "paragonsr2_nano"},
        "path": {}, "train": train, "logger": {"print_freq": 100, "save_checkpoint_freq": 5000},
    }  # fmt: skip


def files() -> Iterator[tuple[str, str]]:
    """Yield every job as a file: its name and its text."""
    guides = ((f"nano_{side}", nano(side, accumulate)) for side, accumulate in NANO_SIDES)
    for name, config in (*paired_jobs(), *adversarial_jobs(), *guides):
        whole = {**config, "name": name, "num_gpu": "auto"}
        yield f"{name}.yml", yaml.safe_dump(whole, sort_keys=False)
    yield "guide_large.json", json.dumps(LARGE_VAE)
    for number, command in enumerate(commands()):
        yield f"guide_{number}.sh", f"{command}\n"
