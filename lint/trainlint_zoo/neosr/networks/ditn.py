# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: DITN authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DITN as neosr trains it: attention over channels inside patches, large kernels over the image.

The attention matrix is computed and thrown away, and fused attention does the work: both cost memory.
Source: muslll/neosr de9c33cc, neosr/archs/ditn_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep

BUILDERS = {"neosr:ditn": "DITN"}

WINDOW_SIDE = 8


class FeedForward(nn.Module):
    """A gated depthwise feed-forward network."""

    def __init__(self, dim: int, factor: float, *, bias: bool) -> None:
        super().__init__()
        hidden = int(dim * factor)
        self.project_in = nn.Conv2d(dim, hidden * 2, 1, bias=bias)
        self.dwconv = nn.Conv2d(hidden * 2, hidden * 2, 3, 1, 1, groups=hidden * 2, bias=bias)
        self.project_out = nn.Conv2d(hidden, dim, 1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        x = self.project_in(x)
        x1, x2 = self.dwconv(x).chunk(2, dim=1)
        x = F.gelu(x1) * x2
        out: Tensor = self.project_out(x)
        return out


class ISA(nn.Module):
    """Attention between the channels of a patch."""

    def __init__(self, dim: int, *, bias: bool) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.empty(1, 1, 1))
        self.qkv = nn.Linear(dim, dim * 3)
        self.project_out = nn.Conv2d(dim, dim, 1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        x = x.view(b, c, -1).transpose(-1, -2)
        q, k, v = (part.transpose(-1, -2) for part in self.qkv(x).chunk(3, dim=-1))
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.temperature
        attn = attn.softmax(dim=-1)
        out: Tensor = self.project_out(F.scaled_dot_product_attention(q, k, v).reshape(b, c, h, w))
        del attn  # never used, alive until here
        return out


class SDA(nn.Module):
    """Large depthwise kernels as a gate."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.empty(1, dim, 1, 1))
        self.DConvs = nn.Sequential(
            nn.Conv2d(dim, dim, 5, padding=2, groups=dim),
            nn.Conv2d(dim, dim, 7, padding=9, groups=dim, dilation=3),
            nn.Conv2d(dim, dim, 1),
        )
        self.proj_first = nn.Conv2d(dim, 2 * dim, 1)
        self.proj_last = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.proj_first(x)
        a, x = torch.chunk(x, 2, dim=1)
        a = self.DConvs(a)
        out: Tensor = self.proj_last(x * a) * self.scale
        return out


class Layer(nn.Module):
    """A mixer and a feed-forward network, each behind tanh and a 1x1 convolution."""

    def __init__(self, dim: int, mixer: nn.Module, factor: float, *, bias: bool) -> None:
        super().__init__()
        self.mixer = mixer
        self.act = nn.Tanh()
        self.conv1 = nn.Conv2d(dim, dim, 1)
        self.conv2 = nn.Conv2d(dim, dim, 1)
        self.ffn = FeedForward(dim, factor, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.mixer(self.conv1(self.act(x)))
        out: Tensor = x + self.ffn(self.conv2(self.act(x)))
        return out


class UFONE(nn.Module):
    """Layers inside patches, then layers over the image."""

    def __init__(self, dim: int, factor: float, inside: int, outside: int, side: int, *, bias: bool) -> None:
        super().__init__()
        self.side = side
        self.ITLs = nn.Sequential(
            *(Layer(dim, ISA(dim, bias=bias), factor, bias=bias) for _ in range(inside))
        )
        self.SALs = nn.Sequential(*(Layer(dim, SDA(dim), factor, bias=bias) for _ in range(outside)))

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        rows, columns, side = h // self.side, w // self.side, self.side
        local = x.view(b, c, rows, side, columns, side)
        local = local.permute(0, 2, 4, 1, 3, 5).contiguous().view(-1, c, side, side)
        local = self.ITLs(local)
        local = local.view(b, rows, columns, c, side, side)
        local = local.permute(0, 3, 1, 4, 2, 5).contiguous().view(b, c, h, w)
        out: Tensor = self.SALs(local)
        return out


class DITN(nn.Module):
    """Blocks in a long residual on an image padded to whole patches."""

    def __init__(
        self,
        *,
        inp_channels: Positive = 3,
        dim: Positive = 60,
        ITL_blocks: Positive = 4,  # noqa: N803 - the config's names
        SAL_blocks: Positive = 4,  # noqa: N803 - as above
        UFONE_blocks: Positive = 1,  # noqa: N803 - as above
        ffn_expansion_factor: float = 2,
        bias: bool = False,
        patch_size: Positive = WINDOW_SIDE,
        scale: Positive = 4,
        upscale: Positive | None = None,
        **_: object,
    ) -> None:
        super().__init__()
        self.scale = upscale or scale
        self.sft = nn.Conv2d(inp_channels, dim, 3, 1, 1)
        self.UFONE = nn.Sequential(
            *(
                UFONE(dim, ffn_expansion_factor, ITL_blocks, SAL_blocks, patch_size, bias=bias)
                for _ in range(UFONE_blocks)
            )
        )
        self.conv_after_body = nn.Conv2d(dim, dim, 3, 1, 1)
        self.upsample = UpsampleOneStep(self.scale, dim, 3)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % WINDOW_SIDE, 0, -height % WINDOW_SIDE), "reflect")
        sft = self.sft(x)
        local = self.UFONE(sft)
        local = self.conv_after_body(local)
        out = self.upsample(local + sft)
        result: Tensor = out[:, :, : height * self.scale, : width * self.scale]
        return result
