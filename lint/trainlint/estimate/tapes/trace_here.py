# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trace by this process's own torch, which is imported for the first one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.tape import Tape

NO_TORCH = "no torch and no stored profile of this step: pip install 'trainlint[torch]'"
FINE_TUNING: Final = ("transformers.", "diffusers.")
"""Recipes that run on the modules of these libraries."""
MODULES: Final = 30_000
"""Modules that the traces of a step may make: SDXL with adapters, in its text encoders too, has 6,000, and is
built up to four times. One takes some 2.7 ms (MSRResNet with 400 blocks, measured while others worked)."""


def library_of(step: Mapping[str, Any]) -> str | None:
    """Return the package that a step's recipe is built with, besides torch."""
    recipe = str(step.get("recipe", ""))
    return recipe.partition(".")[0] if recipe.startswith(FINE_TUNING) else None


def no_torch(step: Mapping[str, Any]) -> str:
    """Say what to install for a step: the finetune extra brings the modules of language and image models."""
    return NO_TORCH if library_of(step) is None else NO_TORCH.replace("[torch]", "[finetune]")


def trace_here(missing: str, step: Mapping[str, Any], **options: Any) -> Tape:
    """Trace a step in this process, whose torch may still have to be imported.

    CannotTraceError says why not: `missing` where torch is not installed.
    """
    from trainlint.estimate.tapes.recipe_guard import staying  # noqa: PLC0415 - not for what is stored
    from trainlint.estimate.tapes.torch_import import check_torch  # noqa: PLC0415 - as above
    from trainlint.estimate.tapes.trains import trained  # noqa: PLC0415 - as above

    check_torch(missing)
    from trainlint.trace.building.build import bounded  # noqa: PLC0415 - imports torch
    from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

    with staying():
        return trained(bounded(MODULES)(trace)(step, **options))
