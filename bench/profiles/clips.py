# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's option files of clips, whose profiles travel in the wheel; build.py traces them.

Sizes are those of the papers: EDVR (arXiv:1905.02716), BasicVSR and IconVSR (arXiv:2012.02181), BasicVSR++
(arXiv:2104.13371).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.profiles.jobs import VGG_D
from bench.profiles.options import EIGHT_GPUS, PERCEPTUAL, validated
from bench.profiles.templates import Job, basicsr

ADAM = {"type": "Adam", "lr": 2e-4, "weight_decay": 0, "betas": [0.9, 0.99]}


def clip(model: str, network: dict[str, Any], data: dict[str, Any], **train: Any) -> dict[str, Any]:
    """Return a job of a network that takes clips."""
    whole = {"gt_size": 256, "io_backend": {"type": "disk"}, **data}
    job = basicsr(model, 4, network, whole, "CharbonnierLoss")
    job["train"] |= {"ema_decay": 0.999, "optim_g": ADAM, **train}
    return {**job, **EIGHT_GPUS, "find_unused_parameters": True}


def recurrent() -> Iterator[Job]:
    """Yield the files of recurrent networks: of REDS, and of Vimeo-90K, played there and back (14 frames)."""
    reds = {"type": "REDSRecurrentDataset", "num_frame": 15, "test_mode": False}
    vimeo = {"type": "Vimeo90KRecurrentDataset", "num_frame": -1, "flip_sequence": True}
    basic = {"type": "BasicVSR", "num_feat": 64, "num_block": 30}
    icon = {**basic, "type": "IconVSR", "keyframe_stride": 5}
    plus = {"type": "BasicVSRPlusPlus", "mid_channels": 64, "num_blocks": 7, "is_low_res_input": True}
    model, test = "VideoRecurrentModel", "VideoRecurrentTestDataset"
    for name, network, padding in (("basicvsr", basic, {}), ("iconvsr", icon, {"temporal_padding": 2})):
        job = clip(model, {**network, **padding}, reds, fix_flow=5000)
        yield f"{name}_reds", validated(job, "REDS4", test)
    for name, network, padding in (("basicvsr", basic, {}), ("iconvsr", icon, {"temporal_padding": 3})):
        job = clip(model, {**network, **padding}, vimeo, fix_flow=5000)
        yield f"{name}_vimeo", validated(job, "Vid4", test)
    job = clip(model, plus, {**reds, "num_frame": 30, "batch_size_per_gpu": 1}, fix_flow=5000)
    yield "basicvsrpp_reds", validated(job, "REDS4", test)
    gan = {
        "optim_d": ADAM,
        "pixel_opt": {"type": "L1Loss", "loss_weight": 1e-2, "reduction": "mean"},
        "perceptual_opt": {**PERCEPTUAL, "layer_weights": {"conv5_4": 1}},
        "gan_opt": {"type": "GANLoss", "gan_type": "vanilla", "loss_weight": 5e-3},
        "net_d_iters": 1, "net_d_init_iters": 0,
    }  # fmt: skip
    job = clip("VideoRecurrentGANModel", basic, reds, **gan)
    job["network_d"] = {**VGG_D, "num_feat": 32, "input_size": 256}
    yield "basicvsr_gan", validated({**job, "num_gpu": 1}, "REDS4", test)


def windowed() -> Iterator[Job]:
    """Yield EDVR's two sizes with its attention and without."""
    window = {"type": "REDSDataset", "num_frame": 5, "interval_list": [1], "random_reverse": False}
    for size, channels, blocks in (("m", 64, 10), ("l", 128, 40)):
        for attention in (True, False):
            network = {
                "type": "EDVR", "num_in_ch": 3, "num_out_ch": 3, "num_feat": channels, "num_frame": 5,
                "deformable_groups": 8, "num_extract_block": 5, "num_reconstruct_block": blocks,
                "center_frame_idx": None, "hr_in": False, "with_predeblur": False, "with_tsa": attention,
            }  # fmt: skip
            job = clip("EDVRModel", network, window, **({"tsa_iter": 50000} if attention else {}))
            job["train"]["pixel_opt"]["reduction"] = "sum"
            if not attention:
                del job["find_unused_parameters"]
            name = f"edvr_{size}{'' if attention else '_without_tsa'}"
            yield name, validated(job, "REDS4", "VideoTestDataset", num_frame=5)


def videos() -> Iterator[Job]:
    """Yield every file of clips as a name and a config."""
    yield from (*recurrent(), *windowed())
