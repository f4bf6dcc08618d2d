# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How the recorder treats each operator, which its schema says: worked out once for each."""

from __future__ import annotations

from enum import Enum, auto
from functools import cache
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.torch_private import has_kernel, schema_of


class OperatorKind(Enum):
    """The recorder's ways with an operator."""

    VIEW = auto()  # returns aliases, allocates nothing
    IN_PLACE = auto()  # writes its first argument and returns it
    FRESH = auto()  # returns new tensors: may be answered from memory
    OUT = auto()  # writes into out=, which it may make larger
    FOREACH = auto()  # multi-tensor operators of the optimizers
    COMPOSITE = auto()  # reaches the mode whole (inference mode): decompose first
    SCALAR = auto()  # reads a value, which meta does not have
    TO_COPY = auto()  # may leave the GPU for host memory, which is not counted
    CALL = auto()  # anything else: run it and look at what came out


BY_NAME = {"_local_scalar_dense": OperatorKind.SCALAR, "_to_copy": OperatorKind.TO_COPY}
MULTI_TENSOR = ("_foreach_", "_fused_ada", "_fused_sgd", "_amp_foreach_")
"""Prefixes of the optimizers' operators on lists."""
RESIZING_OPERATORS = ("resize_", "set_", "_resize_output_")
"""Operators that give their first argument another storage or size."""


def name_of(func: Any) -> str:
    """Return an operator's name without namespace and overload."""
    return str(schema_of(func).name.split("::")[1])


@cache
def rule_of(func: Any) -> OperatorKind:
    """Return the rule for an operator overload."""
    name = name_of(func)
    if name in BY_NAME:
        return BY_NAME[name]
    if name.startswith(MULTI_TENSOR):
        return OperatorKind.FOREACH
    return OperatorKind.COMPOSITE if _composite(func) else _by_aliases(func, name)


def _by_aliases(func: Any, name: str) -> OperatorKind:
    schema = schema_of(func)
    aliases = [value.alias_info for value in schema.returns]
    moved = torch.Tag.inplace_view in func.tags or name in RESIZING_OPERATORS
    if moved or not aliases:
        return OperatorKind.CALL
    if any(argument.is_out for argument in schema.arguments):
        return OperatorKind.OUT
    if all(alias is not None for alias in aliases):
        if not any(alias.is_write for alias in aliases):
            return OperatorKind.VIEW
        first = schema.arguments[0].alias_info
        return (
            OperatorKind.IN_PLACE
            if len(aliases) == 1 and first is not None and first.is_write
            else OperatorKind.CALL
        )
    return OperatorKind.FRESH if all(alias is None for alias in aliases) else OperatorKind.CALL


def _composite(func: Any) -> bool:
    return bool(has_kernel(func.name(), "CompositeImplicitAutograd")) and not has_kernel(func.name(), "Meta")


def stub_value(dtype: torch.dtype, *, other: bool = False) -> bool | int | float:
    """Return what a value reads as on meta: True for a condition, 0 for a number; or False and 1."""
    if dtype == torch.bool:
        return not other
    return float(other) if dtype.is_floating_point else int(other)


def untraceable(func: Any, where: str, error: Exception) -> CannotTraceError:
    """Say which module's operator has no shape function, or a shape that depends on the data."""
    name = schema_of(func).name
    data_dependent = (
        torch.Tag.data_dependent_output in func.tags or torch.Tag.dynamic_output_shape in func.tags
    )
    reason = "whose result depends on the data" if data_dependent else "which has no shape function"
    if not data_dependent and "Cannot copy out of meta" in str(error):
        reason = "which copies values to the CPU"
    return CannotTraceError(f'"{owner_words(where)}" uses "{name}", {reason}')


def owner_words(owner: str) -> str:
    """Return an owner for a reader: a network itself is its role ("generator:" is the generator)."""
    return owner.removesuffix(":")


def value_decides(owner: str, what: str) -> CannotTraceError:
    """Say which module reads a tensor's value, and what comes of it."""
    how = '"aten::_local_scalar_dense": .item(), bool(), if'
    return CannotTraceError(f'"{owner_words(owner)}" reads the value of a tensor ({how}), {what}')
