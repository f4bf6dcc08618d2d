# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A package, or a name in one, that this environment lacks: the machine with the GPU may have it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from trainlint.trace.dry_run.other_signature import refused_call

PROJECT_SIGNS: Final = ((".git",), ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"))
"""What the topmost folder of a project has, the surest first."""
FOLDERS_UPWARDS: Final = 6
"""Folders from the program upwards in which such a one is looked for."""
SOURCES: Final = ("", "src")
"""Where in a project its packages lie."""
NO_NAME: Final = re.compile(r"[Mm]odule '([\w.]+)' has no attribute")
"""What Python says of a name that a module lacks, and SciPy too."""
WORDS_OF_LACK: Final = ("pip install", "not installed", "not found in your environment")
"""What is said of a package that is not there in an error of one's own, a library's or the program's."""


def lacking_package(error: BaseException) -> dict[str, Any] | None:
    """Return what an error says of a package of the environment; None where it is the program's own affair.

    `name` is the module ("" where a library asks for a package in words of its own), `has` the version of its
    package where that is installed, `below` the folder of this project that holds it off Python's path,
    `refuses` whether it refuses a call.
    """
    name = _wanted(error)
    if name is None and (module := refused_call(error, _is_own)) is not None:
        place = _origin(module.partition(".")[0])
        outside = place is not None and not _is_own(str(place))
        has = _version(module.partition(".")[0])
        return {"name": module, "has": has, "below": None, "refuses": True} if outside else None
    if name is None:
        asks = isinstance(error, (ImportError, RuntimeError)) and any(
            words in str(error) for words in WORDS_OF_LACK
        )
        return {"name": "", "has": None, "below": None} if asks else None
    top = name.partition(".")[0]
    projects = list(dict.fromkeys(_projects()))
    place = _origin(top)
    if place is not None and _is_own(str(place)):
        return None
    below = None if place is not None else _below(top, projects)
    return {"name": name, "has": None if place is None else _version(top), "below": below}


def _wanted(error: BaseException) -> str | None:
    """Return the module that cannot be imported, or lacks a name; None where it is not about one."""
    if isinstance(error, AttributeError):
        match = NO_NAME.match(str(error))
        return match[1] if match is not None and match[1] in sys.modules else None
    if isinstance(error, ImportError) and not error.name and error.__cause__ is not None:
        return _wanted(error.__cause__)  # transformers' "Could not import module 'set_seed'" names none
    if isinstance(error, ImportError):
        return error.name or None
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if isinstance(cause, ImportError) and cause.name:
        named = error.__cause__ is cause or cause.name.partition(".")[0] in str(error)
        return cause.name if named else None
    return None


def _origin(top: str) -> Path | None:
    """Return where a package or module lies; None where there is none."""
    try:
        spec = find_spec(top)
    except (ImportError, ValueError, AttributeError):
        module = sys.modules.get(top)
        file = getattr(module, "__file__", None)
        return Path(file).resolve() if isinstance(file, str) else None
    if spec is None:
        return None
    places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    return Path(places[0]).resolve() if places and places[0] else Path(top)


def _is_own(file: str) -> bool:
    """Return whether a file is of the program's project."""
    place = Path(file).resolve()
    return any(map(place.is_relative_to, _projects())) and not _is_installed(place)


def _is_installed(place: Path) -> bool:
    return any(part.endswith("-packages") for part in place.parts)


def _projects() -> Iterator[Path]:
    """Yield the folders of the program: where it runs, where it lies, and the project around each."""
    script = Path(sys.argv[0]) if sys.argv and sys.argv[0] else Path()
    starts = [Path.cwd(), *([script.resolve().parent] if script.is_file() else [])]
    for start in starts:
        if not _is_installed(start):
            yield start
            yield from _around(start)


def _around(start: Path) -> list[Path]:
    """Return the nearest folder from one upwards that is a project's."""
    folders = [start, *list(start.parents)[:FOLDERS_UPWARDS]]
    for signs in PROJECT_SIGNS:
        for folder in folders:
            if any((folder / sign).exists() for sign in signs):
                return [folder]
    return []


def _below(top: str, projects: Sequence[Path]) -> str | None:
    """Return the folder of a project in which a package or module lies, off Python's path."""
    for project in projects:
        for source in SOURCES:
            place = project / source / top
            if (place / "__init__.py").is_file() or place.with_suffix(".py").is_file():
                return os.path.relpath(project / source)
    return None


def _version(top: str) -> str:
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        return str(getattr(sys.modules.get(top), "__version__", "") or "")
