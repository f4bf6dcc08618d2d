"""CFSR: large depthwise kernels as attention; its edge filters are merged when it is built.

Source: umzi2/neosr 49017a75, neosr/archs/cfsr_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.signature import Positive
from trainlint_zoo.blocks.sampling import PlainNorm, conv3
from trainlint_zoo.blocks.windows import UpsampleOneStep

BUILDERS = {"neosr:cfsr": "CFSR"}


class MLP(nn.Module):
    """Pointwise convolutions around a depthwise one."""

    def __init__(self, dim: int, ratio: int) -> None:
        super().__init__()
        hidden = dim * ratio
        self.norm = PlainNorm(dim)
        self.fc1, self.fc2 = nn.Conv2d(dim, hidden, 1), nn.Conv2d(hidden, dim, 1)
        self.pos = nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        x = self.fc1(x)
        x = self.act(x)
        out = self.pos(x)
        x = x + self.act(out)
        return self.fc2(x)  # type: ignore[no-any-return]


class ConvMod(nn.Module):
    """A large kernel's result times a projection."""

    def __init__(self, dim: int, kernel: int) -> None:
        super().__init__()
        self.norm = PlainNorm(dim)
        large = nn.Conv2d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.a = nn.Sequential(nn.Conv2d(dim, dim, 1), nn.GELU(), large)
        self.v, self.proj = nn.Conv2d(dim, dim, 1), nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        a = self.a(x)
        x = a * self.v(x)
        return self.proj(x)  # type: ignore[no-any-return]


class Block(nn.Module):
    """Both in scaled residuals."""

    def __init__(self, dim: int, kernel: int, ratio: float) -> None:
        super().__init__()
        self.attn, self.mlp = ConvMod(dim, kernel), MLP(dim, int(ratio))
        self.layer_scale_1, self.layer_scale_2 = (nn.Parameter(torch.empty(dim)) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.layer_scale_1[:, None, None] * self.attn(x)
        return x + self.layer_scale_2[:, None, None] * self.mlp(x)  # type: ignore[no-any-return]


class Layer(nn.Module):
    """Blocks and a pointwise convolution in a residual."""

    def __init__(self, dim: int, depth: int, kernel: int, ratio: float) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*(Block(dim, kernel, ratio) for _ in range(depth)))
        self.conv = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(self.blocks(x)) + x  # type: ignore[no-any-return]


class CFSR(nn.Module):
    """Layers in a long residual."""

    def __init__(
        self,
        *,
        in_chans: Positive = 3,
        embed_dim: Positive = 48,
        depths: list[int] = (6, 6),  # type: ignore[assignment]
        dw_size: Positive = 9,
        mlp_ratio: float = 2.0,
        scale: Positive = 4,
        upscale: Positive | None = None,
        img_range: float = 1.0,  # noqa: ARG002  a factor of the mean shift, which is off
        upsampler: str = "pixelshuffledirect",
        mean_norm: bool = False,
    ) -> None:
        super().__init__()
        if mean_norm or upsampler != "pixelshuffledirect":
            raise CannotTraceError("cfsr with mean_norm or another upsampler")
        self.conv_first = conv3(in_chans, embed_dim)
        self.layers = nn.Sequential(*(Layer(embed_dim, depth, dw_size, mlp_ratio) for depth in depths))
        self.norm = PlainNorm(embed_dim)
        self.conv_after_body = conv3(embed_dim, embed_dim)
        self.upsample = UpsampleOneStep(upscale or scale, embed_dim, in_chans)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv_first(x)
        x = self.conv_after_body(self.norm(self.layers(x))) + x
        return self.upsample(x)  # type: ignore[no-any-return]
