# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ArtCNN authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ArtCNN: plain residual blocks of three convolutions and one pixel shuffle.

Source: the-database/traiNNer-redux, traiNNer/archs/artcnn_arch.py (119455d8).
"""

from __future__ import annotations

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive

BUILDERS = {
    "trainner-redux:artcnn": "ArtCNN",
    "trainner-redux:artcnn_r16f96": "ArtCNN",
    "trainner-redux:artcnn_r16f64": ("ArtCNN", {"filters": 64}),
    "trainner-redux:artcnn_r12f64": ("ArtCNN", {"filters": 64, "n_block": 12}),
    "trainner-redux:artcnn_r8f64": ("ArtCNN", {"filters": 64, "n_block": 8}),
    "trainner-redux:artcnn_r8f48": ("ArtCNN", {"filters": 48, "n_block": 8}),
}


def _same(cin: int, cout: int, kernel: int) -> nn.Conv2d:
    return nn.Conv2d(cin, cout, kernel, 1, padding="same")


class ResBlock(nn.Module):
    """Three convolutions, two of them followed by ReLU, added to the input."""

    def __init__(self, filters: int, kernel: int) -> None:
        super().__init__()
        active = (nn.Sequential(_same(filters, filters, kernel), nn.ReLU()) for _ in range(2))
        self.conv = nn.Sequential(*active, _same(filters, filters, kernel))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.conv(x)
        return out


class ArtCNN(nn.Module):
    """Blocks in a long residual."""

    def __init__(
        self,
        *,
        in_ch: Positive = 3,
        scale: Positive = 4,
        filters: Positive = 96,
        n_block: Positive = 16,
        kernel_size: Positive = 3,
    ) -> None:
        super().__init__()
        self.conv0 = _same(in_ch, filters, kernel_size)
        blocks = (ResBlock(filters, kernel_size) for _ in range(n_block))
        self.res_block = nn.Sequential(*blocks, _same(filters, filters, kernel_size))
        self.depth_to_space = nn.Sequential(
            _same(filters, in_ch * scale**2, kernel_size), nn.PixelShuffle(scale)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv0(x)
        x = self.res_block(x) + x
        out: Tensor = self.depth_to_space(x)
        return out
