"""GRFormer: window attention with grouped residual projections and a learnt position bias.

Source: muslll/neosr 1ffed431, neosr/archs/grformer_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import CannotTraceError
from trainlint.signature import Positive
from trainlint_zoo.blocks.windows import UpsampleOneStep, rising
from trainlint_zoo.neosr.networks.discriminators import DropPath

BUILDERS = {
    "neosr:grformer": "GRFormer",
    "neosr:grformer_medium": "grformer_medium",
    "neosr:grformer_large": "grformer_large",
}

Window = tuple[int, int]


def partition(x: Tensor, window: Window) -> Tensor:
    """(b, h, w, c) -> (b x windows, rows, columns, c), copied."""
    b, h, w, c = x.shape
    x = x.view(b, h // window[0], window[0], w // window[1], window[1], c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, *window, c)


def reverse(windows: Tensor, window: Window, h: int, w: int) -> Tensor:
    """Undo `partition`."""
    x = windows.view(-1, h // window[0], w // window[1], *window, windows.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, h, w, windows.shape[-1])


def mask(h: int, w: int, window: Window, device: torch.device) -> Tensor:
    """Return the windows' attention mask, made anew: (windows, tokens, tokens) of fp32."""
    regions = partition(torch.zeros(1, h, w, 1, device=device), window).view(-1, window[0] * window[1])
    difference = regions.unsqueeze(2) - regions.unsqueeze(1)
    return difference.masked_fill(difference != 0, -1e9).masked_fill(difference == 0, 0.0)


