# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks of the user's own environment: basicsr's, traiNNer's or neosr's registry, or `module:Class`.

Imported only in the interpreter that the user named with --python; nothing here runs while linting otherwise.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import torch
from torch import nn

from trainlint.errors import ARCH, BadArgumentsError, CannotTraceError, most_alike
from trainlint.trace.building.refusal import constructed

REGISTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    "basicsr": ("basicsr.archs",),
    "basicsr-legacy": ("basicsr.archs",),
    "trainner-redux": ("traiNNer.archs",),
    "neosr": ("neosr.archs",),
}
"""Dialect -> modules whose build_network(options) builds any registered network."""


def build_from_environment(dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module | None:
    """Build a network with the user's own code; None where this environment does not know it."""
    builder = _named(arch) if ":" in arch else _registered(dialect, arch)
    if builder is None:
        return None
    network = constructed(arch, builder, **args)
    if not isinstance(network, nn.Module):
        raise CannotTraceError(f'"{arch}" returned {type(network).__name__}, expected a torch.nn.Module')
    return network


def _imported(module: str) -> ModuleType:
    """Import a module of the user's; what it computes meanwhile has values, as anywhere else."""
    with torch.device("cpu"):
        return importlib.import_module(module)


def _named(arch: str) -> Callable[..., Any]:
    module, _, name = arch.partition(":")
    try:
        imported = _imported(module)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        hint = "; --networks FOLDER names the folder in which it lies" if missing else ""
        raise CannotTraceError(
            f'"{arch}" cannot be imported: {type(error).__name__}: {error}{hint}'
        ) from error
    if not hasattr(imported, name):
        classes = [key for key, item in vars(imported).items() if isinstance(item, type)]
        near = most_alike(name, classes)
        hint = f'; did you mean "{module}:{near}"?' if near else ""
        raise BadArgumentsError(f'module "{module}" has no "{name}"{hint}', ARCH)
    return getattr(imported, name)  # type: ignore[no-any-return]  # what it holds is only known when it is called


def _registered(dialect: str, arch: str) -> Callable[..., Any] | None:
    for module in REGISTRIES.get(dialect, ()):
        try:
            build_network = _imported(module).build_network
        except ImportError as error:
            raise CannotTraceError(f'"{module}" cannot be imported: {error}') from error
        return lambda **args: build_network({"type": arch, **args})
    return None
