# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Kernels that a model takes where their package is installed, which no config says."""

from __future__ import annotations

from typing import Final

from trainlint.model.facts import Uncounted
from trainlint.model.spec import TrainSpec

XIELU: Final = Uncounted(
    "xielu's kernel, where that package is installed,", "less", bound=True, keeps="states"
)
"""Apertus' activation: as transformers writes it out (activations.py, XIELUActivation) it is many operators,
each with a result of the MLP's width, and one where it finds that package (axolotl's guide recommends it)."""


def optional_kernels(spec: TrainSpec) -> tuple[Uncounted, ...]:
    """Return the terms of the kernels that may make a step smaller than as it was traced."""
    return (XIELU,) if spec.get("model.config", {}).get("model_type") == "apertus" else ()
