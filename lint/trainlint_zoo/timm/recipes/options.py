# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What train.py's options make of a step: the loss, the optimizer, and arguments written as name=value.

Source: huggingface/pytorch-image-models 1.0.9 to 1.0.28, train.py, timm/loss, timm/optim, timm/utils/misc.py.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.refusal import elsewhere
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage

LAYER_OPTIONS = ("layer_decay", "layer_decay_min_scale", "layer_decay_no_opt_scale")


def assigned(words: Any) -> dict[str, Any]:
    """Read name=value words as timm's ParseKwargs does: Python literals, else text; YAML gives a mapping."""
    if isinstance(words, Mapping):
        return dict(words)
    return dict(map(_pair, words or ()))


def _pair(word: str) -> tuple[str, Any]:
    name, _, text = str(word).partition("=")
    try:
        return name, ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name, text


def loss_of(step: Mapping[str, Any]) -> nn.Module:
    """Build the loss that train.py picks; cross entropy where the step says nothing."""
    entry = dict(next(iter(step.get("losses") or ()), {}))
    kind = str(entry.get("type", "CrossEntropyLoss"))
    options = {name: value for name, value in entry.items() if name not in ("role", "type", "loss_weight")}
    where = nn if kind == "CrossEntropyLoss" else library("timm.loss", "timm is not installed")
    made: nn.Module = getattr(where, kind)(**options)
    return made


def optimizer_of(stage: Stage, net: nn.Module, step: Mapping[str, Any]) -> torch.optim.Optimizer:
    """Build the optimizer: torch's own class, or by timm's factory under timm's name."""
    entry = next(iter(step.get("optimizers") or ()), None)
    if entry is None:
        raise CannotTraceError("no optimizer for the network")
    kind = str(entry.get("type"))
    given = {name: value for name, value in entry.items() if name not in ("role", "type", "lr")}
    extra = assigned((step.get("options") or {}).get("opt_kwargs"))
    layered = any(name in given for name in LAYER_OPTIONS)
    if hasattr(torch.optim, kind) and not layered:
        return stage.optimizer("generator", net.parameters(), kind, **{"lr": 1e-3, **given, **extra})
    return stage.adopt_optimizer("generator", _by_timm(net, kind, {"lr": 1e-3, **given, **extra}))


def _by_timm(net: nn.Module, kind: str, given: Mapping[str, Any]) -> torch.optim.Optimizer:
    factory = library("timm.optim", "timm is not installed").create_optimizer_v2
    name = "sgd" if kind == "SGD" else kind.lower()
    options = {key: value for key, value in given.items() if not (kind == "SGD" and key == "nesterov")}
    try:
        with torch.device("cpu"):
            made: torch.optim.Optimizer = factory(net, opt=name, **options)
    except (TypeError, ValueError, AssertionError) as error:
        if elsewhere(error) or "not found" in str(error) or "Invalid optimizer" in str(error):
            raise CannotTraceError(f'unknown optimizer "{kind}"') from error
        raise BadArgumentsError(f"{kind} cannot be built: {error}", "optimizers:generator") from error
    return made
