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

NAMED = ("repo", "python", "networks", "model-config", "baseline", "calibration")
"""Further keys that name what has to be there where a flag or a call sets them."""

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


def check_there(file: Path, values: Mapping[str, Any]) -> None:
    """Raise UsageError where a file or folder that will be read is not there."""
    for key, pattern in READ_FILES.items():
        for place in values.get(key, ()):
            if not os.path.exists(place):  # noqa: PTH110  # Path.exists raises where it may not look
                where, expected = located(file, key), KINDS[key][1]
                raise UsageError(f'setting "{key}" in {where}: there is no "{place}", expected {expected}')
            ending = pattern.removeprefix("*")
            if os.path.isfile(place) and not str(place).endswith(ending):  # noqa: PTH113  # as above
                where, expected = located(file, key), KINDS[key][1]
                raise UsageError(
                    f'setting "{key}" in {where}: "{place}" does not end in {ending}, expected {expected}'
                )


def check_named(file: Path, values: Mapping[str, Any]) -> None:
    """Raise UsageError where what a flag or a call names is not there."""
    for key in NAMED:
        named = values.get(key.replace("-", "_"), ())
        for place in named if isinstance(named, tuple) else (named,):
            if not os.path.exists(place):  # noqa: PTH110  # as above
                raise UsageError(
                    f'setting "{key}" in {file}: there is no "{place}", expected {KINDS[key][1]}'
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
