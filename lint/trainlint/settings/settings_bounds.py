# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a project's settings may name: few targets and globs, and only what is in the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from trainlint.errors import UsageError
from trainlint.files.read_limits import FOREIGN_FILES
from trainlint.settings.settings_keys import KINDS, located, user_settings_file

READ_FILES = {"rules": "*.yaml", "schemas": "*.json", "gpus": "*.toml"}
"""Keys whose files are read, so that a wrong path is noticed before a name in them is missed, and those of a
folder that are read when it is named."""

FILES = ("model-config", "calibration", "python")
"""Further keys that name files which are read, or run."""

FOLDERS = {
    **READ_FILES,
    "profiles": None,
    "repo": None,
    "baseline": None,
    "model-config": None,
}
"""Keys that name files or folders."""

TARGETS = 8
"""Targets that a project's settings may name, since each is judged on its own. A command line or the user's
own file may name any number."""

PATTERNS, PATTERN_CHARACTERS = 1_000, 20_000
"""Globs of files that a project's settings may hold, and their characters: one of 4,096 takes 30 ms to
compile, and each is held against every file."""


def check_there(file: Path, values: Mapping[str, Any], above: tuple[str | int, ...] | None = None) -> None:
    """Raise UsageError, with the key's line, where what will be read is not there, or is nothing to read.

    `above`: the keys that lead to these, as for `located`.
    """
    for key in (*READ_FILES, *FILES, "networks", "repo", "profiles"):
        named = values.get(key.replace("-", "_"), ())
        for place in named if isinstance(named, tuple) else (named,):
            if slip := _slip(key, place):
                where, expected = located(file, key, above), KINDS[key][1]
                raise UsageError(f'setting "{key}" in {where}: {slip}, expected {expected}')


def _slip(key: str, place: Path) -> str:
    """Say what is wrong with a path that a setting names; "" where nothing is."""
    if not os.path.exists(place):  # noqa: PTH110  # Path.exists raises where it may not look
        return "" if key == "profiles" else f'there is no "{place}"'  # which trainlint trace makes
    is_folder = os.path.isdir(place)  # noqa: PTH112  # as above
    if key in FILES and is_folder:
        return f'"{place}" is a folder'
    if key in ("repo", "profiles") and not is_folder:
        return f'"{place}" is not a folder'
    if key == "python":
        from shutil import which  # noqa: PLC0415 - slow to import

        if which(place) is None:
            return f'"{place}" cannot be run'
    ending = READ_FILES.get(key, "").removeprefix("*")
    if is_folder:
        return "" if _holds(place, ending) else f'there is no file NAME{ending} in "{place}"'
    return "" if str(place).endswith(ending) else f'"{place}" does not end in {ending}'


def _holds(folder: Path, ending: str) -> bool:
    """Return whether a folder has such files, or some a level below, of which their reader says more."""
    return not ending or any(next(folder.glob(f"{below}*{ending}"), None) for below in ("", "*/"))


def check_baseline(file: Path, values: Mapping[str, Any]) -> None:
    """Raise UsageError where the baseline that a flag or a call names is not there."""
    place = values.get("baseline")
    if place is not None and not os.path.exists(place):  # noqa: PTH110  # as above
        raise UsageError(
            f'setting "baseline" in {file}: there is no "{place}", expected {KINDS["baseline"][1]}'
        )


def check_few(file: Path, table: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise UsageError where a project's settings name more targets or globs than are worked through."""
    if "target" in table and len(values["target"]) > TARGETS:
        raise UsageError(
            f'setting "target" in {located(file, "target")} names {len(values["target"]):,} targets, '
            f"and a project may name {TARGETS}: name the others with --target, or in {user_settings_file()}"
        )
    globs = [*(values["exclude"] if "exclude" in table else ())]
    globs += [glob for item in (values["files"] if "files" in table else ()) for glob in item.match]
    globs += [item.match for item in (values["per_file_ignores"] if "per-file-ignores" in table else ())]
    named = {name for item in values.get("files", ()) for name in item.options.get("target", ())}
    if "files" in table and len(named) > TARGETS:
        raise UsageError(
            f"[[files]] in {located(file, 'files')} names {len(named):,} targets, "
            f"and a project may name {TARGETS}: name the others in {user_settings_file()}"
        )
    if len(globs) > PATTERNS or sum(map(len, globs)) > PATTERN_CHARACTERS:
        raise UsageError(
            f"the settings in {file} hold more than {PATTERNS:,} globs, or more than "
            f"{PATTERN_CHARACTERS:,} characters of them: name folders instead of their files"
        )


def check_inside(
    file: Path, key: str, named: Any, pattern: str | None, above: tuple[str | int, ...] | None = None
) -> None:
    """Raise UsageError where a project's settings name what lies outside of the project, by a link too.

    `above`: the keys that lead to this one, as for `located`.
    """
    root = file.parent.resolve()
    for path in named if isinstance(named, tuple) else () if named is None else (named,):
        listed = path.glob(pattern) if pattern and path.is_dir() else iter(())
        held = list(islice(listed, FOREIGN_FILES + 1))
        if len(held) > FOREIGN_FILES:
            where = located(file, key, above)
            raise UsageError(f'setting "{key}" in {where}: "{path}" holds more than {FOREIGN_FILES:,} files')
        for folder in (path, *held):
            if not folder.resolve().is_relative_to(root):
                raise UsageError(
                    f'setting "{key}" in {located(file, key, above)} leads out of the project, '
                    f'to "{folder.resolve()}"; a project '
                    f"may name only what it holds: copy that into it, or set it in {user_settings_file()}"
                )
