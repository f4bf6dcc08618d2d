# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""SpyNet, the optical flow of BasicVSR and its successors.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/spynet_arch.py and arch_util.py.
"""

from __future__ import annotations

from trainlint_zoo.blocks.alignment import optical_flow

BUILDERS = {"SpyNet": "SpyNet"}


class SpyNet(optical_flow.SpyNet):
    """The network on its own; it is trained inside of others."""

    def __init__(self, load_path: str | None = None) -> None:
        super().__init__(load_path)
