# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A validation image computed in tiles: traiNNer-redux's blended, HAT's padded and neosr's separate ones.

Only the first two tiles are run: both are of the largest size, and the second finds the first one's result
still alive, as every later one would. The whole output stays where the image is.
Source: the-database/traiNNer-redux, traiNNer/models/sr_model.py, infer_tiled; XPixelGroup/HAT,
hat/models/hat_model.py, tile_process; neosr-project/neosr, neosr/models/image.py, tile_val.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, product

import torch
from torch import Tensor
from torch.nn import functional as F

Net = Callable[[Tensor], Tensor]
PLAYED_TILES = 2


def blended(net: Net, image: Tensor, scale: int, tile: int, overlap: int) -> Tensor:
    """Return `net(image)`, [1, C, height x scale, width x scale], weighted towards each tile's middle."""
    height, width = image.shape[2:]
    if height <= tile and width <= tile:
        return net(image)
    down, right = (-side % tile if side > tile else 0 for side in (height, width))
    image = F.pad(image, (0, right, 0, down), "reflect")
    shape = (1, image.shape[1], image.shape[2] * scale, image.shape[3] * scale)
    output = torch.zeros(shape, device=image.device)
    weights = torch.zeros_like(output)
    ramps = [torch.linspace(0, 1, tile * scale, device=image.device) for _ in range(2)]
    ramps = [1 - torch.abs(ramp - 0.5) * 2 for ramp in ramps]
    weight = torch.outer(*ramps)[None, None]
    corners = product(*(range(0, side, tile - overlap) for side in image.shape[2:]))
    for top, left in islice(corners, PLAYED_TILES):
        piece = image[:, :, top : top + tile, left : left + tile]
        rows, columns = piece.shape[2] * scale, piece.shape[3] * scale
        piece = _filled(piece, tile)
        result = net(piece)[:, :, :rows, :columns]
        part = weight[:, :, :rows, :columns]
        place = (..., slice(top * scale, top * scale + rows), slice(left * scale, left * scale + columns))
        output[place] += result * part
        weights[place] += part
    whole = output / weights.clamp(min=1e-6)
    return whole[:, :, : height * scale, : width * scale]


def _filled(piece: Tensor, tile: int) -> Tensor:
    """Reflect a piece that the image's edge cut off up to the tile's size, as far as reflection reaches."""
    down, right = (min(tile - side, side - 1) for side in piece.shape[2:])
    return F.pad(piece, (0, right, 0, down), "reflect") if down > 0 or right > 0 else piece


def padded(net: Net, image: Tensor, scale: int, tile: int, pad: int) -> Tensor:
    """Return `net(image)` put together from tiles that see `pad` pixels of their neighbours."""
    height, width = image.shape[2:]
    output = image.new_zeros((1, image.shape[1], height * scale, width * scale))
    rows, columns = (min(side, tile + 2 * pad) for side in (height, width))
    for _ in range(PLAYED_TILES if height * width > tile * tile else 1):
        result = net(image[:, :, :rows, :columns])
        inner = result[:, :, : min(tile, height) * scale, : min(tile, width) * scale]
        output[:, :, : inner.shape[2], : inner.shape[3]] = inner
    return output


def apart(net: Net, image: Tensor, tile: int) -> Tensor:
    """Return nothing on the GPU: each tile comes from the CPU, its result goes back, the cache is emptied.

    The mirrored image stays on the GPU. One tile is run, since the next one finds nothing of it.
    """
    height, width = image.shape[2:]
    mirrored = F.pad(image, (0, -width % tile, 0, -height % tile), "reflect")
    net(mirrored.new_empty((1, mirrored.shape[1], tile, tile)))
    return torch.empty(0, device="cpu")
