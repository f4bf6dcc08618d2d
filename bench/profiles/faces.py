# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""StyleGAN2 and GFPGAN as their option files train them; build.py traces them.

Sizes are those of the papers: StyleGAN2 (arXiv:1912.04958), GFPGAN (arXiv:2101.04061).
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.profiles.options import EIGHT_GPUS, FIVE_POINTS, PERCEPTUAL
from bench.profiles.templates import Job

STYLEGAN2 = {"resample_kernel": [1, 3, 3, 1]}


def faces() -> Iterator[Job]:
    """Yield StyleGAN2 at 256 pixels, and GFPGAN v1 with discriminators of facial components and without."""
    train = {"optim_g": {"type": "Adam", "lr": 2e-3}, "optim_d": {"type": "Adam", "lr": 2e-3}}
    yield "stylegan2_256", {
        "name": "job", "model_type": "StyleGAN2Model", **EIGHT_GPUS, "path": {},
        "datasets": {"train": {"name": "FFHQ", "type": "FFHQDataset", "dataroot_gt": "ffhq.lmdb",
                               "batch_size_per_gpu": 3, "num_worker_per_gpu": 6}},
        "network_g": {"type": "StyleGAN2Generator", "out_size": 256, "num_style_feat": 512, "num_mlp": 8,
                      "channel_multiplier": 2, "lr_mlp": 0.01, **STYLEGAN2},
        "network_d": {"type": "StyleGAN2Discriminator", "out_size": 256, "channel_multiplier": 2,
                      **STYLEGAN2},
        "train": {**train, "total_iter": 800000,
                  "gan_opt": {"type": "GANLoss", "gan_type": "wgan_softplus", "loss_weight": 1.0},
                  "r1_reg_weight": 10, "path_batch_shrink": 2, "path_reg_weight": 2, "mixing_prob": 0.9,
                  "net_g_reg_every": 4, "net_d_reg_every": 16, "net_d_iters": 1, "net_d_init_iters": 0},
        "logger": {"print_freq": 100, "save_checkpoint_freq": 5000},
    }  # fmt: skip
    gfpgan = {
        **train, "total_iter": 800000, "pyramid_loss_weight": 1, "remove_pyramid_loss": 50000,
        "pixel_opt": {"type": "L1Loss", "loss_weight": 0.1, "reduction": "mean"},
        "L1_opt": {"type": "L1Loss", "loss_weight": 1, "reduction": "mean"},
        "perceptual_opt": {**PERCEPTUAL, "style_weight": 50, "range_norm": True,
                           "layer_weights": FIVE_POINTS},
        "gan_opt": {"type": "GANLoss", "gan_type": "wgan_softplus", "loss_weight": 0.1},
        "r1_reg_weight": 10, "net_d_iters": 1, "net_d_init_iters": 0, "net_d_reg_every": 16,
        "optim_component": {"type": "Adam", "lr": 2e-3},
    }  # fmt: skip
    data = {
        "name": "FFHQ", "type": "FFHQDegradationDataset", "dataroot_gt": "ffhq_512", "out_size": 512,
        "batch_size_per_gpu": 3, "num_worker_per_gpu": 6,
    }  # fmt: skip
    simple = {
        "name": "job", "model_type": "GFPGANModel", "num_gpu": "auto", "datasets": {"train": data},
        "network_g": {"type": "GFPGANv1", "out_size": 512, "num_style_feat": 512, "channel_multiplier": 1,
                      "fix_decoder": True, "num_mlp": 8, "lr_mlp": 0.01, "input_is_latent": True,
                      "different_w": True, "narrow": 1, "sft_half": True, **STYLEGAN2},
        "network_d": {"type": "StyleGAN2Discriminator", "out_size": 512, "channel_multiplier": 1,
                      **STYLEGAN2},
        "path": {}, "train": gfpgan, "logger": {"print_freq": 100, "save_checkpoint_freq": 5000},
        "find_unused_parameters": True,
    }  # fmt: skip
    component = {"type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1.0}
    yield "gfpgan_v1_simple", simple
    yield "gfpgan_v1", {
        **simple,
        "datasets": {"train": {**data, "crop_components": True, "eye_enlarge_ratio": 1.4}},
        **{f"network_d_{part}": {"type": "FacialComponentDiscriminator"}
           for part in ("left_eye", "right_eye", "mouth")},
        "network_identity": {"type": "ResNetArcFace", "block": "IRBlock", "layers": [2, 2, 2, 2],
                             "use_se": False},
        "train": {**gfpgan, "gan_component_opt": component, "comp_style_weight": 200, "identity_weight": 10},
    }  # fmt: skip
