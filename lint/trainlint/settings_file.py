# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where settings come from: the project's file over the user's, checked key by key.

A project writes `[tool.trainlint]` in pyproject.toml or a trainlint.toml, found upwards from what is linted;
a user settings.toml in the platform's config folder. Permission to run code is the user's alone: a project
file that asks for it is refused, because whoever lints a tree must not thereby run it. What a project names
lies in the project: it chooses among what whoever lints it sees there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from trainlint.errors import UnreadableError, UsageError
from trainlint.estimate.launcher import LAUNCHERS, Launcher, parse_launcher
from trainlint.read.limits import FOREIGN_BYTES, FOREIGN_FILES
from trainlint.read.source import regular_bytes, source_of
from trainlint.read.toml import parse_toml, toml_values
from trainlint.settings import MOST, FileIgnore, FileSettings, Settings

FOLDERS = {
    "rules": "*.yaml",
    "schemas": "*.json",
    "gpus": "*.toml",
    "profiles": None,
    "repo": None,
    "baseline": None,
}
"""Keys that name files or folders, and the files of a folder that are read when it is named."""

SHOWN = 60
"""Characters of a wrong value that a message repeats."""

FILE_KEYS = (
    "target",
    "launcher",
    "gpu-count",
    "reading",
    "dataset-size",
    "validation-size",
    "seconds-per-iteration",
)
"""Keys that may be set for some files only."""

CODE_KEYS = ("python", "networks", "trusted")
"""Keys that make trainlint run code: taken from the user's own file or a flag, never from a linted tree."""

READ = ("rules", "schemas", "gpus")
"""Keys whose files are read, so that a wrong path is noticed before a name in them is missed."""

TABLES = ("gpu", "target")
"""Tables of gpus.toml that are looked for in settings: `target = "NAME"` is one."""

TARGETS = 8
"""Targets that a project's settings may name, since each is judged on its own. A command line or the user's
own file may name any number."""

PATTERNS, PATTERN_CHARACTERS = 1_000, 20_000
"""Globs of files that a project's settings may hold, and their characters: one of 4,096 takes 30 ms to
compile, and each is held against every file."""

LONGEST_PATH, LONGEST_NAME = 4000, 255
"""Characters of a path and of a name in it: Linux takes 4095 and 255 bytes, the folder's own among them."""

NO_KEYS = ("root", "trainer_basis", "measured", "measured_on")
"""Fields of the settings that no file sets."""


def load_settings(start: Path, user_file: Path | None = None) -> Settings:
    """Read the settings that hold for `start`: the project's over the user's. Raises UsageError."""
    user = user_file if user_file is not None else user_settings_file()
    merged = _read(user, _table(user, ()), may_run_code=True) if _is_file(user) else {}
    _check_there(user, merged)
    project = find_project_file(start)
    if project is not None:
        table = _table(project, ("tool", "trainlint") if project.name == "pyproject.toml" else ())
        own = _read(project, table, may_run_code=False)
        merged |= own | {"root": project.parent}
        _check_few(project, table, merged)
        for key, pattern in FOLDERS.items():
            _check_inside(project, key, merged.get(key) if key in table else None, pattern)
        _check_there(project, own)
    return Settings(**merged)


def _check_there(file: Path, values: Mapping[str, Any]) -> None:
    """Raise UsageError where a file or folder that will be read is not there."""
    for key in READ:
        for place in values.get(key, ()):
            if not os.path.exists(place):  # noqa: PTH110  # Path.exists raises where it may not look
                where, expected = _located(file, key), KINDS[key][1]
                raise UsageError(f'setting "{key}" in {where}: there is no "{place}", expected {expected}')


def user_settings_file() -> Path:
    """Return where the user's own settings live (the file need not exist)."""
    from platformdirs import user_config_path  # noqa: PLC0415  # costs a few ms that --version does not need

    return user_config_path("trainlint", appauthor=False) / "settings.toml"


def find_project_file(start: Path) -> Path | None:
    """Return the nearest trainlint.toml, or pyproject.toml with a [tool.trainlint], at or above `start`."""
    folder = start.resolve()
    for parent in (folder, *folder.parents) if os.path.isdir(folder) else folder.parents:  # noqa: PTH112
        own, shared = parent / "trainlint.toml", parent / "pyproject.toml"
        if _is_file(own):
            return own
        if _is_file(shared) and _table(shared, ("tool", "trainlint")):
            return shared
    return None


