"""DocRes: Restormer's blocks in a U-Net that keeps its first width, with two coordinate planes beside RGB.

Source: the-database/traiNNer-redux, traiNNer/archs/docres_arch.py (51d05197).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.signature import Positive
from trainlint_zoo.blocks.sampling import cropped, padded
from trainlint_zoo.forks.networks.restormer import Block, Options, Resize

BUILDERS = {"trainner-redux:docres_base": "DocRes", "trainner-redux:docres_large": "docres_large"}

FACTOR = 8


class DocRes(nn.Module):
    """Three halvings and back; restores at scale 1."""

    def __init__(
        self,
        *,
        inp_channels: Positive = 3,
        out_channels: Positive = 3,
        dim: Positive = 48,
        num_blocks: Sequence[int] = (2, 3, 3, 4),
        num_refinement_blocks: int = 4,
        heads: Sequence[int] = (1, 2, 4, 8),
        ffn_expansion_factor: float = 2.66,
        bias: bool = False,
        LayerNorm_type: str = "WithBias",  # noqa: N803  the published name
        dual_pixel_task: bool = True,  # noqa: ARG002  the published network ignores it too
        scale: Positive = 1,  # noqa: ARG002  ignored as well
    ) -> None:
        super().__init__()
        options = Options(ffn_expansion_factor, bias, LayerNorm_type != "BiasFree")
        widths = [dim * 2**level for level in range(4)]

        def level(at: int, count: int) -> nn.Sequential:
            return nn.Sequential(*(Block(widths[at], heads[at], options) for _ in range(count)))

        self.coordinates = inp_channels == 3
        self.patch_embed = nn.Conv2d(5 if self.coordinates else inp_channels, dim, 3, 1, 1, bias=False)
        self.encoders = nn.ModuleList(level(at, num_blocks[at]) for at in range(3))
        self.downs = nn.ModuleList(Resize(width, width // 2, nn.PixelUnshuffle(2)) for width in widths[:3])
        self.latent = level(3, num_blocks[3])
        self.ups = nn.ModuleList(Resize(width, width * 2, nn.PixelShuffle(2)) for width in widths[:0:-1])
        self.reduce = nn.ModuleList(nn.Conv2d(width, width // 2, 1, bias=bias) for width in widths[:0:-1])
        self.decoders = nn.ModuleList(level(at, num_blocks[at]) for at in (2, 1, 0))
        self.refinement = level(0, num_refinement_blocks)
        self.output = nn.Conv2d(dim, out_channels, 3, 1, 1, bias=bias)

    def located(self, x: Tensor) -> Tensor:
        """Return the image with each pixel's place."""
        b, _, height, width = x.shape
        places = torch.empty(1, 2, height, width, device=x.device).repeat(b, 1, 1, 1)
        return torch.cat([x, places], dim=1)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        if height % FACTOR or width % FACTOR:
            x = padded(x, FACTOR)
        image = self.located(x) if self.coordinates else x
        x = self.patch_embed(image)
        kept = []
        for encoder, down in zip(self.encoders, self.downs, strict=True):
            x = encoder(x)
            kept.append(x)
            x = down(x)
        latent = self.latent(x)
        x = latent
        for up, reduce, decoder, skip in zip(
            self.ups, self.reduce, self.decoders, reversed(kept), strict=True
        ):
            x = up(x)
            x = torch.cat([x, skip], 1)
            x = reduce(x)
            x = decoder(x)
        x = self.refinement(x)
        return cropped(self.output(x), height, width)


def docres_large(
    *,
    inp_channels: Positive = 3,
    out_channels: Positive = 3,
    dim: Positive = 64,
    num_blocks: Sequence[int] = (3, 4, 4, 6),
    num_refinement_blocks: int = 6,
    heads: Sequence[int] = (2, 4, 8, 16),
    ffn_expansion_factor: float = 2.66,
    bias: bool = False,
    LayerNorm_type: str = "WithBias",  # noqa: N803  the published name
    dual_pixel_task: bool = True,
    scale: Positive = 1,
) -> nn.Module:
    """Return the large DocRes."""
    return DocRes(
        inp_channels=inp_channels, out_channels=out_channels, dim=dim, num_blocks=num_blocks,
        num_refinement_blocks=num_refinement_blocks, heads=heads, ffn_expansion_factor=ffn_expansion_factor,
        bias=bias, LayerNorm_type=LayerNorm_type, dual_pixel_task=dual_pixel_task, scale=scale,
    )  # fmt: skip
