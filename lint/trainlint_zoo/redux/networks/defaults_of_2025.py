# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: Apache-2.0

"""BasicSR's discriminators with the defaults that traiNNer-redux gave them in 2025.

Source: the-database/traiNNer-redux 609bc092, traiNNer/archs.
"""

from __future__ import annotations

from typing import Literal

from trainlint.catalogue.signature import Positive
from trainlint_zoo.basicsr.networks.unet_discriminator import UNetDiscriminatorSN
from trainlint_zoo.basicsr.networks.vgg_discriminator import VGGStyleDiscriminator

BUILDERS = {
    "trainner-redux:unetdiscriminatorsn@2025": "UNetDiscriminator",
    "trainner-redux:vggstylediscriminator@2025": "VGGDiscriminator",
}


class UNetDiscriminator(UNetDiscriminatorSN):
    """Real-ESRGAN's, whose channels had no default before 2025."""

    def __init__(
        self, num_in_ch: Positive = 3, num_feat: Positive = 64, skip_connection: bool = True
    ) -> None:
        super().__init__(num_in_ch, num_feat, skip_connection)


class VGGDiscriminator(VGGStyleDiscriminator):
    """BasicSR's, whose channels and width had no default before 2025."""

    def __init__(
        self, num_in_ch: Positive = 3, num_feat: Positive = 64, input_size: Literal[128, 256] = 128
    ) -> None:
        super().__init__(num_in_ch, num_feat, input_size)
