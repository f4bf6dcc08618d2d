# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The guide to fine-tuning counts the models whose step is stored."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.profiles.blueprints import judged
from bench.profiles.build import PROFILES
from bench.profiles.language_models import AXOLOTL_KEYS, FACTORY_KEYS, MODELS, SETTINGS
from trainlint.estimate.tapes.stored_profiles import Store

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "fine-tuning.md"
ROWS = {
    "LoRA in bf16": ("lora", "axolotl lora", "trl lora"),
    "QLoRA in bf16": ("qlora", "axolotl qlora", "trl qlora"),
    "all weights, bf16": ("full", "axolotl full", "trl full"),
    "QLoRA in fp16": ("qlora fp16", "axolotl qlora fp16"),
}
"""A row of its table -> the settings of its columns."""


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_the_guide_counts_the_kinds_that_are_stored(row: str) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert f"Of {len(MODELS)} such kinds" in text
    (cells,) = re.findall(rf"(?m)^\| {row} \|(.*)\|$", text)
    said = [int(cell) for cell in cells.split("|") if cell.strip() != "none"]
    assert said == [len(_stored(name)) for name in ROWS[row]]


def _stored(setting: str) -> list[str]:
    """Return the models of which two samples at once are judged without torch, in every reading."""
    config, targets = SETTINGS[setting]
    base, batch = AXOLOTL_KEYS if "datasets" in config else FACTORY_KEYS
    made = {model: {**config, base: name, batch: 2} for model, name in MODELS.items()}
    store = Store(PROFILES, "shipped")
    return [model for model, own in made.items() if not judged(own, targets, store, may_trace=False)]
