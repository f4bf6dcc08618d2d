# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The jobs of the trainers' own templates whose profiles travel in the wheel; build.py traces them.

traiNNer-redux publishes four templates for each architecture, alike but for its name, precision and crop
(6862931 has 390; neosr's are in neosr.py); HAT and NAFNet the settings of their papers' tables (HAT,
arXiv:2205.04437; NAFNet, arXiv:2204.04676; NAFSSR, arXiv:2204.08714). Here is what of them shapes memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Job = tuple[str, dict[str, Any]]

REDUX = {
    "fp16 last": (
        "artcnn_r16f96", "artcnn_r8f64", "compact", "dis_balanced", "dis_fast", "escrealm", "esrgan",
        "esrgan_lite", "fdat_tiny", "gaterv3_r", "gaterv3_s", "lmlt_base", "lmlt_large", "lmlt_tiny",
        "metaflexnet", "mosrv2", "plksr", "realcugan", "realplksr", "realplksr_tiny", "span", "span_s",
        "superultracompact", "ultracompact",
    ),
    "fp16": (
        "cascadedgaze", "eimn_a", "eimn_l", "flexnet", "lkfmixer_b", "lkfmixer_l", "lkfmixer_t",
        "man", "man_light", "man_tiny", "omnisr", "safmn", "safmn_l",
    ),
    "bf16": ("dwt", "elan", "elan_light", "emt", "hit_sir", "moesr2"),
    "bf16 last": (
        "atd", "dat", "dat_2", "drct_l", "fdat_light", "fdat_medium", "fdat_xl", "hat_l", "hat_m", "rcan",
        "rcan_unshuffle", "swinir_m",
    ),
}  # fmt: skip
"""Architectures by the precision of their templates, and whether tensors are channels last."""
ON_THE_FLY = (
    "artcnn_r16f96", "atd", "cascadedgaze", "compact", "dat_2", "dis_balanced", "drct_l", "dwt",
    "eimn_a", "elan", "emt", "escrealm", "esrgan", "fdat_xl", "flexnet", "gaterv3_r", "hat_l", "hit_sir",
    "lkfmixer_b", "lmlt_base", "man", "moesr2", "mosrv2", "omnisr", "plksr",
)  # fmt: skip
"""Architectures whose templates with degradations made on the fly are stored too: one of each kind, for
want of room in the wheel."""
WIDE_NETWORKS = (
    "compact", "plksr", "realplksr", "realplksr_tiny", "superultracompact", "ultracompact",
)  # fmt: skip
"""Architectures whose input crops are 96 pixels, not 64; so are those of atd's adversarial templates."""
WRITTEN_OPTIONS: dict[str, dict[str, Any]] = {
    "dat": {"use_chk": True},
    "dat_2": {"use_chk": True},
    "esrgan": {"use_pixel_unshuffle": True},
    "esrgan_lite": {"use_pixel_unshuffle": True},
    "flexnet": {"upsampler": "pixelshuffle"},
    "hat_l": {"use_checkpoint": True},
    "hat_m": {"use_checkpoint": True},
    "metaflexnet": {"upsampler": "pixelshuffle"},
    "moesr2": {"upsampler": "pixelshuffledirect"},
    "mosrv2": {"upsampler": "pixelshuffledirect", "unshuffle_mod": True},
    "realcugan": {"pro": True, "fast": False},
    "realplksr": {"upsampler": "pixelshuffle", "layer_norm": True},
    "realplksr_tiny": {"upsampler": "pixelshuffle", "layer_norm": True},
    "span": {"norm": False},
    "span_s": {"norm": False},
}
"""Arguments that traiNNer-redux's templates give besides the name."""
UNPAIRED = ("drct_l", "dwt", "emt", "fdat_xl", "hit_sir")
PIXELS_ALONE = ("atd", "cascadedgaze", "escrealm", "swinir_m")
"""Architectures whose templates of pairs, or the adversarial ones of them, are left out too."""
SAME_SIZE = ("cascadedgaze",)
"""Architectures of traiNNer-redux that denoise: their templates have scale 1, no EMA and PSNR's loss."""
PAIRED = {"name": "own", "type": "pairedimagedataset", "dataroot_gt": ["hr"], "dataroot_lq": ["lr"]}
DEGRADED_DATA = {"name": "own", "type": "realesrgandataset", "dataroot_gt": ["hr"]}
ADAM = {"type": "AdamW", "lr": 1e-4, "weight_decay": 0, "betas": [0.9, 0.99]}
PIXELS = [{"type": "charbonnierloss", "loss_weight": 1.0}]
ZERO = ("distsloss", "ldlloss", "ffloss", "cosimloss", "fliploss", "sobeledgeloss")
ADVERSARIAL = [
    {"type": "mssimloss", "loss_weight": 0.5},
    {"type": "perceptualloss", "criterion": "charbonnier", "loss_weight": 0.01},
    {"type": "hsluvloss", "criterion": "charbonnier", "loss_weight": 1.0},
    {"type": "ganloss", "gan_type": "vanilla", "loss_weight": 0.1},
    *({"type": name, "loss_weight": 0} for name in ZERO),
]
"""Losses of traiNNer-redux's templates: of pixels alone (`fidelity`), and the adversarial ones (`gan`)."""


def redux() -> Iterator[Job]:
    """Yield traiNNer-redux's templates: of pairs, and with degradations made on the fly."""
    for setting, architectures in REDUX.items():
        for arch in architectures:
            for kind in ("fidelity", "gan"):
                job = redux_job(setting, arch, kind)
                data = job["datasets"]["train"]
                if arch not in UNPAIRED and (kind == "fidelity" or arch not in PIXELS_ALONE):
                    yield f"redux_{arch}_{kind}", {**job, "datasets": {"train": {**PAIRED, **data}}}
                if arch in ON_THE_FLY:
                    made = {"high_order_degradation": True, "queue_size": 120}
                    yield (
                        f"redux_{arch}_otf_{kind}",
                        {**job, **made, "datasets": {"train": {**DEGRADED_DATA, **data}}},
                    )


def redux_job(setting: str, arch: str, kind: str) -> dict[str, Any]:
    """Return one of traiNNer-redux's templates, its training data without its type."""
    wide = arch in WIDE_NETWORKS or (arch, kind) == ("atd", "gan")
    data = {
        "lq_size": 96 if wide else 64, "use_hflip": True, "use_rot": True, "num_worker_per_gpu": 4,
        "batch_size_per_gpu": 4, "accum_iter": 1,
    }  # fmt: skip
    train = {
        "ema_decay": 0.999, "optim_g": ADAM, "total_iter": 100000, "warmup_iter": -1,
        "scheduler": {"type": "MultiStepLR", "milestones": [50000], "gamma": 0.5},
        "losses": ADVERSARIAL if kind == "gan" else PIXELS,
    }  # fmt: skip
    job = {
        "name": "job", "scale": 4, "use_amp": True, "amp_bf16": setting.startswith("bf16"),
        "use_channels_last": setting.endswith("last"), "num_gpu": "auto", "datasets": {"train": data},
        "network_g": {"type": arch, **WRITTEN_OPTIONS.get(arch, {})}, "path": {}, "train": train,
        "logger": {"print_freq": 100, "save_checkpoint_freq": 1000, "use_tb_logger": True},
    }  # fmt: skip
    if arch in SAME_SIZE:
        job["scale"], train["ema_decay"] = 1, 0
        if kind == "fidelity":
            train["losses"] = [{"type": "psnrloss", "loss_weight": 1.0}]
    if kind == "gan":
        job |= {"network_d": {"type": "dunet"}, "train": {**train, "optim_d": ADAM}}
    return job


def basicsr(
    model: str, scale: int, network: dict[str, Any], data: dict[str, Any], loss: str
) -> dict[str, Any]:
    """Return a job of a fork of BasicSR with one loss of pixels."""
    optimizer = {"type": "AdamW" if loss != "L1Loss" else "Adam", "lr": 1e-3, "weight_decay": 0}
    whole = {"name": "own", "type": "PairedImageDataset", "dataroot_gt": "hr", "dataroot_lq": "lr"}
    train = {
        "optim_g": {**optimizer, "betas": [0.9, 0.99]}, "total_iter": 400000, "warmup_iter": -1,
        "scheduler": {"type": "MultiStepLR", "milestones": [200000], "gamma": 0.5},
        "pixel_opt": {"type": loss, "loss_weight": 1, "reduction": "mean"},
    }  # fmt: skip
    return {
        "name": "job", "model_type": model, "scale": scale, "num_gpu": "auto",
        "datasets": {"train": {**whole, **data, "batch_size_per_gpu": 4, "num_worker_per_gpu": 4}},
        "network_g": network, "path": {}, "train": train,
        "logger": {"print_freq": 100, "save_checkpoint_freq": 5000},
    }  # fmt: skip


HAT = {
    "s": {"compress_ratio": 24, "squeeze_factor": 24, "embed_dim": 144, "groups": 6},
    "m": {"compress_ratio": 3, "squeeze_factor": 30, "embed_dim": 180, "groups": 6},
    "l": {"compress_ratio": 3, "squeeze_factor": 30, "embed_dim": 180, "groups": 12},
}


def hat() -> Iterator[Job]:
    """Yield HAT-S, HAT and HAT-L at the three scales, with input crops of 64 pixels."""
    for size, own in HAT.items():
        groups = own["groups"]
        for scale in (2, 3, 4):
            network = {
                "type": "HAT", "upscale": scale, "in_chans": 3, "img_size": 64, "window_size": 16,
                "compress_ratio": own["compress_ratio"], "squeeze_factor": own["squeeze_factor"],
                "conv_scale": 0.01, "overlap_ratio": 0.5, "img_range": 1.0, "depths": [6] * groups,
                "embed_dim": own["embed_dim"], "num_heads": [6] * groups, "mlp_ratio": 2,
                "upsampler": "pixelshuffle", "resi_connection": "1conv",
            }  # fmt: skip
            job = basicsr("HATModel", scale, network, {"gt_size": 64 * scale}, "L1Loss")
            job["train"]["ema_decay"] = 0.999
            yield f"hat_{size}_x{scale}", job


NAFSSR = {"t": (16, 48, 0.0), "s": (32, 64, 0.1), "b": (64, 96, 0.2), "l": (128, 128, 0.3)}
"""Blocks, channels and stochastic depth of NAFSSR's sizes."""


def nafnet() -> Iterator[Job]:
    """Yield NAFNet and its baseline for denoising and deblurring, and NAFSSR's four sizes."""
    layouts = {
        "sidd": {"enc_blk_nums": [2, 2, 4, 8], "middle_blk_num": 12, "dec_blk_nums": [2, 2, 2, 2]},
        "gopro": {"enc_blk_nums": [1, 1, 1, 28], "middle_blk_num": 1, "dec_blk_nums": [1, 1, 1, 1]},
    }
    for task, layout in layouts.items():
        for base in ("NAFNet", "Baseline"):
            for width in (32, 64):
                expand = {"dw_expand": width // 32, "ffn_expand": 2} if base == "Baseline" else {}
                name = f"{base}Local" if task == "gopro" else base
                network = {"type": name, "width": width, **layout, **expand}
                job = basicsr("ImageRestorationModel", 1, network, {"gt_size": 256}, "PSNRLoss")
                if task == "gopro" and (base, width) != ("Baseline", 64):
                    job["train"]["optim_g"]["weight_decay"] = 1e-3
                yield f"{base}_{task}_{width}".lower(), job
    for size, (blocks, width, depth) in NAFSSR.items():
        for scale in (2, 4):
            network = {
                "type": "NAFSSR", "up_scale": scale, "width": width, "num_blks": blocks,
                "drop_path_rate": depth, "train_size": [1, 6, 30, 90], "drop_out_rate": 0.0,
            }  # fmt: skip
            data = {"type": "PairedStereoImageDataset", "gt_size_h": 30 * scale, "gt_size_w": 90 * scale}
            job = basicsr("ImageRestorationModel", scale, network, data, "MSELoss")
            job["train"]["mixup"] = False
            yield f"nafssr_{size}_x{scale}", job


def templates() -> Iterator[Job]:
    """Yield every template as a name and a config."""
    yield from (*nafnet(), *hat(), *redux())
