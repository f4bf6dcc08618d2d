"""HAT's repository: Real-ESRGAN's two steps, with the validation that pads to whole windows.

Source: XPixelGroup/HAT 8bb0867, hat/models/realhatmse_model.py and realhatgan_model.py.
"""

from __future__ import annotations

from trainlint.trace.recipes.basicsr import PaddedModel, RealESRNetModel
from trainlint.trace.recipes.basicsr_gan import RealESRGANModel

RECIPES = {
    "basicsr.RealHATMSEModel": "RealHATMSEModel",
    "basicsr.RealHATGANModel": "RealHATGANModel",
}


class RealHATMSEModel(RealESRNetModel):
    """The first stage, on pixels."""

    test = PaddedModel.test


class RealHATGANModel(RealESRGANModel):
    """The second stage, with a discriminator."""

    test = PaddedModel.test
