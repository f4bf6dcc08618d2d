# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The output formats: a module here is one, called as `--format` takes it, and holds its FORMAT.

A module is imported when its format is asked for.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.report.format import Format


def names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def format_called(name: str) -> Format:
    """Import a format."""
    found: Format = import_module(f"{__name__}.{name}").FORMAT
    return found
