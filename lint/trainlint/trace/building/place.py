# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a slip in a file of networks or recipes is: those of the user, of installed packages, of the zoo."""

from __future__ import annotations

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
    if not isinstance(error, SLIPS):
        return ""
    named = {file.resolve(): file for file in listed(folders.get())}
    for frame in reversed(extract_tb(error.__traceback__)):
        file = Path(frame.filename).resolve()
        if file in named or module_of(file) is not None:
            return f" ({named.get(file, file)}:{frame.lineno})"
    return ""
