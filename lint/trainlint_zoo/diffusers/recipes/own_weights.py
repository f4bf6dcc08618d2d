# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LyCORIS' adapters that have no factors: a layer's whole weight is trained, or a change of its norm's.

Read: KohakuBlueleaf/LyCORIS 4.1, lycoris/modules/full.py (apply_to, forward), norms.py (forward). Release 3.4
takes the weight off the layer and then asks it for its own result, which stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.diffusers.recipes.rebuilt_weights import layers_of

FULL = "lycoris.full"


class WholeWeight(nn.Module):
    """A layer's weight and bias, which are taken off it; it then does what the layer did."""

    def __init__(self, layer: Any, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(layer.weight.shape, dtype=dtype))
        self.bias = None if layer.bias is None else nn.Parameter(torch.empty(layer.bias.shape, dtype=dtype))
        del layer.weight, layer.bias
        self.given: dict[str, Any] = {}
        self.op: Any = F.linear
        if isinstance(layer, nn.Conv2d):
            self.op = F.conv2d
            self.given = {"stride": layer.stride, "padding": layer.padding, "groups": layer.groups}

    def forward(self, x: Tensor) -> Tensor:
        """Return what the layer gives."""
        result: Tensor = self.op(x, weight=self.weight, bias=self.bias, **self.given)
        return result


class ChangedNorm(nn.Module):
    """A change of a norm's weight and bias: what is normed by it is added."""

    def __init__(self, layer: Any, dtype: torch.dtype) -> None:
        super().__init__()
        self.original = layer.forward
        self.layers = (layer,)  # which is no part of its adapter
        self.weight, self.bias = (
            nn.Parameter(torch.empty(layer.weight.numel(), dtype=dtype)) for _ in range(2)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add to the norm's own result."""
        result: Tensor = self.original(x)
        (layer,) = self.layers
        weight, bias = (
            (of.to(change.dtype) + change * 1.0) - of.detach()
            for of, change in ((layer.weight, self.weight), (layer.bias, self.bias))
        )
        if isinstance(layer, nn.GroupNorm):
            return result + F.group_norm(x, layer.num_groups, weight, bias, layer.eps)
        return result + F.layer_norm(x, layer.normalized_shape, weight, bias, layer.eps)


def add_whole_weights(
    net: nn.Module, parts: Sequence[str], ranks: tuple[int, int], dtype: torch.dtype
) -> nn.ModuleList:
    """Take the weights off the layers of a network that lie in its named parts; return what has them."""
    made = nn.ModuleList()
    for layer, _ in layers_of(net, parts, ranks):
        own = WholeWeight(layer, dtype)
        layer.forward = own.forward
        made.append(own)
    return made


def add_changed_norms(net: nn.Module, parts: Sequence[str], dtype: torch.dtype) -> nn.ModuleList:
    """Change the norms in named parts of a network; return what is trained."""
    made = nn.ModuleList()
    for name, layer in list(net.named_modules()):
        if not isinstance(layer, nn.GroupNorm | nn.LayerNorm) or not any(part in name for part in parts):
            continue
        changed = ChangedNorm(layer, dtype)
        layer.forward = changed.forward  # type: ignore[assignment,method-assign]
        made.append(changed)
    return made
