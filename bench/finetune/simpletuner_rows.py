# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""SimpleTuner's sweep of checkpointing as configs: each row its example's config.json with what the row sets.

Compared are the LoRA rows in bf16 with PEFT's adapters, with and without checkpointing, of the models that
diffusers has; in UNets it checkpoints each block, whatever interval it is given. Their examples' data
sets are squares of 512 pixels, whatever the heading of the table says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bench.finetune.measured_row import Row

SWEEP: Final = "simpletuner_checkpointing_sweep"
SIDE: Final = 512
"""multidatabackend-small-dreambooth-512px.json: resolution 512 by pixel, crop_aspect square."""
CARDS: Final[Mapping[str, str]] = {"NVIDIA H100 80GB": "h100-80gb", "NVIDIA L40S 48GB": "l40s"}
MODES: Final[Mapping[str, bool]] = {"none": False, "layer": True}
SEGMENTS: Final[Mapping[str, Mapping[str, int]]] = {
    "interval2": {"gradient_checkpointing_interval": 2},
    "seg2-stride4": {"gradient_checkpointing_interval": 2, "gradient_checkpointing_segment_stride": 4},
}
"""Modes that UNets ignore -> what the config says."""
UNETS: Final = ("Kolors",)
MODELS: Final = ("AuraFlow", "Chroma", "Kolors", "Lumina2")
SKIPPED_VARIANTS: Final[Mapping[str, str]] = {
    "lycoris-lokr": "LoKr in LyCORIS's bypass mode, whose kernel depends on release and card",
    "peft-lora+ramtorch": "weights on the host (ramtorch)",
    "peft-lora+sdnq-hadamard": "weights quantised by SDNQ",
}
"""Methods -> why their rows are not compared."""


def simpletuner_rows(table: Iterator[Mapping[str, str]]) -> Iterator[Row]:
    """Yield the runs that are compared."""
    for row in table:
        if row["table"] == SWEEP and not why_skipped(row):
            yield _row(row)


def why_skipped(row: Mapping[str, str]) -> str:
    """Return why a row of the sweep is not compared; "" where it is."""
    if row["method"] in SKIPPED_VARIANTS:
        return SKIPPED_VARIANTS[row["method"]]
    if row["model"] not in MODELS:
        return f"{row['model']} has no row among the image models"
    if row["precision"] != "bf16":
        return f"{row['precision']} is not traced"
    known = MODES.keys() | (SEGMENTS if row["model"] in UNETS else {})
    return "" if _mode(row) in known else f"checkpointing of several blocks or with offload ({_mode(row)})"


def _mode(row: Mapping[str, str]) -> str:
    return row["other_settings"].partition(";")[0].removeprefix("checkpointing=")


def _row(row: Mapping[str, str]) -> Row:
    said: dict[str, Any] = json.loads(row["other_settings"].partition("config ")[2])
    said |= {
        "train_batch_size": int(row["batch_per_gpu"]),
        "base_model_precision": "no_change",
        "gradient_checkpointing": MODES.get(_mode(row), True),
        **SEGMENTS.get(_mode(row), {}),
        "resolution": SIDE,
        "resolution_type": "pixel_area",
        "max_train_steps": 100,
        "validation_disable": True,  # what the sweep measured is the steps
        "output_dir": "out",
    }
    measured = None if row["oom"] == "1" else round(float(row["mem_gib"]) * 2**30)
    card = CARDS[row["gpu"]]
    name = f"{row['model']}, checkpointing {_mode(row)}, {card}"
    return Row(name, SWEEP, "", json.dumps(said, indent=1), card, measured)
