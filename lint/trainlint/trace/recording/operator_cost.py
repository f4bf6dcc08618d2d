# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an operator costs: its kernel class, floating-point operations, bytes read and written.

One multiply-add counts as two operations. Worked out once per distinct call (see meta_kernels.key_of).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor

from trainlint.tape import HELD, IN_TILES
from trainlint.trace.cuda import accumulators
from trainlint.trace.cuda.memory_formats import CHANNELS_LAST, format_of

ALLOCATION_ONLY = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "lift_fresh"}
MATMULS = {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "vdot", "addbmm"}
REDUCTIONS = {
    "sum",
    "mean",
    "amax",
    "amin",
    "max",
    "min",
    "var",
    "var_mean",
    "std",
    "linalg_vector_norm",
    "prod",
}
COPIES = {
    "clone", "copy_", "_to_copy", "cat", "stack", "index", "index_put", "index_select", "gather", "scatter",
    "constant_pad_nd", "slice_backward", "select_backward", "roll", "flip", "im2col", "col2im",
    "pixel_shuffle", "repeat", "zeros", "zeros_like", "ones_like", "full", "full_like", "fill_", "zero_",
}  # fmt: skip
"""Operators that only move bytes."""


class Cost(NamedTuple):
    """One kernel's work; `key` has the shapes and direction of a convolution (without the batch)."""

    kind: str
    flops: int
    read: int
    written: int
    key: str = ""
    dtype: str = "float32"


def nbytes(tensor: Tensor) -> int:
    """Return the bytes of a tensor's elements."""
    return tensor.numel() * tensor.itemsize


def tensors(values: Iterable[Any]) -> list[Tensor]:
    """Return the tensors among arguments, lists of them included."""
    flat: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            flat.append(value)
        elif isinstance(value, (list, tuple)):
            flat.extend(item for item in value if isinstance(item, Tensor))
    return flat


def held(sizes: Iterable[int], key: str = HELD) -> tuple[Cost, ...]:
    """Return the copies of these bytes that the operator recorded next needs while it runs."""
    return tuple(Cost("copy", 0, size, size, key) for size in sizes)


def costs(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], outputs: Any) -> tuple[Cost, ...]:
    """Return the kernels an operator runs: none for what only allocates, several for a backward."""
    if name in ALLOCATION_ONLY:
        return ()
    if name in _SPECIAL:
        return _SPECIAL[name](args, outputs)
    read = tensors((*args, *kwargs.values()))
    written = tensors((outputs,))
    in_place = name.endswith("_") and not name.endswith("__")
    if in_place and not written:
        written = tensors((args[0],))
    moved = sum(map(nbytes, written))
    first = next(iter((*written, *read)), None)
    kind = _kind(name)
    if name.startswith("_foreach_"):
        flops = sum(t.numel() for t in written or read)
    else:
        flops = 0 if kind == "copy" else max((t.numel() for t in (*read, *written)), default=0)
    return (Cost(kind, flops, sum(map(nbytes, read)), moved, "", _dtype(first)),)


def _kind(name: str) -> str:
    if name in COPIES:
        return "copy"
    if name in REDUCTIONS:
        return "reduction"
    if "softmax" in name:
        return "softmax"
    if "batch_norm" in name or "layer_norm" in name or "group_norm" in name or "rms_norm" in name:
        return "norm"
    if "pool" in name or "upsample" in name or "grid_sampler" in name:
        return "sampling"
    return "elementwise"


def _dtype(tensor: Tensor | None) -> str:
    return "float32" if tensor is None else str(tensor.dtype).removeprefix("torch.")


