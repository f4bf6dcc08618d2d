# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Who makes a tensor: the module whose forward runs, or the one whose forward made the node that runs.

Module hooks keep a stack of scopes. Autograd numbers its nodes in the order in which the forward makes them,
so a timeline of (sequence number, scope) gives a node's module without touching the graph.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules import module as hooks

from trainlint.trace.torch_private import (
    current_graph_task,
    current_node,
    next_sequence_number,
    sequence_number,
)

OWNER_ATTRIBUTE = "_trainlint_owner"  # kept in a module's __dict__, so DataParallel's replicas inherit it

FAILED_ATTRIBUTE = "_trainlint_failed_in"  # set on an error: the innermost module out of which it came
GIVEN_ATTRIBUTE = "_trainlint_given"  # and the shapes of the tensors which that module was given
FORWARD_ATTRIBUTE = "_trainlint_forward"  # and the file and line of that module's forward


def failed_in(error: BaseException) -> str:
    """Return the innermost module out of which an error came."""
    return str(getattr(error, FAILED_ATTRIBUTE, "the step"))


def given_in(error: BaseException) -> str:
    """Return what the module in which an error arose was given: "given 2 x 4 x 64 x 64", the batch first."""
    shapes = " and ".join(" x ".join(map(str, shape)) for shape in getattr(error, GIVEN_ATTRIBUTE, ()))
    return f"given {shapes}" if shapes else ""


def forward_of(error: BaseException) -> tuple[str, int] | None:
    """Return the file and the line at which the forward of the module in which an error arose begins."""
    place: tuple[str, int] | None = getattr(error, FORWARD_ATTRIBUTE, None)
    return place


class ModuleScope(NamedTuple):
    """Where something happens: "role:module path" and the virtual GPU."""

    owner: str
    device: int


def in_backward() -> bool:
    """Return whether autograd runs a node now (and not a forward that a checkpoint repeats)."""
    return current_graph_task() != -1 and not torch.is_grad_enabled()


class Owners:
    """The stack of scopes and the timeline of one trace."""

    def __init__(self) -> None:
        self.current = ModuleScope("", 0)
        self._forced = 0
        self._stack: list[ModuleScope] = []
        self._numbers: list[int] = [0]
        self._scopes: list[ModuleScope] = [self.current]

    def name(self, role: str, module: nn.Module) -> None:
        """Give every module below `module` its path as owner."""
        for path, child in module.named_modules():
            child.__dict__[OWNER_ATTRIBUTE] = f"{role}:{path}"

    def scope(self, *, backward: bool | None = None) -> ModuleScope:
        """Return the scope of what happens now; `backward`: what `in_backward` says, where that is known."""
        if backward is None:
            backward = in_backward()
        return self.current if self._forced or not backward else self._of_the_node()

    def _of_the_node(self) -> ModuleScope:
        node: Any = current_node()  # typed as never None, but it is between nodes
        if node is None:
            return self.current
        return self._scopes[bisect_right(self._numbers, sequence_number(node)) - 1]

    def where(self) -> str:
        """Return the owner for an error message: the innermost module that has a name."""
        named = [scope.owner for scope in (*self._stack, self.scope()) if scope.owner]
        return named[-1] if named else "the step"

    @property
    def forced(self) -> bool:
        """Return whether the virtual GPU is given by `on`."""
        return self._forced > 0

    @contextmanager
    def on(self, device: int) -> Iterator[None]:
        """Run on a virtual GPU, forward or inside a backward."""
        self._enter(ModuleScope(self.scope().owner, device))
        self._forced += 1
        try:
            yield
        finally:
            self._forced -= 1
            self._leave()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follow every module's forward while inside."""
        before = hooks.register_module_forward_pre_hook(self._before)
        after = hooks.register_module_forward_hook(self._after, always_call=True)
        try:
            yield
        finally:
            before.remove()
            after.remove()

    def _before(self, module: nn.Module, _args: Any) -> None:
        owner = module.__dict__.get(OWNER_ATTRIBUTE)
        repeated = current_graph_task() != -1 and not self._forced  # by a checkpoint, on its node's GPU
        device = self._of_the_node().device if repeated else self.current.device
        self._enter(ModuleScope(self.current.owner if owner is None else owner, device))

    def _after(self, module: nn.Module, args: Any, _output: Any) -> None:
        error = sys.exc_info()[1]
        if error is not None and not hasattr(error, FAILED_ATTRIBUTE):
            # on the error, and words alone: to hold either would keep tensors alive
            setattr(error, FAILED_ATTRIBUTE, self.where())
            setattr(
                error, GIVEN_ATTRIBUTE, [tuple(arg.shape) for arg in args if isinstance(arg, torch.Tensor)]
            )
            if (code := getattr(module.forward, "__code__", None)) is not None:
                setattr(error, FORWARD_ATTRIBUTE, (code.co_filename, code.co_firstlineno))
        self._leave()

    def _enter(self, scope: ModuleScope) -> None:
        self._stack.append(self.current)
        self._switch(scope)

    def _leave(self) -> None:
        if self._stack:
            self._switch(self._stack.pop())

    def _switch(self, scope: ModuleScope) -> None:
        self.current = scope
        self._numbers.append(next_sequence_number())
        self._scopes.append(scope)
