# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Imports that something is done after: torch's, and those of libraries that need more than that.

The imitation is there before the program has its first name from torch, and a program that imports no torch
never notices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class Arrivals(MetaPathFinder):
    """Calls functions right after modules were imported for the first time."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callable[[ModuleType], None]]] = {}

    def after(self, name: str, then: Callable[[ModuleType], None]) -> None:
        """Call `then` with a module as soon as it is there, which may be now."""
        if name in sys.modules:
            then(sys.modules[name])
            return
        self.waiting.setdefault(name, []).append(then)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module that is waited for as the others would; it may not be imported for all that."""
        if name not in self.waiting:
            return None
        spec = _found_by_others(self, name, path, target)
        if spec is not None and spec.loader is not None:
            self._extend(spec.loader, name)
        return spec

    def _extend(self, loader: Any, name: str) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            execute(module)
            for then in self.waiting.pop(name, ()):
                then(module)

        loader.exec_module = exec_module


def _found_by_others(
    own: MetaPathFinder, name: str, path: Sequence[str] | None, target: ModuleType | None
) -> ModuleSpec | None:
    for finder in sys.meta_path:
        if finder is not own and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None
