# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""SRModel whose validation cuts an image into overlapping parts: MambaIR's; DAT's and RGT's by option.

Source: csguoh/MambaIR 06dc6cdd, basicsr/models/mambair_model.py, mambairv2_model.py, mambairv2light_model.py;
zhengchen1999/DAT 038cc445 and RGT 003d7920, basicsr/models/dat_model.py and rgt_model.py.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {
    "basicsr.MambaIRModel": "ChoppingModel",
    "basicsr.MambaIRv2Model": "ChoppingModel",
    "basicsr.MambaIRv2LightModel": "ChoppingModel",
    "basicsr.DATModel": "OptionalModel",
    "basicsr.RGTModel": "OptionalModel",
}

LONGEST_SIDE = 200
"""Pixels of a side above which another cut is made."""
OVERLAP_DIVISOR = 10
"""A part reaches over its neighbours by its side divided by this."""


class ChoppingModel(SRModel):
    """Every part's result stays on the GPU until they are put together on the CPU."""

    def test(self, net: nn.Module, scale: int) -> None:  # noqa: ARG002 - SRModel's signature: nothing is cropped by the scale here
        """Reflect the image to whole parts, run them one after another."""
        height, width = self.lq.shape[2:]
        rows, columns = height // LONGEST_SIDE + 1, width // LONGEST_SIDE + 1
        whole = F.pad(self.lq, (0, -width % columns, 0, -height % rows), "reflect")
        down, right = cuts(whole.shape[2], rows), cuts(whole.shape[3], columns)
        parts = [whole[..., top, left] for top in down for left in right]
        results = [net(part) for part in parts]
        self.output = torch.empty(0, device="cpu")
        del results


class OptionalModel(ChoppingModel):
    """The image is cut where `val.use_chop` says so."""

    def test(self, net: nn.Module, scale: int) -> None:
        """Run the image whole or in parts."""
        if self.options.get("use_chop"):
            super().test(net, scale)
        else:
            self.output = net(self.lq)


def cuts(length: int, parts: int) -> list[slice]:
    """Return the stretches of a side: equal parts, each reaching into its neighbours."""
    side = length // parts
    reach = side // OVERLAP_DIVISOR
    return [
        slice(i * side - (reach if i else 0), (i + 1) * side + (reach if i < parts - 1 else 0))
        for i in range(parts)
    ]
