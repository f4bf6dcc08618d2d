# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""HAT's repository: SRModel and Real-ESRGAN's two steps, with the validation that pads to whole windows.

Source: XPixelGroup/HAT 8bb0867, hat/models/hat_model.py, realhatmse_model.py and realhatgan_model.py.
"""

from __future__ import annotations

from functools import partial

from torch import nn

from trainlint_zoo.basicsr.recipes.gan import RealESRGANModel
from trainlint_zoo.basicsr.recipes.image import PaddedModel, RealESRNetModel
from trainlint_zoo.common import tiles

RECIPES = {
    "basicsr.HATModel": "HATModel",
    "basicsr.RealHATMSEModel": "RealHATMSEModel",
    "basicsr.RealHATGANModel": "RealHATGANModel",
}


class HATModel(PaddedModel):
    """Generator and pixel loss; with `tile` in the options the validation image is computed in tiles."""

    def test(self, net: nn.Module, scale: int) -> None:
        """Run the padded image, in one piece or tile by tile."""
        tile, pad = (int(self.step.get(f"validation.{name}") or 0) for name in ("tile", "overlap"))
        tiled = partial(tiles.padded, net, scale=scale, tile=tile, pad=pad)
        super().test(tiled if tile else net, scale)  # type: ignore[arg-type]  # called, not asked


class RealHATMSEModel(RealESRNetModel):
    """The first stage, on pixels."""

    test = PaddedModel.test


class RealHATGANModel(RealESRGANModel):
    """The second stage, with a discriminator."""

    test = PaddedModel.test