def _convolution(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
    x, weight = args[0], args[1]
    transposed, groups = args[6], args[8]
    macs = (x if transposed else outputs).numel() * prod(weight.shape[1:])
    read = nbytes(x) + nbytes(weight) + (nbytes(args[2]) if args[2] is not None else 0)
    key = _shape_key("forward", x, weight, args[3:9])
    return (Cost(_conv_kind(weight, groups, transposed), 2 * macs, read, nbytes(outputs), key, _dtype(x)),)


def _convolution_backward(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
    grad, x, weight = args[0], args[1], args[2]
    transposed, groups, mask = args[7], args[9], args[10]
    macs = (x if transposed else grad).numel() * prod(weight.shape[1:])
    kind = _conv_kind(weight, groups, transposed)
    kernels = []
    for wanted, direction, other, made in (
        (mask[0], "backward-data", weight, x), (mask[1], "backward-weight", x, weight),
    ):  # fmt: skip
        if wanted:
            key = _shape_key(direction, x, weight, args[4:10])
            kernels.append(
                Cost(kind, 2 * macs, nbytes(grad) + nbytes(other), nbytes(made), key, _dtype(grad))
            )
    if mask[2]:
        kernels.append(Cost("reduction", grad.numel(), nbytes(grad), nbytes(outputs[2]), "", _dtype(grad)))
    return tuple(kernels)


def _conv_kind(weight: Tensor, groups: int, transposed: bool) -> str:
    if groups == 1:
        return "conv"
    inside = weight.shape[0] // groups if transposed else weight.shape[1]
    return "conv-depthwise" if inside == 1 else "conv-grouped"


def _shape_key(direction: str, x: Tensor, weight: Tensor, geometry: Sequence[Any]) -> str:
    stride, padding, dilation, transposed, _, groups = geometry
    sizes = "x".join(map(str, x.shape[1:]))
    kernel = "x".join(map(str, weight.shape[2:]))
    name = "transposed " if transposed else ""
    return (
        f"{direction} {name}k{kernel} {weight.shape[0]}o {sizes} s{_side(stride)} p{_side(padding)}"
        f" d{_side(dilation)} g{groups}{_format(x, weight)}"
    )


def _format(x: Tensor, weight: Tensor) -> str:
    return " nhwc" if format_of(x, weight) in CHANNELS_LAST else ""


def _side(values: Sequence[int]) -> str:
    return str(values[0]) if len(set(values)) == 1 else "x".join(map(str, values))


def _matmul(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
    factors = [a for a in args if isinstance(a, Tensor)]
    inner = factors[-2].shape[-1]
    flops = 2 * outputs.numel() * inner
    return (Cost("matmul", flops, sum(map(nbytes, factors)), nbytes(outputs), "", _dtype(outputs)),)


def _attention(backward: bool) -> Callable[[Sequence[Any], Any], tuple[Cost, ...]]:
    def cost(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
        query, key, value = args[1:4] if backward else args[:3]
        pairs = prod(query.shape[:-1]) * key.shape[-2]
        flops = 2 * pairs * (query.shape[-1] + value.shape[-1])
        if backward:  # FlashAttention counts the backward as 2.5 forwards (five products instead of two)
            flops = flops * 5 // 2
        moved = sum(map(nbytes, tensors((outputs,))))
        return (Cost("attention", flops, sum(map(nbytes, tensors(args))), moved, "", _dtype(query)),)

    return cost


def _flash_backward(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
    return (*held(accumulators.flash(args[1])), *_attention(backward=True)(args, outputs))


def _efficient_backward(args: Sequence[Any], outputs: Any) -> tuple[Cost, ...]:
    """Return the kernels: in fp32 the gradient's product with the output comes first, summed over each head.

    Source: aten/src/ATen/native/transformers/cuda/attention_backward.cu (delta).
    """
    gradient, query = args[:2]
    sums = prod(query.shape[:-1]) * 4
    kernels: tuple[Cost, ...] = ()
    if gradient.dtype == torch.float32:
        size = nbytes(gradient)
        kernels = (*held([size]), Cost("reduction", 2 * gradient.numel(), 2 * size, sums))
    tiles = accumulators.tiled(query)
    for rows, key in IN_TILES.items():
        kernels += held([tiles[rows]], key)
    return (*kernels, *held([sums]), *_attention(backward=True)(args, outputs))


_SPECIAL: dict[str, Callable[[Sequence[Any], Any], tuple[Cost, ...]]] = {
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    **dict.fromkeys(MATMULS, _matmul),
    "_scaled_dot_product_flash_attention": _attention(backward=False),
    "_scaled_dot_product_efficient_attention": _attention(backward=False),
    "_scaled_dot_product_flash_attention_backward": _flash_backward,
    "_scaled_dot_product_efficient_attention_backward": _efficient_backward,
}