class GRSA(nn.Module):
    """Cosine attention; query, key, value and the output are projected in two halves of the channels."""

    def __init__(self, dim: int, window: Window, heads: int) -> None:
        super().__init__()
        self.heads, tokens = heads, window[0] * window[1]
        self.logit_scale = nn.Parameter(torch.empty(heads, 1, 1))
        self.ESRPB_MLP = nn.Sequential(
            nn.Linear(2, 128), nn.ReLU(inplace=True), nn.Linear(128, heads, bias=False)
        )
        table = torch.empty(1, 2 * window[0] - 1, 2 * window[1] - 1, 2)
        self.register_buffer("relative_position_bias_table", table)
        self.register_buffer("relative_position_index", torch.empty(tokens, tokens, dtype=torch.int64))
        half = dim // 2
        self.k, self.q, self.v, self.proj = (
            nn.ModuleList(nn.Linear(half, half) for _ in range(2)) for _ in range(4)
        )

    def residual(self, x: Tensor, halves: nn.ModuleList) -> Tensor:
        """Project both halves onto themselves and split the heads."""
        _, b, n, c = x.shape
        projected = torch.stack([part + layer(part) for part, layer in zip(x, halves, strict=True)], dim=0)
        flat = projected.permute(1, 2, 0, 3).flatten(2)
        return flat.reshape(b, n, self.heads, 2 * c // self.heads).permute(0, 2, 1, 3).contiguous()

    def forward(self, x: Tensor, attn_mask: Tensor | None) -> Tensor:
        b, n, c = x.shape
        x = x.reshape(b, n, 2, c // 2).permute(2, 0, 1, 3).contiguous()
        k, q, v = (self.residual(x, halves) for halves in (self.k, self.q, self.v))
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * torch.clamp(self.logit_scale, max=4.6).exp()
        attn = attn + self.bias(n).unsqueeze(0)
        if attn_mask is not None:
            windows = attn_mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n) + attn_mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c)
        x = x.reshape(b, n, 2, c // 2).permute(2, 0, 1, 3).contiguous()
        halves = [layer(part) for part, layer in zip(x, self.proj, strict=True)]
        return torch.stack(halves, dim=0).permute(1, 2, 0, 3).reshape(b, n, c)

    def bias(self, tokens: int) -> Tensor:
        """Return the position bias, (heads, tokens, tokens)."""
        table = self.ESRPB_MLP(self.get_buffer("relative_position_bias_table")).view(-1, self.heads)
        bias = table[self.get_buffer("relative_position_index").view(-1)].view(tokens, tokens, -1)
        return 16 * torch.sigmoid(bias.permute(2, 0, 1).contiguous())


class FFN(nn.Module):
    """Linear layers around two depthwise convolutions."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.act = nn.GELU()
        self.fc1 = nn.Linear(dim, hidden)
        first, second = (nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden) for _ in range(2))
        self.dwconv = nn.Sequential(first, nn.GELU(), second)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        image = x.transpose(1, 2).view(len(x), -1, *size).contiguous()
        x = x + self.dwconv(image).flatten(2).transpose(1, 2).contiguous()
        return self.fc2(x)  # type: ignore[no-any-return]


class Block(nn.Module):
    """Attention and feed-forward network, normalised after. A mask is kept for the trained size only."""

    def __init__(
        self, dim: int, heads: int, window: Window, ratio: float, *, drop: float, trained: int, shifted: bool
    ) -> None:
        super().__init__()
        self.window, self.shifted, self.trained = window, shifted, (trained, trained)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = GRSA(dim, window, heads)
        self.drop_path = DropPath(drop) if drop > 0 else nn.Identity()
        self.mlp = FFN(dim, int(dim * ratio))
        kept = mask(trained, trained, window, self.norm1.weight.device) if shifted else None
        self.register_buffer("attn_mask", kept)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = x.view(b, h, w, c)
        moved = torch.roll(x, shifts=(-4, -16), dims=(1, 2)) if self.shifted else x
        windows = partition(moved, self.window).view(-1, self.window[0] * self.window[1], c)
        attn_mask = self._buffers["attn_mask"] if size == self.trained else mask(h, w, self.window, x.device)
        x = reverse(self.attn(windows, attn_mask), self.window, h, w)
        if self.shifted:
            x = torch.roll(x, shifts=(4, 16), dims=(1, 2))
        x = x.view(b, h * w, c)
        x = shortcut + self.drop_path(self.norm1(x))
        return x + self.drop_path(self.norm2(self.mlp(x, size)))  # type: ignore[no-any-return]


class Group(nn.Module):
    """Blocks whose windows lie in pairs, then stand in pairs, and a convolution."""

    def __init__(
        self, dim: int, heads: int, window: Window, ratio: float, *, drops: list[float], trained: int
    ) -> None:
        super().__init__()
        standing = (window[1], window[0])
        self.blocks = nn.ModuleList(
            Block(
                dim, heads, standing if index // 2 % 2 else window, ratio,
                drop=drop, trained=trained, shifted=index % 2 == 1,
            )
            for index, drop in enumerate(drops)
        )  # fmt: skip
        self.conv = nn.Conv2d(dim, dim, 3, 1, 1)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        for block in self.blocks:
            x = block(x, size)
        image = self.conv(x.transpose(1, 2).view(len(x), -1, *size))
        return x + image.flatten(2).transpose(1, 2)  # type: ignore[no-any-return]


class GRFormer(nn.Module):
    """Groups in a long residual on an image padded to whole windows."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        in_chans: Positive = 3,
        embed_dim: Positive = 60,
        depths: list[int] = (6, 6, 6, 6),  # type: ignore[assignment]
        num_heads: list[int] = (3, 3, 3, 3),  # type: ignore[assignment]
        window_size: list[int] = (8, 32),  # type: ignore[assignment]
        mlp_ratio: float = 2,
        drop_path_rate: float = 0.1,
        scale: Positive = 4,
        upscale: Positive | None = None,
        drop_rate: float = 0.0,
        **_: object,
    ) -> None:
        super().__init__()
        if drop_rate:
            raise CannotTraceError("grformer with drop_rate")
        self.scale = upscale or scale
        self.side = max(window_size)
        window = (window_size[0], window_size[1])
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        rates = rising(drop_path_rate, depths)
        self.layers = nn.ModuleList(
            Group(embed_dim, heads, window, mlp_ratio, drops=drops, trained=img_size)
            for heads, drops in zip(num_heads, rates, strict=True)
        )
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = nn.Conv2d(embed_dim, embed_dim, 3, 1, 1)
        self.upsample = UpsampleOneStep(self.scale, embed_dim, in_chans)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % self.side, 0, -height % self.side), "reflect")
        mean = torch.empty(1, 3, 1, 1, dtype=x.dtype, device=x.device)
        x = (x - mean) * 1.0
        x = self.conv_first(x)
        x = self.conv_after_body(self.features(x)) + x
        x = self.upsample(x)
        x = x / 1.0 + mean
        return x[:, :, : height * self.scale, : width * self.scale]

    def features(self, x: Tensor) -> Tensor:
        """Run the groups on tokens."""
        b, c, h, w = x.shape
        x = x.flatten(2).transpose(1, 2).contiguous()
        for layer in self.layers:
            x = layer(x, (h, w))
        x = self.norm(x)
        return x.transpose(1, 2).reshape(b, c, h, w)


def grformer_medium(*, scale: Positive = 4) -> nn.Module:
    """Return GRFormer with six groups of 180 channels."""
    return GRFormer(embed_dim=180, depths=[6] * 6, num_heads=[6] * 6, scale=scale)


def grformer_large(*, scale: Positive = 4) -> nn.Module:
    """Return GRFormer with twelve groups of 180 channels."""
    return GRFormer(embed_dim=180, depths=[6] * 12, num_heads=[6] * 12, scale=scale)
