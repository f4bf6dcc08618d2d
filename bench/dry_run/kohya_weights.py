# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make checkpoints of zeros as sd-scripts reads them, for the programs of `dry_runs`: Flux in four files.

    PYTHONPATH=SD_SCRIPTS:lint python -m bench kohya_weights FOLDER

SD_SCRIPTS is its repository, whose own classes say what a file holds; FOLDER gets flux1-dev.safetensors,
ae.safetensors, clip_l.safetensors and t5xxl.safetensors. That python has what sd-scripts needs.
"""

from __future__ import annotations

from pathlib import Path

import torch
from library import flux_models, flux_utils
from transformers import CLIPConfig, CLIPTextModel, T5Config, T5EncoderModel

from bench.commands import parser_of
from bench.dry_run.zeros import write_zeros
from trainlint.catalogue.image_models import image_model


def main() -> None:
    """Make them."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    known = image_model("FLUX.1-dev", None)
    assert known is not None  # noqa: S101 - the table has it
    clip, t5 = known.config["text_encoders"]
    with torch.device("meta"):
        parts = {
            "flux1-dev": flux_models.Flux(flux_models.configs[flux_utils.MODEL_NAME_DEV].params),
            "ae": flux_models.AutoEncoder(flux_models.configs[flux_utils.MODEL_NAME_DEV].ae_params),
            "clip_l": CLIPTextModel(CLIPConfig(text_config=dict(clip["config"])).text_config),
            "t5xxl": T5EncoderModel(T5Config(**t5["config"])),
        }
    for name, part in parts.items():
        kind = (
            "F8_E4M3" if name == "flux1-dev" else "BF16"
        )  # as it is published for --fp8_base: half the size
        write_zeros(part, folder / f"{name}.safetensors", kind)


if __name__ == "__main__":
    main()
