# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torch's DataParallel and DistributedDataParallel as own code asks for them: the tracer's imitations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from trainlint.trace.parallel.wrapper import Wrapper


class _ImitatedType(type):
    """Makes isinstance accept an imitation for what it imitates."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Wrapper)


@contextmanager
def imitated(wrap: Callable[[nn.Module], Any]) -> Iterator[None]:
    """Let both classes wrap a module by `wrap` inside, and collective operations do nothing."""

    class Replicated(metaclass=_ImitatedType):
        def __new__(cls, module: nn.Module, *_args: Any, **_kwargs: Any) -> Any:
            return wrap(module)

    with ExitStack() as stack:
        for where in (nn, nn.parallel):
            for name in ("DataParallel", "DistributedDataParallel"):
                if hasattr(where, name):
                    stack.enter_context(patch.object(where, name, Replicated))
        for name in ("reduce", "all_reduce", "broadcast", "barrier"):
            stack.enter_context(patch.object(torch.distributed, name, _nothing))
        yield


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Send nothing: these tensors are a log's."""