def _is_file(path: Path) -> bool:
    """Return whether there is a file; not in a folder that may not be searched, where Path.is_file raises."""
    return os.path.isfile(path)  # noqa: PTH113


def _table(path: Path, keys: tuple[str, ...]) -> Mapping[str, Any]:
    try:
        table: Any = toml_values(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except UnreadableError as error:
        line = f" (line {error.line})" if error.line else ""
        raise UsageError(f"cannot read the settings in {path}: {error}{line}") from None
    for key in keys:
        table = table.get(key, {}) if isinstance(table, Mapping) else {}
    return table if isinstance(table, Mapping) else {}


def _read(path: Path, table: Mapping[str, Any], *, may_run_code: bool) -> dict[str, Any]:
    """Check and convert one file's table; folders are relative to the file."""
    return _converted(path, table, tuple(KINDS), may_run_code=may_run_code)


def _converted(
    path: Path, table: Mapping[str, Any], known: Sequence[str], *, may_run_code: bool
) -> dict[str, Any]:
    values = {}
    for key, value in table.items():
        if key in TABLES and isinstance(value, Mapping):
            raise UsageError(
                f"[{key}.{next(iter(value), 'NAME')}] in {_located(path, key)} is no setting: such tables go "
                f'into a file of their own, which the setting gpus = "FILE" names'
            )
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else f"; known are {', '.join(known)}"
            raise UsageError(f'unknown setting "{key}" in {_located(path, key)}{hint}')
        if key in CODE_KEYS and not may_run_code:
            raise UsageError(
                f'setting "{key}" in {_located(path, key)} would run code of the linted tree; '
                f"set it in {user_settings_file()} or on the command line"
            )
        convert, expected = KINDS[key]
        try:
            values[key.replace("-", "_")] = convert(path.parent, value)
        except (TypeError, ValueError, OverflowError):
            where = _located(path, key)
            raise UsageError(f'setting "{key}" in {where} is {_shown(value)}, expected {expected}') from None
    return values


def _located(path: Path, key: str) -> str:
    """Return "file:line" of a setting, and the file alone where that cannot be read again."""
    try:
        (document,) = parse_toml(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except (OSError, UnreadableError):
        return str(path)
    tool = ("tool", "trainlint") if path.name == "pyproject.toml" else ()
    return document.located((*tool, key))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _check_few(file: Path, table: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise UsageError where a project's settings name more targets or globs than are worked through."""
    if "target" in table and len(values["target"]) > TARGETS:
        raise UsageError(
            f'setting "target" in {file} names {len(values["target"]):,} targets, and a project may name '
            f"{TARGETS}: name the others with --target, or in {user_settings_file()}"
        )
    globs = [*(values["exclude"] if "exclude" in table else ())]
    globs += [glob for item in (values["files"] if "files" in table else ()) for glob in item.match]
    globs += [item.match for item in (values["per_file_ignores"] if "per-file-ignores" in table else ())]
    named = {name for item in values.get("files", ()) for name in item.options.get("target", ())}
    if "files" in table and len(named) > TARGETS:
        raise UsageError(
            f"[[files]] in {file} names {len(named):,} targets, and a project may name {TARGETS}: "
            f"name the others in {user_settings_file()}"
        )
    if len(globs) > PATTERNS or sum(map(len, globs)) > PATTERN_CHARACTERS:
        raise UsageError(
            f"the settings in {file} hold more than {PATTERNS:,} globs, or more than "
            f"{PATTERN_CHARACTERS:,} characters of them: name folders instead of their files"
        )


def _check_inside(file: Path, key: str, named: Any, pattern: str | None) -> None:
    """Raise UsageError where a project's settings name what lies outside of the project, by a link too."""
    root = file.parent.resolve()
    for path in named if isinstance(named, tuple) else () if named is None else (named,):
        listed = path.glob(pattern) if pattern and path.is_dir() else iter(())
        held = list(islice(listed, FOREIGN_FILES + 1))
        if len(held) > FOREIGN_FILES:
            raise UsageError(f'setting "{key}" in {file}: "{path}" holds more than {FOREIGN_FILES:,} files')
        for each in (path, *held):
            if not each.resolve().is_relative_to(root):
                raise UsageError(
                    f'setting "{key}" in {file} leads out of the project, to "{each.resolve()}"; a project '
                    f"may name only what it holds: copy that into it, or set it in {user_settings_file()}"
                )


def _levels(_: Path, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or set(value.values()) - {"warn"}:
        raise TypeError
    return dict(value)


def _ignores(folder: Path, value: Any) -> tuple[FileIgnore, ...]:
    """Read a table of "GLOB" or "GLOB#/json/pointer" and rules."""
    if not isinstance(value, Mapping):
        raise TypeError
    made = []
    for place, rules in value.items():
        glob, sign, pointer = place.partition("#")
        if not glob or (sign and not pointer.startswith("/")):
            raise ValueError
        made.append(FileIgnore(glob, _names(folder, rules), pointer.rstrip("/") if sign else None))
    return tuple(made)


def _launcher(_: Path, value: Any) -> Launcher:
    return parse_launcher(str(value), "setting")


def _text(_: Path, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _files(folder: Path, value: Any) -> tuple[FileSettings, ...]:
    """Read the tables of `[[tool.trainlint.files]]`."""
    if not isinstance(value, list) or not all(
        isinstance(item, Mapping) and "match" in item for item in value
    ):
        raise TypeError
    made = []
    for item in value:
        options = {key: each for key, each in item.items() if key != "match"}
        read = _converted(folder / "the files' settings", options, FILE_KEYS, may_run_code=False)
        made.append(FileSettings(_names(folder, item["match"]), read))
    return tuple(made)


def _names(_: Path, value: Any) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise TypeError
    return tuple(items)


def _path(folder: Path, value: Any) -> Path:
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


def _paths(folder: Path, value: Any) -> tuple[Path, ...]:
    return tuple(_path(folder, item) for item in _names(folder, value))


def _named_folders(folder: Path, value: Any) -> tuple[Path, ...]:
    """Return folders that are named one by one: not the whole disk, nor all that is the user's."""
    found = _paths(folder, value)
    broad = (Path(folder.anchor), *Path.home().parents, Path.home())
    if any(not place.is_absolute() or place.resolve() in broad for place in found):
        raise ValueError
    return found


def _positive(_: Path, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST:
        raise ValueError
    return float(value)


def _count(folder: Path, value: Any) -> int:
    number = _positive(folder, value)
    if not isinstance(value, int):
        raise TypeError
    return int(number)


def _flag(_: Path, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _level(_: Path, value: Any) -> str:
    if value not in ("warn", "fail"):
        raise ValueError
    return str(value)


def _size(folder: Path, value: Any) -> tuple[int, int]:
    height, width = value
    return _count(folder, height), _count(folder, width)


def _context(folder: Path, value: Any) -> dict[str, float]:
    return {str(name): _positive(folder, mib) for name, mib in dict(value).items()}


KINDS: Mapping[str, tuple[Callable[[Path, Any], Any], str]] = {
    "target": (_names, "a target's name or a list of them"),
    "fail-on": (_level, '"warn" or "fail"'),
    "trainer": (_text, "a dialect's name"),
    "strict": (_flag, "true or false"),
    "seconds-per-iteration": (_positive, "a number of seconds above 0"),
    "session-budget-h": (_positive, "a number of hours above 0"),
    "validation-size": (_size, "[height, width] in pixels"),
    "dataset-size": (_count, "a number of images above 0"),
    "context": (_context, "a table of GPU names and MiB"),
    "expandable-segments": (_flag, "true or false"),
    "rules": (_paths, "a folder or a list of folders"),
    "schemas": (_paths, "a folder or a list of folders"),
    "gpus": (_paths, "a file or a list of files"),
    "profiles": (_path, "a folder"),
    "select": (_names, "a list of rule names"),
    "ignore": (_names, "a list of rule names"),
    "levels": (
        _levels,
        'a table of rule names and "warn" (a warning stays one: fail-on = "warn" stops at it)',
    ),
    "per-file-ignores": (_ignores, 'a table of "GLOB" or "GLOB#/json/pointer" and lists of rule names'),
    "baseline": (_path, "a file that --write-baseline wrote"),
    "exclude": (_names, "a list of glob patterns"),
    "launcher": (_launcher, f'one of {", ".join(LAUNCHERS)}, or "torchrun:4" for four processes'),
    "gpu-count": (_count, "a number of GPUs above 0"),
    "reading": (_text, "a part of a reading's name"),
    "files": (_files, 'tables with "match" (a glob or a list of globs) and what holds for these files'),
    "repo": (_path, "a folder"),
    "python": (_path, "the path of an interpreter"),
    "networks": (_paths, "a folder or a list of folders"),
    "trusted": (_named_folders, "a list of repositories' folders, not a whole disk or your home"),
}
