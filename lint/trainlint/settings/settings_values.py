# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a setting's value may be: each of these converts one, relative to its file's folder.

They raise TypeError, ValueError or OverflowError for what it may not be.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainlint.files.glob_patterns import is_glob
from trainlint.model.launcher import Launcher, parse_launcher
from trainlint.settings.settings import MOST_COUNTED, FileIgnore

LONGEST_PATH, LONGEST_NAME = 4000, 255
"""Characters of a path and of a name in it: Linux takes 4095 and 255 bytes, the folder's own among them."""


def levels(_: Path, value: Any) -> dict[str, str]:
    """Read a table of rules and what their findings are."""
    if not isinstance(value, Mapping) or set(value.values()) - {"warn", "fail"}:
        raise TypeError
    return dict(value)


def ignores(folder: Path, value: Any) -> tuple[FileIgnore, ...]:
    """Read a table of "GLOB" or "GLOB#/json/pointer" and rules."""
    if not isinstance(value, Mapping):
        raise TypeError
    entries = []
    for place, rules in value.items():
        glob, sign, pointer = place.partition("#")
        if not is_glob(glob) or (sign and not pointer.startswith("/")):
            raise ValueError
        entries.append(FileIgnore(glob, names(folder, rules), pointer.rstrip("/") if sign else None))
    return tuple(entries)


def launcher(_: Path, value: Any) -> Launcher:
    """Read a launcher."""
    return parse_launcher(str(value), "setting")


def text(_: Path, value: Any) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def names(_: Path, value: Any) -> tuple[str, ...]:
    """Read a name or a list of names."""
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise TypeError
    return tuple(items)


def globs(folder: Path, value: Any) -> tuple[str, ...]:
    """Read a glob or a list of globs."""
    patterns = names(folder, value)
    if not all(map(is_glob, patterns)):
        raise ValueError
    return patterns


def path(folder: Path, value: Any) -> Path:
    """Return a path that a file system can have; ValueError for any other, or for an unknown user's home."""
    if (
        "\0" in value
        or len(value) > LONGEST_PATH
        or any(len(part) > LONGEST_NAME for part in Path(value).parts)
    ):
        raise ValueError
    try:
        return folder / Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError from error


def paths(folder: Path, value: Any) -> tuple[Path, ...]:
    """Read a path or a list of paths."""
    return tuple(path(folder, item) for item in names(folder, value))


def named_folders(folder: Path, value: Any) -> tuple[Path, ...]:
    """Return folders that are named one by one: not the whole disk, nor all that is the user's."""
    folders = paths(folder, value)
    broad = (Path(folder.anchor), *Path.home().parents, Path.home())
    if any(not place.is_absolute() or place.resolve() in broad for place in folders):
        raise ValueError
    return folders


def positive(_: Path, value: Any) -> float:
    """Read a number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST_COUNTED:
        raise ValueError
    return float(value)


def count(folder: Path, value: Any) -> int:
    """Read a whole number above 0."""
    number = positive(folder, value)
    if not isinstance(value, int):
        raise TypeError
    return int(number)


def flag(_: Path, value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise TypeError
    return value


def level(_: Path, value: Any) -> str:
    """Read "warn" or "fail"."""
    if value not in ("warn", "fail"):
        raise ValueError
    return str(value)


def sessions(_: Path, value: Any) -> str:
    """Read "one" or "many"."""
    if value not in ("one", "many"):
        raise ValueError
    return str(value)


def size(folder: Path, value: Any) -> tuple[int, int]:
    """Read [height, width]."""
    height, width = value
    return count(folder, height), count(folder, width)


def context(folder: Path, value: Any) -> dict[str, float]:
    """Read a table of GPUs and MiB."""
    return {str(name): positive(folder, mib) for name, mib in dict(value).items()}
