# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Importing torch and the libraries around it, which may be missing or broken; nothing is imported before."""

from __future__ import annotations

import importlib
import warnings
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from trainlint.errors import CannotTraceError
from trainlint.trace.building import eager

LONGEST_REASON: Final = 300
"""Characters of an import's own words that a reason repeats: NumPy's fill a page."""


def library(module: str, missing: str) -> ModuleType:
    """Import a module of another package.

    CannotTraceError: `missing` where the package is not installed, the import's own words where it is broken
    (a shared library that is not there, builds of torch and torchvision that do not match).
    """
    package = module.partition(".")[0]
    if find_spec(package) is None:
        raise CannotTraceError(missing)
    eager.remove()
    imported = _imported(module)
    if isinstance(imported, str):
        raise CannotTraceError(f'"{module}" is installed and cannot be imported: {imported}')
    return imported


@cache
def _imported(module: str) -> ModuleType | str:
    """Return the module, or why there is none: a second attempt would complain of what the first one left."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        words = " ".join(str(error).split())
        return f"{type(error).__name__}: {words[:LONGEST_REASON]}{'…' if len(words) > LONGEST_REASON else ''}"
