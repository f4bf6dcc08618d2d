# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the steps that train a language model further have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.byte_optimizers import byte_optimizer
from trainlint_zoo.blocks.four_bit import KINDS

ROLE: Final = "model"
DTYPES: Final = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
LEAST: Final = 2
"""Tokens of a sample: one, and the next."""


def config_of(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the base model's shape; CannotTraceError where it is not known."""
    config = step.get("model.config")
    if not config:
        raise CannotTraceError("the base model is not known: give its config.json (--model-config FILE)")
    shape: Mapping[str, Any] = config
    return shape


def length_of(step: Mapping[str, Any]) -> int:
    """Return the tokens of the longest sample; CannotTraceError where nobody says."""
    length = step.get("sequence.length")
    if not length:
        raise CannotTraceError("how many tokens a sample has is not known")
    if length < LEAST:
        raise CannotTraceError("a sample of one token has nothing to predict")
    return int(length)


def check_quantisation(step: Mapping[str, Any]) -> None:
    """Refuse weights of another kind than four bits of bitsandbytes."""
    kind = step.get("quant.kind")
    if kind is not None and kind not in KINDS:
        raise CannotTraceError(f"what {kind} weights take in a step has not been compared with a measurement")


def optimizer_of(
    stage: Stage,
    trained: Iterable[nn.Parameter],
    step: Mapping[str, Any],
    kind: str = "",
    in_floats: Iterable[Tensor] = (),
) -> torch.optim.Optimizer:
    """Build the optimizer that a step names, or one of another `kind`: torch's class, or a library's.

    bitsandbytes' keeps the state of `in_floats` in 32 bits. Adafactor of transformers, unlike torch's, keeps
    its state in 32 bits and copies what it updates to 32 bits, a parameter after the other.
    """
    entry = dict(next(iter(step.get("optimizers") or ()), {}))
    options = {name: value for name, value in entry.items() if name not in ("role", "type", "lr")}
    name, parameters = kind or str(entry.get("type", "AdamW")), list(trained)
    if (own := byte_optimizer(name, parameters, in_floats)) is not None:
        return stage.adopt_optimizer(ROLE, own)
    if name == "transformers.Adafactor":
        made = library("transformers", "transformers is not installed: pip install 'trainlint[finetune]'")
        kept = {"scale_parameter": False, "relative_step": False}
        return stage.adopt_optimizer(ROLE, made.Adafactor(parameters, lr=1e-4, **kept))
    return stage.optimizer(ROLE, parameters, name, lr=1e-4, **options)


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Make floats of another precision while a model is built or runs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
