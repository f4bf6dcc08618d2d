# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""All private names of torch that tracing needs, under names of our own.

A release of torch may take any of them away. Each is in 2.6 (the oldest that is supported), 2.13 (the
reference) and 2.14, with the same meaning: `python -m bench smoke` traces the same steps with each. No other
file may use one (tests/trace/test_private.py); what begins with an underscore in the lists of operators is
the dispatcher's name of an operator, which tapes hold.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from operator import attrgetter, methodcaller
from typing import Any, Final

import torch
from torch._C import TensorBase
from torch._prims_common import suggest_memory_format
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)
from torch._utils import (
    _flatten_dense_tensors,
    _rebuild_parameter,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _reorder_tensors_as,
    _take_tensors,
    _unflatten_dense_tensors,
)
from torch.amp import autocast_mode
from torch.jit import _builtins
from torch.nn.modules.module import _IncompatibleKeys
from torch.utils import _device, checkpoint
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_unflatten

__all__ = [
    "DataDependentOutputException", "DynamicOutputShapeException", "FakeTensorMode", "TensorBase",
    "TorchDispatchMode", "suggest_memory_format", "tree_flatten", "tree_unflatten",
]  # fmt: skip

# This is the one file that may use private names, and torch's stubs leave many of them out.
# mypy: disable-error-code="attr-defined"
# ruff: noqa: SLF001 - private names are what it is for

REFUSAL_LOGGER: Final = "torch._subclasses.fake_tensor"
"""The logger of operators that refuse tensors without values."""

# Autograd: the number of the node to come, of a node, the node that runs, and the graph task (-1: none).
next_sequence_number = torch._C._autograd._get_sequence_nr
sequence_number = methodcaller("_sequence_nr")
current_node = torch._C._current_autograd_node
current_graph_task = torch._C._current_graph_task_id

# Tensors and storages: who holds them, and where they are.
is_view = TensorBase._is_view
use_count = TensorBase._use_count
address_of = attrgetter("_cdata")
storage_use_count = torch._C._storage_Use_Count

# The dispatcher: keys, what is registered for an operator, and turning a key on or off for this thread.
DispatchKey = torch._C.DispatchKey
DispatchKeySet = torch._C.DispatchKeySet
exclude_keys = torch._C._ExcludeDispatchKeyGuard
set_excluded = torch._C._dispatch_tls_set_dispatch_key_excluded
set_included = torch._C._dispatch_tls_set_dispatch_key_included
has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
schema_of = attrgetter("_schema")
without_modes = _disable_current_modes
unregister = methodcaller("_destroy")

# What torch asks about a device, for `patch.object`: (where, name).
_optimizer = importlib.import_module("torch.optim.optimizer")  # torch.optim hides it as an attribute
_foreach_utils = importlib.import_module("torch.utils._foreach_utils")
FOREACH_DEVICES: Final = tuple(
    (where, "_get_foreach_kernels_supported_devices") for where in (_optimizer, _foreach_utils)
)
FUSED_DEVICES: Final = (_optimizer, "_get_fused_kernels_supported_devices")
CHECKPOINT_DEVICE: Final = (checkpoint, "_infer_device_type")
CUSTOM_FORWARD_CAST: Final = (autocast_mode, "_cast")
DeviceContext = _device.DeviceContext
device_constructors = _device._device_constructors
builtin_table = _builtins._get_builtin_table
nvml_index = torch.cuda._get_nvml_device_index

# Buckets of tensors, as DataParallel and DistributedDataParallel make them.
flatten_dense = _flatten_dense_tensors
unflatten_dense = _unflatten_dense_tensors
reorder_as = _reorder_tensors_as
take_tensors = _take_tensors

# Modules and what they hold.
replicate = methodcaller("_replicate_for_data_parallel")
children_of = attrgetter("_modules")
parameters_of = attrgetter("_parameters")
buffers_of = attrgetter("_buffers")
LoadedKeys = _IncompatibleKeys
FORMER_PARAMETERS: Final = "_former_parameters"

# What torch.save writes.
rebuild_parameter = _rebuild_parameter
rebuild_tensor = _rebuild_tensor_v2
rebuild_of_type = _rebuild_tensor_v3  # where the storage's class does not say the type: float8 and newer

# Multi-tensor operators.
foreach_add_ = torch._foreach_add_
foreach_addcdiv_ = torch._foreach_addcdiv_
foreach_addcmul_ = torch._foreach_addcmul_
foreach_div_ = torch._foreach_div_
foreach_lerp_ = torch._foreach_lerp_
foreach_mul_ = torch._foreach_mul_
foreach_sqrt = torch._foreach_sqrt
foreach_sub_ = torch._foreach_sub_
foreach_zero_ = torch._foreach_zero_

# Kernels that a public function chooses from.
flash_attention = torch.ops.aten._scaled_dot_product_flash_attention
efficient_attention = torch.ops.aten._scaled_dot_product_efficient_attention
math_attention = torch.ops.aten._scaled_dot_product_attention_math
softmax_backward = torch.ops.aten._softmax_backward_data

COMPILER: Final = "torch._dynamo"
"""Where torch's compiler is (torch/_compile.py)."""
LEFT_ALONE: Final = "__dynamo_disable"
"""Where torch keeps a function that the compiler is to leave alone (torch/_compile.py)."""


def composite(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Run an operator's C++ composite: torch's Python decompositions copy where it does not."""
    return func._op_dk(DispatchKey.CompositeImplicitAutograd, *args, **kwargs)


def storage_type(dtype: torch.dtype) -> Any:
    """Return the class that torch.save names for a storage of a type."""
    return getattr(torch, torch.storage._dtype_to_storage_type_map().get(dtype, "UntypedStorage"))


def indexing_as_an_operator() -> Any:
    """Return a mode in which indexing by a tensor of no dimensions stays an operator, as compilers see it."""
    module = importlib.import_module("torch._dynamo._trace_wrapped_higher_order_op")  # a second to import
    return module.TransformGetItemToIndex()
