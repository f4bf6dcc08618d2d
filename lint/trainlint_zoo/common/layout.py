# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network in another memory format."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

RECIPES: dict[str, str] = {}

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def in_format(module: ModuleT, layout: torch.memory_format) -> ModuleT:
    """Lay out a module's four-dimensional parameters in place, as `Module.to(memory_format=...)` does."""
    module.to(memory_format=layout)  # type: ignore[call-overload]  # torch's own annotations leave it out
    return module
