"""Restormer: a U-Net of blocks whose attention runs across channels, with gated depthwise feed-forwards.

Source: swz30/Restormer 861974ad, basicsr/models/archs/restormer_arch.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.blocks.windows import image, tokens

BUILDERS = {"Restormer": "Restormer"}

EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Options:
    """What the blocks of every level share."""

    expansion: float
    bias: bool
    centred: bool  # LayerNorm_type: WithBias


class Norm(nn.Module):
    """Normalise the last dimension, written out in elementary operators; without a bias the mean stays in."""

    def __init__(self, dim: int, centred: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(dim))
        self.bias: nn.Parameter | None = nn.Parameter(torch.empty(dim)) if centred else None

    def forward(self, x: Tensor) -> Tensor:
        if self.bias is None:
            sigma = x.var(-1, keepdim=True, unbiased=False)
            return x / torch.sqrt(sigma + EPSILON) * self.weight
        mu = x.mean(-1, keepdim=True)
        sigma = x.var(-1, keepdim=True, unbiased=False)
        return (x - mu) / torch.sqrt(sigma + EPSILON) * self.weight + self.bias


class ChannelNorm(nn.Module):
    """`Norm` over the channels of every pixel."""

    def __init__(self, dim: int, centred: bool) -> None:
        super().__init__()
        self.body = Norm(dim, centred)

    def forward(self, x: Tensor) -> Tensor:
        return image(self.body(tokens(x)), (x.shape[2], x.shape[3]))


class FeedForward(nn.Module):
    """Two depthwise branches, one the gate of the other."""

    def __init__(self, dim: int, options: Options) -> None:
        super().__init__()
        hidden, bias = int(dim * options.expansion), options.bias
        self.project_in = nn.Conv2d(dim, hidden * 2, 1, bias=bias)
        self.dwconv = nn.Conv2d(hidden * 2, hidden * 2, 3, 1, 1, groups=hidden * 2, bias=bias)
        self.project_out = nn.Conv2d(hidden, dim, 1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        x = self.project_in(x)
        x1, x2 = self.dwconv(x).chunk(2, dim=1)
        x = F.gelu(x1) * x2
        return self.project_out(x)  # type: ignore[no-any-return]


class Attention(nn.Module):
    """Attention whose tokens are channels: the scores are c x c, whatever the image's size."""

    def __init__(self, dim: int, heads: int, bias: bool) -> None:
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter(torch.empty(heads, 1, 1))
        self.qkv = nn.Conv2d(dim, dim * 3, 1, bias=bias)
        self.qkv_dwconv = nn.Conv2d(dim * 3, dim * 3, 3, 1, 1, groups=dim * 3, bias=bias)
        self.project_out = nn.Conv2d(dim, dim, 1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        qkv = self.qkv_dwconv(self.qkv(x))
        q, k, v = qkv.chunk(3, dim=1)
        q, k, v = (part.reshape(b, self.heads, c // self.heads, h * w) for part in (q, k, v))
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.temperature
        attn = attn.softmax(dim=-1)
        out = attn @ v
        return self.project_out(out.reshape(b, c, h, w))  # type: ignore[no-any-return]


class Block(nn.Module):
    """Attention and feed-forward, each in a residual."""

    def __init__(self, dim: int, heads: int, options: Options) -> None:
        super().__init__()
        self.norm1 = ChannelNorm(dim, options.centred)
        self.attn = Attention(dim, heads, options.bias)
        self.norm2 = ChannelNorm(dim, options.centred)
        self.ffn = FeedForward(dim, options)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.norm1(x))
        return x + self.ffn(self.norm2(x))  # type: ignore[no-any-return]


class Resize(nn.Module):
    """Halve (twice the channels) or double (half of them) the image by a convolution and a shuffle."""

    def __init__(self, dim: int, out: int, shuffle: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(dim, out, 3, 1, 1, bias=False), shuffle)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x)  # type: ignore[no-any-return]


class Restormer(nn.Module):
    """Three halvings and back; every level's features are joined on the way up."""

    def __init__(
        self,
        *,
        inp_channels: Positive = 3,
        out_channels: Positive = 3,
        dim: Positive = 48,
        num_blocks: list[int] = (4, 6, 6, 8),  # type: ignore[assignment]
        num_refinement_blocks: int = 4,
        heads: list[int] = (1, 2, 4, 8),  # type: ignore[assignment]
        ffn_expansion_factor: float = 2.66,
        bias: bool = False,
        LayerNorm_type: str = "WithBias",  # noqa: N803  the published name
        dual_pixel_task: bool = False,
    ) -> None:
        super().__init__()
        options = Options(ffn_expansion_factor, bias, LayerNorm_type != "BiasFree")
        widths = [dim, dim * 2, dim * 4, dim * 8]

        def level(width: int, count: int, at: int) -> nn.Sequential:
            return nn.Sequential(*(Block(width, heads[at], options) for _ in range(count)))

        self.patch_embed = nn.Module()
        self.patch_embed.proj = nn.Conv2d(inp_channels, dim, 3, 1, 1, bias=False)
        self.encoder_level1 = level(widths[0], num_blocks[0], 0)
        self.down1_2 = Resize(widths[0], widths[0] // 2, nn.PixelUnshuffle(2))
        self.encoder_level2 = level(widths[1], num_blocks[1], 1)
        self.down2_3 = Resize(widths[1], widths[1] // 2, nn.PixelUnshuffle(2))
        self.encoder_level3 = level(widths[2], num_blocks[2], 2)
        self.down3_4 = Resize(widths[2], widths[2] // 2, nn.PixelUnshuffle(2))
        self.latent = level(widths[3], num_blocks[3], 3)
        self.up4_3 = Resize(widths[3], widths[3] * 2, nn.PixelShuffle(2))
        self.reduce_chan_level3 = nn.Conv2d(widths[3], widths[2], 1, bias=bias)
        self.decoder_level3 = level(widths[2], num_blocks[2], 2)
        self.up3_2 = Resize(widths[2], widths[2] * 2, nn.PixelShuffle(2))
        self.reduce_chan_level2 = nn.Conv2d(widths[2], widths[1], 1, bias=bias)
        self.decoder_level2 = level(widths[1], num_blocks[1], 1)
        self.up2_1 = Resize(widths[1], widths[1] * 2, nn.PixelShuffle(2))
        self.decoder_level1 = level(widths[1], num_blocks[0], 0)
        self.refinement = level(widths[1], num_refinement_blocks, 0)
        self.dual_pixel_task = dual_pixel_task
        if dual_pixel_task:
            self.skip_conv = nn.Conv2d(dim, widths[1], 1, bias=bias)
        self.output = nn.Conv2d(widths[1], out_channels, 3, 1, 1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        embedded = self.patch_embed.proj(x)  # type: ignore[operator]
        one = self.encoder_level1(embedded)
        down = self.down1_2(one)
        two = self.encoder_level2(down)
        lower = self.down2_3(two)
        three = self.encoder_level3(lower)
        lowest = self.down3_4(three)
        latent = self.latent(lowest)
        up3 = self.up4_3(latent)
        up3 = torch.cat([up3, three], 1)
        up3 = self.reduce_chan_level3(up3)
        out3 = self.decoder_level3(up3)
        up2 = self.up3_2(out3)
        up2 = torch.cat([up2, two], 1)
        up2 = self.reduce_chan_level2(up2)
        out2 = self.decoder_level2(up2)
        up1 = self.up2_1(out2)
        up1 = torch.cat([up1, one], 1)
        out = self.decoder_level1(up1)
        out = self.refinement(out)
        if self.dual_pixel_task:
            out = out + self.skip_conv(embedded)
            return self.output(out)  # type: ignore[no-any-return]
        return self.output(out) + x  # type: ignore[no-any-return]
