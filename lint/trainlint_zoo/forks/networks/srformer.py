"""SRFormer: permuted self-attention over large windows (keys and values at half the side), convolutional MLP.

Source: HVision-NKU/SRFormer d0c2da6, basicsr/archs/srformer_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.basicsr.networks import swinir
from trainlint_zoo.basicsr.networks.swinir import Group, Options
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.windows import Reconstruction, TokenNorm, connection, image, rising

BUILDERS = {"SRFormer": "SRFormer"}


class Depthwise(nn.Module):
    """A depthwise 5x5 convolution with GELU over the tokens' image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        conv = nn.Conv2d(channels, channels, 5, 1, 2, groups=channels)
        self.depthwise_conv = nn.Sequential(conv, nn.GELU())

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = image(x, size).contiguous()
        x = self.depthwise_conv(x)
        return x.flatten(2).transpose(1, 2).contiguous()


class ConvMlp(nn.Module):
    """An MLP with a depthwise convolution added in the middle."""

    def __init__(self, dim: int, hidden: int, drop: float) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.dwconv = Depthwise(hidden)
        self.fc2 = nn.Linear(hidden, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        x = x + self.dwconv(x, size)
        x = self.drop(x)
        x = self.fc2(x)
        return self.drop(x)  # type: ignore[no-any-return]


class PermutedAttention(nn.Module):
    """Attention of n queries to n / 4 keys whose spatial cells were moved into channels."""

    def __init__(self, options: Options, side: int) -> None:
        super().__init__()
        dim, heads = options.dim, options.heads
        self.heads, self.side, self.inner = heads, side, side // 2
        self.scale = options.qk_scale or (dim // heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.empty((2 * self.inner - 1) ** 2, heads))
        index = torch.empty(4 * self.inner**2, self.inner**2, dtype=torch.int64)
        self.register_buffer("aligned_relative_position_index", index)
        self.kv = nn.Linear(dim, dim // 2, bias=options.qkv_bias)
        self.q = nn.Linear(dim, dim, bias=options.qkv_bias)
        self.attn_drop = nn.Dropout(options.attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(options.drop)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        b, n, c = x.shape
        kv = self.kv(x).reshape(b, self.inner, 2, self.inner, 2, 2, c // 4).permute(0, 1, 3, 5, 2, 4, 6)
        kv = kv.reshape(b, n // 4, 2, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        k, v = kv[0], kv[1]
        q = self.q(x).reshape(b, n, 1, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)[0]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        index = self.get_buffer("aligned_relative_position_index").view(-1)
        bias = self.relative_position_bias_table[index].view(self.side**2, self.inner**2, -1)
        bias = bias.permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            windows = mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n // 4) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n // 4)
        attn = self.softmax(attn)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c)
        x = self.proj(x)
        return self.proj_drop(x)  # type: ignore[no-any-return]


class Block(swinir.Block):
    """SwinIR's block with permuted attention and the convolutional MLP."""

    def attention(self, options: Options) -> nn.Module:
        """Return permuted attention."""
        return PermutedAttention(options, self.side)

    def feed_forward(self, dim: int, hidden: int, drop: float) -> nn.Module:
        """Return the convolutional MLP."""
        return ConvMlp(dim, hidden, drop)

    def mask(self, size: tuple[int, int]) -> Tensor:
        """Return room for the mask, (windows, n, n / 4)."""
        windows = (size[0] // self.side) * (size[1] // self.side)
        return torch.empty(windows, self.side**2, (self.side // 2) ** 2)

    def feed(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        return self.mlp(self.norm2(x), size)  # type: ignore[no-any-return]


class SRFormer(Reconstruction):
    """SwinIR's frame; images are padded to whole windows by reflection."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 96,
        depths: list[int] = (6, 6, 6, 6),  # type: ignore[assignment]
        num_heads: list[int] = (6, 6, 6, 6),  # type: ignore[assignment]
        window_size: Positive = 7,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        ape: bool = False,
        patch_norm: bool = True,
        use_checkpoint: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        upsampler: str | None = "",
        resi_connection: str = "1conv",
        **_: object,
    ) -> None:
        super().__init__()
        self.img_range, self.upscale, self.window = img_range, upscale, window_size
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        side = (img_size + -img_size % window_size) // patch_size
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, side**2, embed_dim))
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList()
        for rates, heads in zip(rising(drop_path_rate, depths), num_heads, strict=False):
            layout = (embed_dim, heads, window_size)
            rest = (mlp_ratio, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
            blocks = [Block(o, (side, side)) for o in swinir.block_options(layout, rest, rates)]
            self.layers.append(Group(embed_dim, blocks, resi_connection, use_checkpoint))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler or "")

    deep = swinir.SwinIR.deep

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = self.reconstruct(self.normalised(x), self.conv_first, self.conv_after_body)
        x = x / self.img_range + self.mean
        return x[:, :, : height * self.upscale, : width * self.upscale]

    def normalised(self, x: Tensor) -> Tensor:
        """Pad to whole windows and centre; the padded image dies here."""
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % self.window, 0, -height % self.window), "reflect")
        self.mean = self.mean.type_as(x)
        return (x - self.mean) * self.img_range
