# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What no recipe may do to a trace in this process: end it, print into a report, raise without a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from traceback import walk_tb
from typing import Final, TextIO

from trainlint.catalogue.zoo.builders import constants
from trainlint.catalogue.zoo.packages import listed, own, packages
from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError
from trainlint.expressions.patterns import later

LINE_PLACE: Final = later(r"\.py:\d+")
"""What a reason has that names a line."""


def aside() -> redirect_stdout[TextIO]:
    """Send what networks, recipes and their libraries print to stderr: a report is on stdout."""
    return redirect_stdout(sys.stderr)


@contextmanager
def staying() -> Iterator[None]:
    """Turn a `sys.exit` of what runs inside, and what files that others wrote raise, into CannotTraceError.

    It has the file and the line, as has what a constructor or an optimizer of theirs refuses. What
    trainlint's own files raise stays an internal error. What is printed inside goes to stderr.
    """
    try:
        with aside():
            yield
    except SystemExit as error:
        frame, line = list(walk_tb(error.__traceback__))[-1]
        file, row = _brought(error) or (Path(frame.f_code.co_filename), line)
        raise CannotTraceError(
            f"{file}:{row} ends the process (SystemExit: {error.code}), "
            "which a network or a recipe may not do"
        ) from error
    except CannotTraceError as error:
        _add_place(error)
        raise
    except Exception as error:
        place = None if isinstance(error, TrainlintError) else _brought(error)
        if place is None:
            raise
        file, line = place
        raise CannotTraceError(f"{file}:{line} cannot be run: {type(error).__name__}: {error}") from error


def _add_place(error: CannotTraceError) -> None:
    """Add to a reason that has no line the one of what somebody brought: it raised what is refused.

    What a network refuses of its config is placed in the network's file alone: a recipe only passes it on.
    """
    cause = error.__cause__
    if cause is None or isinstance(cause, TrainlintError):
        return
    place = _brought(cause) or _brought(error)
    if place is None or LINE_PLACE.search(error.reason):
        return
    file, line = place
    of_network = isinstance(error, BadArgumentsError) and not error.about.startswith("optimizers")
    if not of_network or "BUILDERS" in constants(file):
        error.reason = f"{error.reason} ({file}:{line})"
        error.args = (error.reason, *error.args[1:])


def _brought(error: BaseException) -> tuple[Path, int] | None:
    """Return the innermost line, with its file, that an extension or the user brought; None without one."""
    from trainlint.trace.building.slip_place import folders  # noqa: PLC0415 - not for what is stored

    files = {file.resolve(): file for file in listed(folders.get())}
    others = [package.folder.resolve() for package in packages() if package != own()]
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename).resolve()
        if file in files or any(file.is_relative_to(folder) for folder in others):
            return files.get(file, file), line
    return None
