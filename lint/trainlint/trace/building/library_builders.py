# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks from well-kept libraries: spandrel and its extra architectures, where they are installed.

A library's class is used only where it trains like the framework's own: same arguments, same tensors kept.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any, Final

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from trainlint.catalogue.zoo import library_networks, withdrawn
from trainlint.catalogue.zoo.library_entry import Entry
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.refusal import constructed
from trainlint.trace.building.torch_imports import library

_LINSPACE: Final = torch.linspace
"""The function itself: while a step is traced, another one has its name (factories.py)."""

PIP_NAMES = {"spandrel": "'trainlint[networks]'", "spandrel_extra_arches": "spandrel-extra-arches"}
"""What pip calls a library; some extra architectures forbid commercial use, so no extra has them."""


def build_from_library(dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module:
    """Build a library's network; CannotTraceError where it is not installed or does not know an argument."""
    entry = library_networks.entry(dialect, arch)
    if entry is None:
        raise CannotTraceError(library_networks.unknown(dialect, arch))
    package = entry.module.partition(".")[0]
    gone = withdrawn.find(dialect, arch)
    missing = gone.reason() if gone else f'network "{arch}" needs {package}: pip install {PIP_NAMES[package]}'
    module = library(entry.module, missing)
    builder = getattr(module, entry.name, None)
    if builder is None:
        raise CannotTraceError(f'this {package} has no "{entry.name}"')
    given = _arguments(arch, entry, args, inspect.signature(builder).parameters)
    with _RealRates():
        network: nn.Module = constructed(arch, builder, **{**entry.defaults, **given})
    return network


def _arguments(arch: str, entry: Entry, args: Mapping[str, Any], accepted: Collection[str]) -> dict[str, Any]:
    """Return what the library's class is given, by its own names."""
    for name in entry.required:
        if name not in args and entry.renamed.get(name, name) not in args:
            raise BadArgumentsError(f'{arch} needs the argument "{name}"')
    for name, value in entry.only.items():
        if args.get(name, value) != value:
            raise CannotTraceError(f"{arch} is modeled with {name}={value!r} only, not {args[name]!r}")
    dropped = {*entry.ignored, *entry.only}
    given = {entry.renamed.get(key, key): value for key, value in args.items() if key not in dropped}
    strange = [key for key in given if key not in accepted]
    if strange and not entry.open:
        raise CannotTraceError(
            f'argument "{strange[0]}" of {arch} is unknown to the library it is built from'
        )
    return {
        key: entry.spelled.get(value, value) if isinstance(value, str) else value
        for key, value in given.items()
        if key in accepted
    }


class _RealRates(TorchFunctionMode):
    """Makes torch.linspace on the CPU: constructors read drop-path rates off it with `.item()`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = dict(kwargs or {})
        return func(*args, **{**given, "device": "cpu"} if func is _LINSPACE else given)
