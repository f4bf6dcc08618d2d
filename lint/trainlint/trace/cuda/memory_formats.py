# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory formats: in which a convolution computes, and what CUDA's kernels copy before or while they run.

A kernel that wants contiguous tensors copies others, and gives the copies back when it ends. Meta has no
kernels, so they are listed here, operator by operator. Source: PyTorch 2.13, aten/src/ATen/native:
Convolution.cpp and ConvUtils.h (cudnn_conv_suggest_memory_format), cuda/SoftMax.cu (host_softmax,
host_softmax_backward), cuda/layer_norm_kernel.cu, Normalization.cpp (_batch_norm_impl_index),
ReduceOpsUtils.h (make_reduction), cuda/Blas.cpp (prepare_batch_matrix_for_cublas),
cuda/DilatedMaxPool2d.cu, cuda/AveragePool2d.cu. Attention's are in operator_cost.py and accumulators.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.trace.torch_private import suggest_memory_format

CONTIGUOUS: Final = torch.contiguous_format
IMAGE_DIMENSIONS: Final = 4
"""Dimensions of a batch of images."""
CHANNELS_LAST: Final = (torch.channels_last, torch.channels_last_3d)


def format_of(x: Tensor, weight: Tensor) -> torch.memory_format:
    """Return the format in which cuDNN computes: channels last where the input or the weight has it."""
    if torch.float64 in (x.dtype, weight.dtype):
        return CONTIGUOUS
    formats = [suggest_memory_format(tensor) for tensor in (x, weight) if tensor.dim() == weight.dim()]
    return next((suggested for suggested in formats if suggested in CHANNELS_LAST), CONTIGUOUS)


def returned(name: str, args: Sequence[Any], result: Any) -> Any:
    """Return an operator's result in CUDA's layout: the result itself, or other tensors of its sizes.

    A convolution returns the format in which it computes; on meta, since torch 2.13, a contiguous tensor. A
    layer norm returns its input's gradient contiguous; on meta, as the output's gradient lies. That decides
    what the layers after it copy: a norm over the channels nothing, a view something.
    """
    if name == "convolution":
        return _laid_out(result, format_of(args[0], args[1]))
    if name == "native_layer_norm_backward" and result[0] is not None:
        return (_laid_out(result[0], CONTIGUOUS), *result[1:])
    return result


def resampled(name: str, args: Sequence[Any]) -> Tensor | None:
    """Return a bilinear upsampling's result where it is plain, None where torch has to say.

    torch's own answer on meta is the whole interpolation in Python, 5 ms.
    """
    if name != "upsample_bilinear2d" or not isinstance(args[1], (list, tuple)):
        return None
    x, size = args[0], (*args[0].shape[:-2], *args[1])
    plain = x.is_floating_point() and x.is_contiguous() and suggest_memory_format(x) == CONTIGUOUS
    if not plain or not len(x.shape) == len(size) == IMAGE_DIMENSIONS or 0 in (*x.shape, *size):
        return None
    return torch.empty(size, dtype=x.dtype, device=x.device)


def _laid_out(tensor: Tensor, wanted: torch.memory_format) -> Tensor:
    if tensor.is_contiguous(memory_format=wanted):
        return tensor
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device, memory_format=wanted)


def before(name: str, args: Sequence[Any]) -> tuple[int, ...]:
    """Return the bytes of each copy that an operator makes before it makes its outputs."""
    rule = _BEFORE.get(name)
    return tuple(rule(args)) if rule else ()


def inside(name: str, args: Sequence[Any]) -> tuple[int, ...]:
    """Return the bytes of each temporary that an operator makes after its outputs."""
    rule = _INSIDE.get(name)
    return tuple(rule(args)) if rule else ()


def _unless(wanted: torch.memory_format, *tensors: Tensor) -> Iterator[int]:
    """Yield the bytes of those tensors that are not laid out as wanted."""
    for tensor in tensors:
        if not tensor.is_contiguous(memory_format=wanted):
            yield tensor.numel() * tensor.itemsize


def _convolution(args: Sequence[Any]) -> Iterator[int]:
    return _unless(format_of(args[0], args[1]), *args[:2])


def _convolution_backward(args: Sequence[Any]) -> Iterator[int]:
    return _unless(format_of(args[1], args[2]), *args[:3])


def _input(args: Sequence[Any]) -> Iterator[int]:
    return _unless(CONTIGUOUS, args[0])


def _gradient_and_input(args: Sequence[Any]) -> Iterator[int]:
    return _unless(CONTIGUOUS, *args[:2])


def _own_format(args: Sequence[Any]) -> Iterator[int]:
    return _unless(suggest_memory_format(args[0]), args[0])


def _inputs_format(args: Sequence[Any]) -> Iterator[int]:
    return _unless(suggest_memory_format(args[1]), *args[:2])


def _counts(args: Sequence[Any]) -> Iterator[int]:
    """Yield the 64-bit numbers that a sum of truth values makes of them first."""
    if args[0].dtype == torch.bool:
        yield args[0].numel() * 8


def _factors(args: Sequence[Any]) -> Iterator[int]:
    """Yield the copies of matrices of which neither rows nor columns are contiguous."""
    for tensor in args:
        if isinstance(tensor, Tensor) and tensor.dim() > 1 and 1 not in tensor.stride()[-2:]:
            yield tensor.numel() * tensor.itemsize


_Rule = Callable[[Sequence[Any]], Iterator[int]]
_BEFORE: Final[dict[str, _Rule]] = {
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    "native_layer_norm": _input,
    "native_layer_norm_backward": _gradient_and_input,
    "native_batch_norm": _own_format,
    "native_batch_norm_backward": _inputs_format,
    "max_pool2d_with_indices": _own_format,
    "max_pool2d_with_indices_backward": _inputs_format,
    "avg_pool2d": _own_format,
    "avg_pool2d_backward": _inputs_format,
}
_INSIDE: Final[dict[str, _Rule]] = {
    "_softmax": _input,
    "_log_softmax": _input,
    "_softmax_backward_data": _gradient_and_input,  # their product is workspace.products
    "_log_softmax_backward_data": _gradient_and_input,
    "sum": _counts,
    "mm": _factors,
    "bmm": _factors,
    "addmm": _factors,
    "baddbmm": _factors,
}
