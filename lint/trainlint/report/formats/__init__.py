# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The output formats: a module here is one, called as `--format` takes it, and holds its FORMAT.

A module is imported when its format is asked for. Installed extensions bring further ones in a subpackage
`formats`, under names that are not ours.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.errors import UsageError
from trainlint.shipped.extensions import extensions

if TYPE_CHECKING:
    from trainlint.report.format import Format


def names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(sorted(_packages()))


def format_named(name: str) -> Format:
    """Import a format. Raises UsageError, with file and line, where its module has none or is no Python.

    So it does where an extension has a format of a name that is ours, or another extension's.
    """
    from trainlint.report.format import Format  # noqa: PLC0415  # imports all that judges

    _check_single(name)
    module = _imported(name)
    named_format = getattr(module, "FORMAT", None)
    if isinstance(named_format, Format):
        return replace(named_format, file=module.__file__ or "")
    if named_format is None:
        raise UsageError(
            f"{module.__file__}:1: there is no FORMAT in it, expected trainlint.report.format's Format"
        )
    from inspect import getsource  # noqa: PLC0415 - for a format that is none

    lines = getsource(module).splitlines()
    line = next((number for number, text in enumerate(lines, 1) if text.startswith("FORMAT")), 1)
    raise UsageError(
        f"{module.__file__}:{line}: FORMAT is a {type(named_format).__name__}, "
        "expected trainlint.report.format's Format"
    )


def _check_single(name: str) -> None:
    package = _packages()[name]
    for extension in extensions():
        if f"{extension.name}.formats" != package and name in _modules(extension.folder):
            file = extension.folder / "formats" / f"{name}.py"
            owner = package.partition(".")[0]
            raise UsageError(f'{file}:1: "{name}" is a format of {owner} already: rename the file')


def _imported(name: str) -> ModuleType:
    """Import a format's module. Raises UsageError, with file and line, where its own code stops that."""
    from trainlint.report.format import line_in  # noqa: PLC0415  # imports all that judges

    whole = f"{_packages()[name]}.{name}"
    try:
        return import_module(whole)
    except SyntaxError as error:
        raise UsageError(f"{error.filename}:{error.lineno}: not valid Python: {error.msg}") from error
    except (Exception, SystemExit) as error:
        spec = find_spec(whole)
        file = spec.origin if spec is not None else None
        line = line_in(file, error)
        if line is None:
            raise
        raise UsageError(f"{file}:{line}: {type(error).__name__}: {error}") from error


@cache
def _packages() -> Mapping[str, str]:
    """Return each format's package by the format's name."""
    brought = {
        name: f"{extension.name}.formats" for extension in extensions() for name in _modules(extension.folder)
    }
    own = (file.removesuffix(".py") for file in os.listdir(__path__[0]) if file.endswith(".py"))  # noqa: PTH208
    return {**brought, **{name: __name__ for name in own if name != "__init__"}}


def _modules(folder: Path) -> Iterator[str]:
    from pkgutil import iter_modules  # noqa: PLC0415 - where an extension is installed

    yield from (module.name for module in iter_modules([str(folder / "formats")]))
