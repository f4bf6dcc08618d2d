# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CUDA extensions that are published and not built here: their operators allocate as their source does."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

MODULES: Final = ("smm_cuda",)
"""Those that a program cannot do without: of one that it may lack, nobody knows whether it is built there."""
PUBLISHED: Final = "trainlint_zoo.blocks.extensions"


def published(name: str) -> Callable[..., Any]:
    """Return what allocates as an operator does, by its full name."""
    function: Callable[..., Any] = importlib.import_module(PUBLISHED).known(name)
    return function


class BuiltOperators(MetaPathFinder, Loader):
    """Finds such a module where nobody else has it."""

    def __init__(self, note: Callable[[Any], None]) -> None:
        self.note = note

    def watch(self) -> None:
        """Be asked last."""
        sys.meta_path.append(self)

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what loads a module of MODULES."""
        return ModuleSpec(name, self) if name in MODULES else None

    def exec_module(self, module: ModuleType) -> None:
        """Fill it, and say so."""
        name = module.__name__
        for operator, function in importlib.import_module(PUBLISHED).OPERATORS.items():
            if operator.startswith(f"{name}."):
                setattr(module, operator.rpartition(".")[2], function)
        self.note(
            f"{name} is not built here: its operators allocate as published, "
            "and what they compute takes no time"
        )
