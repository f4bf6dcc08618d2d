# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Adapters beside a transformer some of whose blocks wait on the host: --blocks_to_swap of sd-scripts.

Read: kohya-ss/sd-scripts 48d368f, library/custom_offloading_utils.py
(swap_weight_devices_cuda), library/flux_models.py (Flux.enable_block_swap).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from torch import nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser

RECIPES = {"diffusers.SwappedBlocks": "SwappedBlocks"}

KEPT: Final = 2
"""Blocks of each kind that enable_block_swap wants on the card at least."""

COPIES: Final = (
    "each step copies blocks between host and card (blocks_to_swap): the time of that is not counted"
)


class SwappedBlocks(Denoiser):
    """Denoiser with frozen blocks of which some are on the host. Reads options.blocks_to_swap as well.

    A block that comes is copied into the weights of the one that goes, so that its layers have no memory of
    their own here: they are given those of a block that stays.
    """

    def _network(self) -> Any:
        net, swapped = super()._network(), int(self.options["blocks_to_swap"])
        if self.kind == "none":
            raise CannotTraceError("blocks that are trained and wait on the host are not traced")
        self.stage.note(COPIES)
        for name, count in swapped_blocks(swapped).items():
            blocks = getattr(net, name, None)
            if blocks is None:
                raise CannotTraceError(f"which blocks of {type(net).__name__} are swapped is not known")
            if count > len(blocks) - KEPT:
                raise CannotTraceError(f"sd-scripts refuses to swap {swapped} blocks of this model")
            for block in blocks[len(blocks) - count :]:
                _share(blocks[0], block)
        return net


def swapped_blocks(count: int) -> Mapping[str, int]:
    """Return how many blocks of each kind `--blocks_to_swap` means: two single ones count as one."""
    double = count // 2
    return {"transformer_blocks": double, "single_transformer_blocks": (count - double) * 2}


def _share(kept: nn.Module, swapped: nn.Module) -> None:
    """Give a block the weights of another; biases and norms stay on the card, or are next to nothing."""
    layers = dict(kept.named_modules())
    for name, layer in swapped.named_modules():
        if isinstance(layer, nn.Linear):
            layer.weight = layers[name].weight
