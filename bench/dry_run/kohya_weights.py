# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make checkpoints of zeros as sd-scripts reads them, for the programs of `dry_runs`: Flux and SD 3.

    PYTHONPATH=SD_SCRIPTS:lint python -m bench kohya_weights FOLDER

SD_SCRIPTS is its repository, whose own classes say what a file holds; FOLDER gets flux/ with
flux1-dev.safetensors, ae.safetensors, clip_l.safetensors and t5xxl.safetensors, and sd3/ with
sd3_medium.safetensors, which has the VAE, clip_l, clip_g and t5xxl. That python has what sd-scripts needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from library import flux_models, flux_utils, sd3_models
from torch import nn
from transformers import CLIPConfig, CLIPTextModel, CLIPTextModelWithProjection, T5Config, T5EncoderModel

from bench.commands import parser_of
from bench.dry_run.zeros import write_zeros
from trainlint.catalogue.image_models import image_model


def main() -> None:
    """Make them."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    with torch.device("meta"):
        made = {"flux": _flux(), "sd3": _stable_diffusion_3()}
    for model, parts in made.items():
        for name, part in parts.items():
            # flux1-dev as it is published for --fp8_base: half the size; T5 so that it is not converted
            kind = "F8_E4M3" if name == "flux1-dev" or (model, name) == ("sd3", "t5xxl") else "BF16"
            write_zeros(part, folder / model / f"{name}.safetensors", kind)


def _encoders(name: str) -> list[Mapping[str, Any]]:
    known = image_model(name, None)
    assert known is not None  # noqa: S101 - the table has it
    return [dict(part["config"]) for part in known.config["text_encoders"]]


def _flux() -> dict[str, nn.Module]:
    clip, t5 = _encoders("FLUX.1-dev")
    config = flux_models.configs[flux_utils.MODEL_NAME_DEV]
    return {
        "flux1-dev": flux_models.Flux(config.params),
        "ae": flux_models.AutoEncoder(config.ae_params),
        "clip_l": CLIPTextModel(CLIPConfig(text_config=clip).text_config),
        "t5xxl": T5EncoderModel(T5Config(**t5)),
    }


def _stable_diffusion_3() -> dict[str, nn.Module]:
    clip, large_clip, t5 = _encoders("stable-diffusion-3-medium")
    params = sd3_models.SD3Params(
        patch_size=2, depth=24, num_patches=192 * 192, pos_embed_max_size=192, adm_in_channels=2048,
        qk_norm=None, x_block_self_attn_layers=[], context_embedder_in_features=4096,
        context_embedder_out_features=1536, model_type="medium",
    )  # fmt: skip
    whole = nn.Module()
    whole.model = nn.Module()
    whole.model.diffusion_model = sd3_models.create_sd3_mmdit(params, "torch")
    whole.first_stage_model = sd3_models.SDVAE(torch.bfloat16, "meta")
    return {
        "sd3_medium": whole,
        "clip_l": CLIPTextModelWithProjection(CLIPConfig(text_config=clip).text_config),
        "clip_g": CLIPTextModelWithProjection(CLIPConfig(text_config=large_clip).text_config),
        "t5xxl": T5EncoderModel(T5Config(**t5)),
    }


if __name__ == "__main__":
    main()
