"""Networks from well-kept libraries: spandrel and its extra architectures, where they are installed.

A library's class is used only where it trains like the framework's own: same arguments, same tensors kept.
"""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from trainlint.errors import BadArgumentsError, CannotTraceError

EXTRA = "trainlint[networks]"


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a library keeps a network, and what the framework's defaults are where they differ from its."""

    module: str
    name: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()  # arguments of the framework that do not change what is trained


def _spandrel(name: str, **rest: Any) -> Entry:
    return Entry(f"spandrel.architectures.{name}", rest.pop("cls", name), **rest)


def _extra(name: str, **rest: Any) -> Entry:
    return Entry(f"spandrel_extra_arches.architectures.{name}", name, **rest)


LIBRARY: Mapping[str, Entry] = {
    "HAT": _spandrel("HAT"),
    "DAT": _spandrel("DAT"),
    "DRCT": _spandrel("DRCT"),
    "RGT": _spandrel("RGT"),
    "SPAN": _spandrel("SPAN"),
    "SAFMN": _spandrel("SAFMN"),
    "OmniSR": _spandrel("OmniSR"),
    "PLKSR": _spandrel("PLKSR", cls="PLKSR"),
    "RealPLKSR": _spandrel("PLKSR", cls="RealPLKSR"),
    "CRAFT": _spandrel("CRAFT"),
    "SCUNet": _spandrel("SCUNet"),
    "Restormer": _extra("Restormer"),
}
"""Architecture's name in a config -> the library's class; names as in the frameworks' own registries."""


def known(dialect: str, arch: str) -> Entry | None:
    """Return the library's entry for a dialect's name; its own name in that dialect wins."""
    return LIBRARY.get(f"{dialect}:{arch}") or LIBRARY.get(arch)


def build_from_library(dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module:
    """Build a library's network; CannotTraceError where it is not installed or does not know an argument."""
    entry = known(dialect, arch)
    if entry is None:
        raise CannotTraceError(f'unknown network "{arch}"')
    if find_spec(entry.module.partition(".")[0]) is None:
        raise CannotTraceError(f'network "{arch}" needs spandrel: pip install "{EXTRA}"')
    builder = _builder(entry)
    given = {entry.renamed.get(key, key): value for key, value in args.items() if key not in entry.ignored}
    accepted = inspect.signature(builder).parameters
    strange = [key for key in given if key not in accepted]
    if strange:
        raise CannotTraceError(
            f'argument "{strange[0]}" of {arch} is unknown to the library it is built from'
        )
    try:
        with _RealRates():
            network: nn.Module = builder(**{**entry.defaults, **given})
    except (TypeError, ValueError, RuntimeError, AssertionError, ArithmeticError, LookupError) as error:
        raise BadArgumentsError(f"{arch} cannot be built: {error}") from error
    return network


class _RealRates(TorchFunctionMode):
    """Makes torch.linspace on the CPU: constructors read drop-path rates off it with `.item()`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = dict(kwargs or {})
        return func(*args, **{**given, "device": "cpu"} if func is torch.linspace else given)


def _builder(entry: Entry) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(importlib.import_module(entry.module), entry.name)
    except (ImportError, AttributeError, RuntimeError) as error:
        raise CannotTraceError(f'"{entry.module}" cannot be imported: {error}') from error
