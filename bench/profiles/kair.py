# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's option files of single images as they are run; build.py traces them.

Sizes are those of the papers: DnCNN (arXiv:1608.03981), FFDNet (arXiv:1710.04026), SRMD (arXiv:1712.06116),
DPSR (arXiv:1903.12529), IMDN (arXiv:1909.11856), USRNet (arXiv:2003.10428), DRUNet (arXiv:2008.13751), BSRGAN
(arXiv:2103.14006), SwinIR (arXiv:2108.10257). KAIR starts on the GPUs that a file names: SwinIR's files name
eight, and are run with a launcher or, in DataParallel, without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.profiles.templates import Job

EIGHT_GPUS = list(range(8))
RESUMED: dict[str, Any] = {"E_decay": 0.999, "G_optimizer_reuse": True}
"""What is kept besides the network: its running average, and the state of Adam."""
BLIND_DATA = {"dataset_type": "blindsr", "degradation_type": "bsrgan"}
FIVE_POINTS: dict[str, Any] = {"F_feature_layer": [2, 7, 16, 25, 34], "F_weights": [0.1, 0.1, 1.0, 1.0, 1.0]}
"""Where Real-ESRGAN's loss looks into VGG19, in KAIR's numbers of its layers."""
SHUFFLED, UPSCALED = {"upsample_mode": "pixelshuffle"}, {"upsample_mode": "upconv"}
UNET = {"upsample_mode": "convtranspose", "downsample_mode": "strideconv", "act_mode": "R"}
DENOISERS: dict[str, tuple[str, int, int, dict[str, Any]]] = {
    "dncnn": ("dncnn", 40, 64, {"in_nc": 1, "nc": 64, "nb": 17, "act_mode": "BR"}),
    "fdncnn": ("fdncnn", 48, 64, {"in_nc": 2, "nc": 64, "nb": 20, "act_mode": "R"}),
    "ffdnet": ("ffdnet", 64, 64, {"in_nc": 1, "nc": 64, "nb": 15, "act_mode": "R"}),
}
"""Grayscale denoisers: data set, crop, batch and network."""
RESOLVERS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "imdn": ("sr", 64, {"in_nc": 3, "nc": 64, "nb": 8, "act_mode": "L", **SHUFFLED}),
    "srmd": ("srmd", 64, {"in_nc": 19, "nc": 128, "nb": 12, "act_mode": "R", **SHUFFLED}),
    "dpsr": ("dpsr", 32, {"in_nc": 4, "nc": 96, "nb": 16, "act_mode": "R", **SHUFFLED}),
    "rrdb": ("sr", 16, {"in_nc": 3, "nc": 64, "nb": 23, "gc": 32, "act_mode": "R", **UPSCALED}),
}
"""Super-resolution by 4 with crops of 96: data set, batch and network."""
MSRRESNET = {"net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 64, "nb": 16, "act_mode": "R",
             **UPSCALED}  # fmt: skip
RRDBNET = {"net_type": "rrdbnet", "in_nc": 3, "out_nc": 3, "nf": 64, "nb": 23, "gc": 32}
UNET_D = {"net_type": "discriminator_unet", "in_nc": 3, "base_nc": 64, "n_layers": 3, "norm_type": "spectral"}
VGG_D = {"net_type": "discriminator_vgg_96", "in_nc": 3, "base_nc": 64, "act_mode": "BL"}


