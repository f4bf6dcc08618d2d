# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LoRA beside a layer, as kohya's sd-scripts and ai-toolkit add it: the layer's own forward, then theirs.

Read: kohya-ss/sd-scripts 48d368f, networks/lora.py (LoRAModule.forward), networks/lora_flux.py;
ostris/ai-toolkit 27a03a9, toolkit/network_mixins.py (ToolkitModuleMixin.forward), toolkit/lora_special.py
(create_modules). kohya's runs under autocast, ai-toolkit's in the precision of its own weights, which is
fp32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

ALL: Final = "all-linear"


class SideAdapter(nn.Module):
    """down, then up, scaled and added to what the layer gives; `converts`: in the adapter's own precision."""

    def __init__(self, layer: Any, rank: int, dtype: torch.dtype, *, converts: bool, dropout: float) -> None:
        super().__init__()
        if isinstance(layer, nn.Conv2d):
            shape: dict[str, Any] = {
                "kernel_size": layer.kernel_size, "stride": layer.stride, "padding": layer.padding
            }  # fmt: skip
            self.down: nn.Module = nn.Conv2d(layer.in_channels, rank, bias=False, dtype=dtype, **shape)
            self.up: nn.Module = nn.Conv2d(rank, layer.out_channels, 1, bias=False, dtype=dtype)
        else:
            self.down = nn.Linear(layer.in_features, rank, bias=False, dtype=dtype)
            self.up = nn.Linear(rank, layer.out_features, bias=False, dtype=dtype)
        self.dtype, self.converts, self.dropout = dtype, converts, dropout
        self.original = layer.forward

    def forward(self, x: Tensor) -> Tensor:
        """Add to the layer's own result."""
        result: Tensor = self.original(x)
        own: Tensor = self.down(x.to(self.dtype) if self.converts else x)
        if self.dropout:
            own = nn.functional.dropout(own, self.dropout)
        own = self.up(own)
        if self.converts:
            return result + ((own * 1.0) * torch.ones(1, device=own.device)).to(result.dtype)
        return result + own * 1.0 * 1.0  # the user's multiplier, then alpha by rank


def add_side_adapters(
    net: nn.Module, parts: Sequence[str], rank: int, conv_rank: int, dtype: torch.dtype, *, converts: bool,
    dropout: float = 0.0,
) -> nn.ModuleList:  # fmt: skip
    """Put adapters beside the layers of a network that lie in its named parts; return them."""
    adapters = nn.ModuleList()
    for name, layer in list(net.named_modules()):
        layer_rank = conv_rank if _is_wide(layer) else rank if _is_pointwise(layer) else 0
        if not layer_rank or not (ALL in parts or any(part in f"{name}." for part in parts)):
            continue
        adapter = SideAdapter(layer, layer_rank, dtype, converts=converts, dropout=dropout)
        layer.forward = adapter.forward  # as both trainers do
        adapters.append(adapter)
    return adapters


def _is_pointwise(layer: nn.Module) -> bool:
    return isinstance(layer, nn.Linear) or (isinstance(layer, nn.Conv2d) and layer.kernel_size == (1, 1))


def _is_wide(layer: nn.Module) -> bool:
    return isinstance(layer, nn.Conv2d) and layer.kernel_size != (1, 1)


def parameters_of(adapters: nn.Module) -> Iterator[nn.Parameter]:
    """Return what is trained."""
    yield from adapters.parameters()
