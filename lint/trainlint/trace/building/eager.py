# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps of our own networks without torch's compiler, which eager code imports and never uses.

An optimizer's step, `checkpoint` and each operator that torch writes in Python begin with an import of
torch._dynamo, to say what a compiler should leave alone: more than a second of CPU for nothing, a third of
a traced command. Whatever asks for more than that gets the real module.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from trainlint.trace.torch_private import COMPILER, LEFT_ALONE


class _Idle(ModuleType):
    """What eager code asks of torch's compiler, where nothing is compiled."""

    def __init__(self) -> None:
        super().__init__(COMPILER)
        self.__path__: list[str] = []  # a package, so that `_Within` is asked for what is in it
        self.functions: list[Callable[..., Any]] = []

    def disable(self, function: Callable[..., Any], *_: Any, **__: Any) -> Callable[..., Any]:
        """Return the function itself; torch keeps it under LEFT_ALONE, until `remove`."""
        self.functions.append(function)
        return function

    def graph_break(self, *_: Any, **__: Any) -> None:
        """End no graph: there is none."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_real(COMPILER), name)


class _Within(MetaPathFinder, Loader):
    """Finds the compiler's modules while `_Idle` has its place: the real ones, in the real package."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if not name.startswith(f"{COMPILER}."):
            return None
        module = _real(name)
        return ModuleSpec(name, self, loader_state=(module, module.__spec__))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module: ModuleType = spec.loader_state[0]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave a module that is there already as it was."""
        if module.__spec__ is not None and module.__spec__.loader is self:
            module.__spec__ = module.__spec__.loader_state[1]


_WITHIN: Final = _Within()


@contextmanager
def without_compiler() -> Iterator[None]:
    """Keep torch's compiler from being imported, unless it is there or `remove` is called."""
    if COMPILER in sys.modules:
        yield
        return
    sys.modules[COMPILER] = idle = _Idle()
    setattr(*_attribute(), idle)
    sys.meta_path.insert(0, _WITHIN)
    try:
        yield
    finally:
        remove()


def _real(name: str) -> ModuleType:
    """Return a module of the compiler, imported in the midst of a step, and let go of what the import leaves.

    Those are frames in circles, and a frame holds those that called it: a forward's, with its tensors.
    """
    remove()
    module = importlib.import_module(name)
    gc.collect()
    return module


def remove() -> None:
    """Have the real compiler imported from here on: code that is not ours may compile, or look into it."""
    idle = sys.modules.get(COMPILER)
    if not isinstance(idle, _Idle):
        return
    sys.meta_path.remove(_WITHIN)
    torch, name = _attribute()
    if vars(torch).get(name) is sys.modules.pop(COMPILER):
        delattr(torch, name)
    for function in idle.functions:
        vars(function).pop(LEFT_ALONE, None)


def _attribute() -> tuple[ModuleType, str]:
    parent, _, name = COMPILER.rpartition(".")
    return sys.modules[parent], name
