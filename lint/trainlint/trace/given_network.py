# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing a network that the caller has at hand: a module, or a function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from torch import nn

from trainlint.tape import Tape
from trainlint.tape.step import GIVEN
from trainlint.trace.building.build import networks_of
from trainlint.trace.trace import trace

Model = nn.Module | Callable[[], nn.Module]


def trace_given(model: Model, step: Mapping[str, Any], **options: Any) -> Tape:
    """Trace a step whose network `given:Class` is a copy of `model`, on the meta device."""

    def build(_dialect: str, arch: str, _args: Mapping[str, Any]) -> nn.Module | None:
        if arch.partition(":")[0] != GIVEN:
            return None
        module = deepcopy(model) if isinstance(model, nn.Module) else model()
        return module.to("meta").train()

    with networks_of(build):
        return trace(step, **options)
