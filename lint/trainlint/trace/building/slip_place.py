# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a slip in a file of networks or recipes is: those of the user, of installed packages, of the zoo."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from traceback import extract_tb, walk_tb
from typing import Final

from trainlint.catalogue.zoo.builders import constants
from trainlint.catalogue.zoo.packages import RECIPES, listed, module_of, own

SLIP_ERRORS: Final = (NameError, AttributeError, TypeError, LookupError, ImportError, NotImplementedError)
"""Errors that are most often a slip in the file; a tensor that does not fit names its module."""

folders: ContextVar[tuple[Path, ...]] = ContextVar("folders", default=())
"""The files and folders of networks and recipes that the user named."""


def place_of(error: BaseException) -> str:
    """Return " (FILE:LINE)" of the innermost line of such a file on the way to a slip; "" without one."""
    lines = list(_lines(error)) if isinstance(error, SLIP_ERRORS) else []
    return f" ({lines[-1][1]})" if lines else ""


def place_in_step(error: BaseException, forward: tuple[str, int] | None, given: str) -> str:
    """Return " (FILE:LINE)" of an error while a step runs; "" without one.

    That of `place_of`; for what does not fit a tensor, the line of a network that is not trainlint's own, and
    the recipe's line that led to it. `forward`: the file and line where the forward of the module that failed
    begins, named where it was called but never entered. `given`: what that module was given, in words.
    """
    if not isinstance(error, SLIP_ERRORS):
        said = "; ".join(part for part in (given, _misfit(list(_lines(error)))) if part)
        return f" ({said})" if said else ""
    place = place_of(error)
    if forward is None or not isinstance(error, TypeError) or _entered(error, forward):
        return place
    file = _name(Path(forward[0]).resolve())
    return f"{place[:-1]}; its forward is at {file}:{forward[1]})" if place and file else place


def _misfit(lines: list[tuple[Path, str]]) -> str:
    """Return where a tensor does not fit: in a network and in a recipe that somebody brought.

    A shipped recipe fits what it calls: it is no place to look.
    """
    brought = [(path, line) for path, line in lines if not _shipped(path)]
    recipe = [line for path, line in brought if _plays(path)][-1:]
    network = [line for path, line in brought if not _plays(path)][-1:]
    return ", called at ".join([*network, *recipe])


def _shipped(file: Path) -> bool:
    return file.is_relative_to(own().folder.resolve())


def _plays(file: Path) -> bool:
    """Say whether recipes are in a file of networks and recipes."""
    return RECIPES in file.parts or "RECIPES" in constants(file)


def _entered(error: BaseException, forward: tuple[str, int]) -> bool:
    codes = (frame.f_code for frame, _ in walk_tb(error.__traceback__))
    return any((code.co_filename, code.co_firstlineno) == forward for code in codes)


def line_in(file: Path, error: BaseException) -> str:
    """Return FILE:LINE of the innermost line of `file` on the way to an error, else of another such file."""
    lines = list(_lines(error))
    own = [line for path, line in lines if path == file.resolve()]
    return [str(file), *(line for _, line in lines), *own][-1]


def _lines(error: BaseException) -> Iterator[tuple[Path, str]]:
    """Yield the lines of files of networks and recipes on the way to an error, the outermost first."""
    for frame in extract_tb(error.__traceback__):
        file = Path(frame.filename).resolve()
        if (name := _name(file)) is not None:
            yield file, f"{name}:{frame.lineno}"


def _name(file: Path) -> Path | None:
    """Return a file of networks and recipes as the user named it, if so; None for any other file."""
    named = {path.resolve(): path for path in listed(folders.get())}
    return named.get(file, file if module_of(file) is not None else None)
