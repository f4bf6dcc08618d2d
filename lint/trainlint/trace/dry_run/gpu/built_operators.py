# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CUDA extensions that are published and not built here: their operators allocate as their source does."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

MODULES: Final = ("smm_cuda",)
"""Those that a program cannot do without: of one that it may lack, nobody knows whether it is built there."""
IN_CHECKOUT: Final = ("upfirdn2d_ext", "fused_act_ext", "deform_conv_ext")
"""BasicSR's, which its setup.py and those of its kin build into the folder that imports them. On a GPU there
is no other way: their files go on after a failed import, and stop at the first call."""
INSTALLED: Final = ("site-packages", "dist-packages")
"""What lies there is as it will be: an extension that was not built with it is none."""
PUBLISHED: Final = "trainlint_zoo.blocks.extensions"


def published(name: str) -> Callable[..., Any]:
    """Return what allocates as an operator does, by its name in its module."""
    function: Callable[..., Any] = importlib.import_module(PUBLISHED).OPERATORS[name]
    return function


class BuiltOperators(MetaPathFinder, Loader):
    """Finds such a module where nobody else has it."""

    def __init__(self, note: Callable[[Any], None]) -> None:
        self.note = note

    def watch(self) -> None:
        """Be asked last."""
        sys.meta_path.append(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what loads a module of MODULES, or one of IN_CHECKOUT in a checkout."""
        of_checkout = name.rpartition(".")[2] in IN_CHECKOUT and path is not None
        if of_checkout and not any(map(_is_installed, path or ())):
            return ModuleSpec(name, self)
        return ModuleSpec(name, self) if name in MODULES else None

    def exec_module(self, module: ModuleType) -> None:
        """Fill it with operators that say so when they are called."""
        name = module.__name__.rpartition(".")[2]
        for operator, function in importlib.import_module(PUBLISHED).OPERATORS.items():
            if operator.startswith(f"{name}."):
                setattr(module, operator.rpartition(".")[2], self._noted(name, function))

    def _noted(self, module: str, function: Callable[..., Any]) -> Callable[..., Any]:
        why = (
            f"{module} is not built here: its operators allocate as published, "
            "and what they compute takes no time"
        )
        if module in IN_CHECKOUT:
            why += "; where it is not built either, the program stops"

        @wraps(function)
        def operator(*arguments: Any) -> Any:
            self.note(why)
            return function(*arguments)

        return operator


def _is_installed(folder: str) -> bool:
    return any(part in INSTALLED for part in folder.replace("\\", "/").split("/"))
