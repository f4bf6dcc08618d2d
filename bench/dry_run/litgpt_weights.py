# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make litgpt checkpoints of zeros for the programs of `dry_runs`: a model's shapes, nobody's weights.

    PYTHONPATH=LITGPT:lint python -m bench litgpt_weights LITGPT INPUTS NAME [NAME ...]

LITGPT is its repository, INPUTS what `bench dry_run_inputs` made; NAME is a model of litgpt's (Llama-3.2-1B).
They are written to LITGPT/checkpoints/made, a zero for each tensor: 14 GB are some kilobytes.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import torch
from litgpt.config import Config
from litgpt.model import GPT
from litgpt.utils import save_config

from bench.commands import parser_of

TOKENIZER: Final = ("tokenizer.json", "tokenizer_config.json", "generation_config.json")


def main() -> None:
    """Make each checkpoint that is named."""
    parser = parser_of(__doc__)
    parser.add_argument("litgpt", type=Path)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    for name in arguments.names:
        folder = arguments.litgpt / "checkpoints" / "made" / name
        folder.mkdir(parents=True, exist_ok=True)
        config = Config.from_name(name)
        with torch.device("meta"):
            shapes = GPT(config).state_dict()
        zero = torch.zeros((), dtype=torch.bfloat16)
        weights = {key: zero.expand(value.shape) for key, value in shapes.items()}
        torch.save(weights, folder / "lit_model.pth")
        save_config(config, folder)
        for file in TOKENIZER:
            shutil.copy(arguments.inputs / "llama" / file, folder / file)


if __name__ == "__main__":
    main()
