"""FDAT's sizes as traiNNer-redux publishes them.

Source: the-database/traiNNer-redux, traiNNer/archs/fdat_arch.py (25a45df8).
"""

from __future__ import annotations

from torch import nn

from trainlint.signature import Positive
from trainlint.trace.networks.redux_blocks import Upsampler
from trainlint.trace.networks.redux_fdat import FDAT

BUILDERS = {
    "trainner-redux:fdat_tiny": "fdat_tiny",
    "trainner-redux:fdat_light": "fdat_light",
    "trainner-redux:fdat_medium": "fdat_medium",
    "trainner-redux:fdat_medium_aligned": "fdat_medium_aligned",
    "trainner-redux:fdat_large": "fdat_large",
    "trainner-redux:fdat_xl": "fdat_xl",
}


def fdat_tiny(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 96,
    num_groups: Positive = 2,
    depth_per_group: Positive = 2,
    num_heads: Positive = 3,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 1.5,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.05,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
    unshuffle_mod: bool = False,
) -> nn.Module:
    """Return the tiny FDAT."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type, unshuffle_mod=unshuffle_mod,
    )  # fmt: skip


def fdat_light(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 108,
    num_groups: Positive = 3,
    depth_per_group: Positive = 2,
    num_heads: Positive = 4,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 2.0,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.08,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
    unshuffle_mod: bool = False,
) -> nn.Module:
    """Return the light FDAT."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type, unshuffle_mod=unshuffle_mod,
    )  # fmt: skip


def fdat_medium(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 120,
    num_groups: Positive = 4,
    depth_per_group: Positive = 3,
    num_heads: Positive = 4,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 2.0,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.1,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
    unshuffle_mod: bool = False,
) -> nn.Module:
    """Return the medium FDAT."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type, unshuffle_mod=unshuffle_mod,
    )  # fmt: skip


def fdat_medium_aligned(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 128,
    num_groups: Positive = 4,
    depth_per_group: Positive = 3,
    num_heads: Positive = 4,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 2.0,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.1,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
    unshuffle_mod: bool = False,
) -> nn.Module:
    """Return the medium FDAT with a width of 128."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type, unshuffle_mod=unshuffle_mod,
    )  # fmt: skip


def fdat_large(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 180,
    num_groups: Positive = 4,
    depth_per_group: Positive = 4,
    num_heads: Positive = 6,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 2.0,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.1,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
) -> nn.Module:
    """Return the large FDAT."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type,
    )  # fmt: skip


def fdat_xl(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    embed_dim: Positive = 180,
    num_groups: Positive = 6,
    depth_per_group: Positive = 6,
    num_heads: Positive = 6,
    window_size: Positive = 8,
    ffn_expansion_ratio: float = 2.0,
    aim_reduction_ratio: Positive = 8,
    group_block_pattern: list[str] | None = None,
    drop_path_rate: float = 0.1,
    upsampler_type: Upsampler = "transpose+conv",
    img_range: float = 1.0,  # noqa: ARG001  the published network ignores it too
) -> nn.Module:
    """Return the largest FDAT."""
    return FDAT(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, embed_dim=embed_dim, num_groups=num_groups,
        depth_per_group=depth_per_group, num_heads=num_heads, window_size=window_size,
        ffn_expansion_ratio=ffn_expansion_ratio, aim_reduction_ratio=aim_reduction_ratio,
        group_block_pattern=group_block_pattern, drop_path_rate=drop_path_rate,
        upsampler_type=upsampler_type,
    )  # fmt: skip
