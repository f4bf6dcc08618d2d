# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What no recipe may do to a trace in this process: end the process, raise anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from trainlint.errors import CannotTraceError, TrainlintError
from trainlint.zoo.packages import listed, own, packages


@contextmanager
def staying() -> Iterator[None]:
    """Turn a `sys.exit` of what runs inside, and what files that others wrote raise, into CannotTraceError.

    It has the file and the line. What trainlint's own files raise stays an internal error.
    """
    try:
        yield
    except SystemExit as error:
        frame, line = list(walk_tb(error.__traceback__))[-1]
        raise CannotTraceError(
            f"{frame.f_code.co_filename}:{line} ends the process (SystemExit: {error.code}), "
            "which a network or a recipe may not do"
        ) from error
    except Exception as error:
        place = None if isinstance(error, TrainlintError) else _brought(error)
        if place is None:
            raise
        raise CannotTraceError(f"{place} cannot be run: {type(error).__name__}: {error}") from error


def _brought(error: Exception) -> str | None:
    """Return FILE:LINE of the innermost line that an extension or the user brought; None without one."""
    from trainlint.trace.building.place import folders  # noqa: PLC0415 - not for what is stored

    files = {file.resolve() for file in listed(folders.get())}
    others = [package.folder.resolve() for package in packages() if package != own()]
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename).resolve()
        if file in files or any(file.is_relative_to(folder) for folder in others):
            return f"{file}:{line}"
    return None
