# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing a network that the caller has at hand: a module, or a function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.tape import Tape
from trainlint.tape.step import GIVEN_MODULE
from trainlint.trace.building.build import networks_of
from trainlint.trace.given_step import GivenStep, Leaf, Parts
from trainlint.trace.trace import trace

Model = nn.Module | Callable[[], nn.Module]


def trace_given(model: Model, step: Mapping[str, Any], parts: Parts | None = None, **options: Any) -> Tape:
    """Trace a step whose network `given:Class` is a copy of `model`, on the meta device, fed with `parts`."""

    def build(_dialect: str, arch: str, _args: Mapping[str, Any]) -> nn.Module | None:
        if arch.partition(":")[0] != GIVEN_MODULE:
            return None
        module = deepcopy(model) if isinstance(model, nn.Module) else model()
        if not isinstance(module, nn.Module):
            raise CannotTraceError(
                f"{arch.partition(':')[2]} makes {module!r}, which is not a torch.nn.Module"
            )
        return module.to("meta").train()

    with networks_of(build):
        if parts is not None:
            options["recipe"] = partial(GivenStep, parts=parts)
        return trace(step, **options)


def leaf(value: Any) -> Leaf:
    """Return one tensor of a sample: a shape, or a tensor of that shape and type. Raises TypeError."""
    if isinstance(value, torch.Tensor):
        return Leaf(tuple(value.shape), value.dtype)
    return Leaf(tuple(int(side) for side in value))
