# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CAT's repository: SRModel whose validation mirrors the image up to whole rectangles, or quarters it.

Source: zhengchen1999/CAT 89cbfc88, basicsr/models/cat_model.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {"basicsr.CATModel": "CATModel"}

LONGEST_SIDE = 400
"""Pixels of a side above which `use_chop` halves it."""


class CATModel(SRModel):
    """Generator and pixel loss."""

    def test(self, net: nn.Module, scale: int) -> None:
        """Run the mirrored image whole, or its parts, whose results are put together on the CPU."""
        args = self.step.get("networks.generator.args") or {}
        side = max(*args.get("split_size_0", ()), *args.get("split_size_1", ()))
        height, width = self.lq.shape[2:]
        if not self.options.get("use_chop"):
            result = net(mirrored(self.lq, side, side))
            self.output = result[:, :, : height * scale, : width * scale]
            return
        rows, columns = 1 + (height > LONGEST_SIDE), 1 + (width > LONGEST_SIDE)
        whole = mirrored(self.lq, rows * side, columns * side)
        lines = whole.chunk(rows, dim=2)
        results = [net(part) for line in lines for part in line.chunk(columns, dim=3)]
        self.output = torch.empty(0, device="cpu")
        del results


def mirrored(image: Tensor, down: int, right: int) -> Tensor:
    """Return the image with itself mirrored next to it, cut to multiples of `down` and `right`: a view."""
    height, width = image.shape[2:]
    image = torch.cat([image, torch.flip(image, [2])], 2)[:, :, : height + -height % down, :]
    return torch.cat([image, torch.flip(image, [3])], 3)[:, :, :, : width + -width % right]
