# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: Soumith Chintala 2016 (torchvision)
# SPDX-License-Identifier: MIT AND Apache-2.0 AND BSD-3-Clause

"""VGG feature extractor of perceptual losses: torchvision's VGG cut after the last layer asked for, frozen.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/vgg_arch.py; layer widths from torchvision.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError

BUILDERS: dict[str, str] = {}

_WIDTHS = (64, 128, 256, 512, 512)
_CONVOLUTIONS = {
    "vgg11": (1, 1, 2, 2, 2),
    "vgg13": (2, 2, 2, 2, 2),
    "vgg16": (2, 2, 3, 3, 3),
    "vgg19": (2, 2, 4, 4, 4),
}


def vgg_layers(vgg_type: str) -> Iterator[tuple[str, nn.Module]]:
    """Yield (name, layer) of torchvision's `features`: conv1_1, (bn1_1,) relu1_1, ... pool5."""
    name, _, norm = vgg_type.partition("_")
    if name not in _CONVOLUTIONS or norm not in {"", "bn"}:
        raise CannotTraceError(f"unknown VGG network {vgg_type}")
    channels = 3
    for group, (count, width) in enumerate(zip(_CONVOLUTIONS[name], _WIDTHS, strict=True), 1):
        for index in range(1, count + 1):
            yield f"conv{group}_{index}", nn.Conv2d(channels, width, 3, padding=1)
            if norm:
                yield f"bn{group}_{index}", nn.BatchNorm2d(width)
            yield f"relu{group}_{index}", nn.ReLU(inplace=True)
            channels = width
        yield f"pool{group}", nn.MaxPool2d(2, 2)


class VGGFeatureExtractor(nn.Module):
    """Features at the named layers, cloned because the ReLU after them works in place; nothing is resized."""

    def __init__(
        self,
        layer_name_list: Sequence[str],
        vgg_type: str = "vgg19",
        use_input_norm: bool = True,
        range_norm: bool = False,
        *,
        copies: bool = True,
    ) -> None:
        super().__init__()
        self.wanted = tuple(layer_name_list)
        self.range_norm, self.copies = range_norm, copies
        self.use_input_norm = use_input_norm
        layers = OrderedDict(vgg_layers(vgg_type))
        names = list(layers)
        for layer in self.wanted:
            if layer not in layers:
                raise CannotTraceError(f"{vgg_type} has no layer {layer}")
        last = max(names.index(layer) for layer in self.wanted)
        self.vgg_net = nn.Sequential(OrderedDict(list(layers.items())[: last + 1])).eval()
        self.requires_grad_(False)
        if use_input_norm:
            self.register_buffer("mean", image_statistic())
            self.register_buffer("std", image_statistic())

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        if self.range_norm:
            x = (x + 1) / 2
        if self.use_input_norm:
            x = (x - self.get_buffer("mean")) / self.get_buffer("std")
        taps = {}
        for name, layer in self.vgg_net.named_children():
            x = layer(x)
            if name in self.wanted:
                taps[name] = x.clone() if self.copies else x
        return taps


def image_statistic() -> Tensor:
    """Return room for ImageNet's mean or deviation, (1, 3, 1, 1): its values do not matter to a trace."""
    return torch.empty(1, 3, 1, 1)