def job(
    network: dict[str, Any], data: dict[str, Any], *, batch: int, scale: int = 4, colors: int = 3,
    crop: int = 96, test: dict[str, Any] | None = None, gpus: list[int] | None = None,
    model: str = "plain", network_d: dict[str, Any] | None = None, **train: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return an option file: Adam, and the mean absolute difference."""
    loader = {"dataloader_num_workers": 8, "dataloader_batch_size": batch, "H_size": crop}
    whole = {"name": "own", "dataroot_H": "trainsets/trainH", "dataroot_L": None, **data, **loader}
    given = {
        "G_lossfn_type": "l1", "G_lossfn_weight": 1.0, "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4,
        "checkpoint_test": 5000, "checkpoint_save": 5000, "checkpoint_print": 200, **train,
    }  # fmt: skip
    return {
        "task": "own", "model": model, "gpu_ids": gpus or [0], "scale": scale,
        **({"n_channels": colors} if data["dataset_type"] != "jpeg" else {}),
        "path": {"root": "own", "pretrained_netG": None}, "netG": network, "train": given,
        **({"netD": network_d} if network_d else {}),
        "datasets": {"train": whole, "test": test or {"name": "own", **data}},
    }  # fmt: skip


def adversarial(network_d: dict[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    """Return what `job` takes for a discriminator and a loss of VGG19's features."""
    return {
        "model": "gan", "network_d": network_d, "gan_type": kind, "D_lossfn_weight": 1,
        "F_lossfn_type": "l1", "F_lossfn_weight": 1, "F_use_input_norm": True, "F_use_range_norm": False,
        "D_optimizer_type": "adam", "D_optimizer_lr": 1e-4, "D_init_iters": 0, **more,
    }  # fmt: skip


def single() -> Iterator[Job]:
    """Yield the files for one GPU."""
    for name, (kind, crop, batch, network) in DENOISERS.items():
        data = {"dataset_type": kind, "sigma": [0, 75], "sigma_test": 25}
        whole = {"net_type": name, "out_nc": 1, **network}
        model = "plain2" if name == "ffdnet" else "plain"
        test = {"name": "own", "dataroot_H": "testsets/bsd68", **data}
        yield name, job(whole, data, scale=1, colors=1, crop=crop, batch=batch, test=test, model=model)
    drunet = {
        "net_type": "drunet",
        "in_nc": 4,
        "out_nc": 3,
        "nc": [64, 128, 256, 512],
        "nb": 4,
        "bias": False,
    }
    yield "drunet", job({**drunet, **UNET}, {"dataset_type": "fdncnn"}, scale=1, crop=128, batch=64)
    set5: dict[str, Any] = {"name": "own", "dataroot_H": "testsets/set5", "dataroot_L": None}
    for name, (kind, batch, network) in RESOLVERS.items():
        whole, data = {"net_type": name, "out_nc": 3, **network}, {"dataset_type": kind}
        yield name, job(whole, data, batch=batch, test={**set5, **data})
    paired = {"dataset_type": "sr"}
    found = {**set5, **paired}
    yield "msrresnet_psnr", job(MSRRESNET, paired, batch=32, test=found, E_decay=0.999)
    gan = adversarial(VGG_D, "ragan", F_feature_layer=34, F_weights=1.0, E_decay=0.999)
    yield "msrresnet_gan", job(MSRRESNET, paired, batch=32, test=found, **gan)
    usrnet: dict[str, Any] = {"net_type": "usrnet", "n_iter": 6, "h_nc": 32, "in_nc": 4, "out_nc": 3, "nb": 2}
    usrnet |= {"nc": [16, 32, 64, 64], **UNET}
    data = {"dataset_type": "usrnet"}
    whole = {**data, "scales": [1, 2, 3, 4]}
    yield "usrnet", job(usrnet, whole, batch=48, test={**set5, **data}, model="plain4")
    blind = {**BLIND_DATA, "lq_patchsize": 72}
    test = {**set5, **blind, "H_size": 320}
    yield "bsrgan_psnr", job(RRDBNET, blind, crop=320, batch=4, test=test, **RESUMED)
    gan = adversarial(UNET_D, "lsgan", **FIVE_POINTS, **RESUMED)
    yield "bsrgan_gan", job(RRDBNET, blind, crop=320, batch=4, test=test, **gan)


def swinir() -> Iterator[Job]:
    """Yield SwinIR's files for eight GPUs."""
    # twice what these three name, so that a process of eight has two samples: one has a tape of its own
    charbonnier: dict[str, Any] = {"G_lossfn_type": "charbonnier", **RESUMED}
    for name, colors, crop, window, kind in (
        ("jpeg", 1, 126, 7, "jpeg"), ("gray", 1, 128, 8, "dncnn"), ("color", 3, 128, 8, "dncnn"),
    ):  # fmt: skip
        ranged = 255.0 if kind == "jpeg" else 1.0
        network = transformer(colors, crop, window, upscale=1, img_range=ranged, upsampler=None)
        data = {"dataset_type": kind, "is_color": colors > 1}
        yield (
            f"swinir_{name}",
            job(network, data, scale=1, colors=colors, crop=crop, batch=16, gpus=EIGHT_GPUS, **charbonnier),
        )
    set5: dict[str, Any] = {
        "name": "own",
        "dataroot_H": "testsets/Set5/HR",
        "dataroot_L": None,
        "dataset_type": "sr",
    }
    light = {"depths": [6] * 4, "embed_dim": 60, "num_heads": [6] * 4}
    sizes: dict[str, tuple[int, int, dict[str, Any]]] = {
        "classical": (48, 32, {"upsampler": "pixelshuffle"}),
        "lightweight": (64, 64, {"upsampler": "pixelshuffledirect", **light}),
    }
    for name, (side, batch, own) in sizes.items():
        network = transformer(3, side, 8, upscale=2, **own)
        yield f"swinir_{name}", job(
            network, {"dataset_type": "sr"}, scale=2, crop=2 * side, batch=batch, test=set5, gpus=EIGHT_GPUS,
            **RESUMED,
        )  # fmt: skip
    network = transformer(3, 64, 8, upscale=4, upsampler="nearest+conv")
    blind = {**BLIND_DATA, "lq_patchsize": 64, "H_size": 256}
    shared: dict[str, Any] = {"crop": 256, "batch": 32, "gpus": EIGHT_GPUS}
    yield "swinir_real_psnr", job(network, blind, test=set5, **shared, **RESUMED)
    gan = adversarial(UNET_D, "gan", **FIVE_POINTS, **RESUMED)
    yield "swinir_real_gan", job(network, blind, test={**set5, **blind}, **shared, **gan)


def transformer(colors: int, side: int, window: int, **more: Any) -> dict[str, Any]:
    """Return SwinIR for crops of a side."""
    return {
        "net_type": "swinir", "in_chans": colors, "img_size": side, "window_size": window, "img_range": 1.0,
        "depths": [6] * 6, "embed_dim": 180, "num_heads": [6] * 6, "mlp_ratio": 2, "resi_connection": "1conv",
        **more,
    }  # fmt: skip
