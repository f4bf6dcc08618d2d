# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CUDA's autocast on meta tensors, at the place where CUDA does it: a dispatch key above autograd.

torch's own AutocastCUDA kernels ignore meta tensors, so the same lists are registered here for a key that no
backend of this process uses, and that key is switched on wherever autocast for "cuda" is.
Lists: ATen/autocast_mode.h (AT_FORALL_LOWER_PRECISION_FP, _FP32, _FP32_SET_OPT_DTYPE, _PROMOTE).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from trainlint.trace.torch_private import (
    DispatchKey,
    DispatchKeySet,
    exclude_keys,
    is_view,
    schema_of,
    set_excluded,
    set_included,
)

KEY_NAME = "AutocastPrivateUse1"
_DISPATCH_KEY = getattr(DispatchKey, KEY_NAME)
_KEYS = DispatchKeySet(_DISPATCH_KEY)

LOWER_PRECISION = (
    "_convolution.deprecated", "_convolution", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d.input", "conv_transpose3d.input", "convolution", "prelu", "addmm", "addmv", "addr",
    "matmul", "einsum", "mm", "mv", "linalg_vecdot", "linear", "addbmm", "baddbmm", "bmm", "chain_matmul",
    "linalg_multi_dot", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", "lstm_cell", "gru_cell",
    "rnn_tanh_cell", "rnn_relu_cell", "_scaled_dot_product_flash_attention", "scaled_dot_product_attention",
)  # fmt: skip
RECURRENT = ("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
"""Run in the lower precision too: ATen/cudnn/AutocastRNN.cpp casts what _cudnn_rnn is given."""
FP32 = (
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt",
    "sinh", "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm",
    "native_layer_norm", "rms_norm", "group_norm", "frobenius_norm.dim", "nuclear_norm", "nuclear_norm.dim",
    "cosine_similarity", "poisson_nll_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d",
    "hinge_embedding_loss", "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss", "mse_loss",
    "margin_ranking_loss", "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss",
    "multi_margin_loss", "binary_cross_entropy_with_logits", "dist", "pdist", "cdist", "renorm", "logsumexp",
    "upsample_nearest1d", "_upsample_nearest_exact1d", "upsample_nearest2d", "_upsample_nearest_exact2d",
    "upsample_nearest3d", "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d",
    "_upsample_bilinear2d_aa", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bicubic2d_aa",
)  # fmt: skip
FP32_OUTPUT = (  # the input stays, the result is made in fp32 unless the caller names a type
    "prod", "prod.dim_int", "softmax.int", "log_softmax.int", "cumprod", "cumsum", "linalg_vector_norm",
    "linalg_matrix_norm", "linalg_matrix_norm.str_ord", "sum", "sum.dim_IntList",
)  # fmt: skip
FP32_APPENDED = {"norm.Scalar": "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype"}
PROMOTE = ("addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "vdot", "grid_sampler", "index_put",
           "tensordot", "scatter_add")  # fmt: skip

_casts: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}  # weight casts until the outermost autocast exits


def switch(enabled: bool) -> None:
    """Turn the imitation on or off for this thread."""
    set_excluded(_DISPATCH_KEY, not enabled)
    set_included(_DISPATCH_KEY, enabled)


def clear_cache() -> None:
    """Drop the weight casts, as the outermost autocast does when it exits."""
    _casts.clear()


def register() -> list[torch.library.Library]:
    """Register the lists; the kernels live as long as the libraries that are returned."""
    fallback = torch.library.Library("_", "IMPL", KEY_NAME)
    if hasattr(fallback, "fallback"):
        fallback.fallback(torch.library.fallthrough_kernel)
    else:  # before torch 2.5
        fallback.m.fallback_fallthrough()  # type: ignore[union-attr]  # it holds one until it is destroyed
    library = torch.library.Library("aten", "IMPL")
    lower = LOWER_PRECISION + RECURRENT
    kinds = ((lower, _lower), (FP32, _fp32), (FP32_OUTPUT, _fp32_output), (PROMOTE, _promote))
    for names, kind in kinds:
        for name in names:
            _implement(library, name, kind)
    for name, other in FP32_APPENDED.items():
        library.impl(name, _fp32_appended(_overload(other)), KEY_NAME)
    return [fallback, library]


def _implement(library: torch.library.Library, name: str, kind: Callable[[Any], Callable[..., Any]]) -> None:
    func = _overload(name)
    if func is not None:  # an older torch may lack one
        library.impl(name, kind(func), KEY_NAME)


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def _eligible(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.is_meta
        and value.is_floating_point()
        and value.dtype != torch.float64
    )


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, dtype) for item in value)
    if not _eligible(value) or value.dtype == dtype:
        return value
    if not _cacheable(value, dtype):
        return value.to(dtype)
    known = _casts.get(id(value))
    if known is not None and known[0]() is value:
        return known[1]
    cast = value.to(dtype)
    _casts[id(value)] = (weakref.ref(value), cast)
    return cast


def _cacheable(value: Tensor, dtype: torch.dtype) -> bool:
    return (
        value.requires_grad and value.is_leaf and value.dtype == torch.float32 and not is_view(value)
        and dtype == torch.get_autocast_dtype("cuda") and torch.is_autocast_cache_enabled()
    )  # fmt: skip


def _lower(func: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with exclude_keys(_KEYS):
            return func(
                *_cast(args, torch.get_autocast_dtype("cuda")),
                **_cast_named(kwargs, torch.get_autocast_dtype("cuda")),
            )

    return kernel


def _fp32(func: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with exclude_keys(_KEYS):
            return func(*_cast(args, torch.float32), **_cast_named(kwargs, torch.float32))

    return kernel


def _fp32_output(func: Any) -> Callable[..., Any]:
    names = [argument.name for argument in schema_of(func).arguments]
    place = names.index("dtype")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with exclude_keys(_KEYS):
            if (
                _eligible(args[0])
                and kwargs.get("dtype") is None
                and (len(args) <= place or args[place] is None)
            ):
                return func(
                    *args[:place],
                    **{
                        **kwargs,
                        **dict(zip(names[place + 1 :], args[place + 1 :])),  # noqa: B905 - Python 3.9
                        "dtype": torch.float32,
                    },
                )
            return func(*args, **kwargs)

    return kernel


def _fp32_appended(func: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with exclude_keys(_KEYS):
            return func(*args, **kwargs, dtype=torch.float32 if _eligible(args[0]) else args[0].dtype)

    return kernel


def _promote(func: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with exclude_keys(_KEYS):
            flat = [item for arg in args for item in (arg if isinstance(arg, (list, tuple)) else (arg,))]
            floats = [item.dtype for item in flat if _eligible(item)]
            widest = torch.float32 if torch.float32 in floats else torch.get_autocast_dtype("cuda")
            return func(*_cast(args, widest), **_cast_named(kwargs, widest))

    return kernel


def _cast_named(kwargs: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    return {name: _cast(value, dtype) for name, value in kwargs.items()}
