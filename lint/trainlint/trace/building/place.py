# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a slip in a file of networks or recipes is: those of the user, of installed packages, of the zoo."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from traceback import extract_tb
from typing import Final

from trainlint.zoo.packages import listed, module_of

SLIPS: Final = (NameError, AttributeError, TypeError, LookupError, ImportError, NotImplementedError)
"""Errors that are most often one of who wrote the file; what does not fit a tensor names its module."""

folders: ContextVar[tuple[Path, ...]] = ContextVar("folders", default=())
"""The files and folders of networks and recipes that the user named."""


def place_of(error: BaseException) -> str:
    """Return " (FILE:LINE)" of the innermost line of such a file on the way to a slip; "" without one."""
    found = list(_lines(error)) if isinstance(error, SLIPS) else []
    return f" ({found[-1][1]})" if found else ""


def line_in(file: Path, error: BaseException) -> str:
    """Return FILE:LINE of the innermost line of `file` on the way to an error, else of another such file."""
    found = list(_lines(error))
    own = [line for path, line in found if path == file.resolve()]
    return [str(file), *(line for _, line in found), *own][-1]


def _lines(error: BaseException) -> Iterator[tuple[Path, str]]:
    """Yield the lines of files of networks and recipes on the way to an error, the outermost first."""
    named = {file.resolve(): file for file in listed(folders.get())}
    for frame in extract_tb(error.__traceback__):
        file = Path(frame.filename).resolve()
        if file in named or module_of(file) is not None:
            yield file, f"{named.get(file, file)}:{frame.lineno}"
