# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an earlier run left in LLaMA-Factory's output folder, at which the next one stops.

hiyouga/LLaMA-Factory ff6d4d12, src/llamafactory/hparams/parser.py: it goes on from a checkpoint that is
there, and stops at weights without one. The folder is looked for where the config is and above it; nothing is
opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.safe_open import note_failure
from trainlint.model.document import Document
from trainlint.model.job import Problem

RULE: Final = "output-not-empty"
WEIGHTS: Final = (
    "adapter_model.safetensors", "adapter_model.bin", "model.safetensors.index.json", "model.safetensors",
    "pytorch_model.bin.index.json", "pytorch_model.bin",
)  # fmt: skip
"""src/llamafactory/extras/constants.py: CHECKPOINT_NAMES."""
CHECKPOINT: Final = "checkpoint-"
NEVER_RESUMED: Final = ("rm", "ppo")
"""Stages that start afresh in any folder where all weights, or the last blocks, are trained."""


def earlier_output(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem where the output folder holds weights and no checkpoint to go on from."""
    value = document.value
    if dialect.id != "llamafactory" or not isinstance(value, dict) or value.get("do_train") is not True:
        return
    out = value.get("output_dir")
    afresh = value.get("stage") in NEVER_RESUMED and value.get("finetuning_type") in ("full", "freeze")
    if not isinstance(out, str) or afresh or value.get("overwrite_output_dir") is True:
        return
    if value.get("resume_from_checkpoint") is not None:
        return
    for folder in folders_above(document.source.path):
        left = [name for name in WEIGHTS if inside(folder, f"{out.rstrip('/')}/{name}") is not None]
        if left and not _has_checkpoint(os.path.join(folder, out)):  # noqa: PTH118 - as it is written
            message = (
                f'"{out}" holds {left[0]} of an earlier run: LLaMA-Factory stops with "Output directory'
                ' already exists and is not empty"; set overwrite_output_dir: true, or another output_dir'
            )
            yield Problem(RULE, message, ("output_dir",))
            return


def _has_checkpoint(folder: str) -> bool:
    try:
        return any(name.startswith(CHECKPOINT) for name in os.listdir(folder))  # noqa: PTH208 - it is asked for names
    except OSError as error:
        note_failure(folder, error)
        return True
