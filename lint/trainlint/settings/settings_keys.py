# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The keys of a settings file: what each holds, and the check of a whole table.

Permission to run code is the user's alone: a project file that asks for it is refused, because whoever lints
a tree must not thereby run it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trainlint.errors import UnreadableError, UsageError, most_alike
from trainlint.files.glob_patterns import GLOB_EXAMPLE, is_glob
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.launcher import LAUNCHERS
from trainlint.settings.settings import FileSettings
from trainlint.settings.settings_values import (
    context,
    count,
    flag,
    globs,
    ignores,
    launcher,
    level,
    levels,
    named_folders,
    names,
    path,
    paths,
    positive,
    sessions,
    size,
    text,
)  # fmt: skip

SHOWN_CHARACTERS = 60
"""Characters of a wrong value that a message repeats."""

FILE_KEYS = (
    "target",
    "launcher",
    "gpu-count",
    "reading",
    "dataset-size",
    "model-config",
    "validation-size",
    "validation-images",
    "seconds-per-iteration",
)
"""Keys that may be set for some files only."""

CODE_KEYS = ("python", "networks", "trusted")
"""Keys that make trainlint run code: taken from the user's own file or a flag, never from a linted tree."""

OWN_KEYS = ("calibration",)
"""Keys that decide verdicts by what the user measured: no linted tree says what a card did."""

TABLES = ("gpu", "target")
"""Tables of gpus.toml that are looked for in settings: `target = "NAME"` is one."""


def user_settings_file() -> Path:
    """Return where the user's own settings live (the file need not exist)."""
    import platformdirs  # noqa: PLC0415 - not in the interpreters that have the standard library alone

    return platformdirs.user_config_path("trainlint", appauthor=False) / "settings.toml"


def converted(
    path: Path,
    table: Mapping[str, Any],
    known: Sequence[str],
    *,
    may_run_code: bool,
    above: tuple[str | int, ...] | None = None,
) -> dict[str, Any]:
    """Return a file's table as fields of the settings. Raises UsageError with the key's line.

    `above` are the keys that lead to the table, None: those of a file's settings.
    """
    placed = partial(located, path, above=above)
    values = {}
    for key, value in table.items():
        if key in TABLES and isinstance(value, Mapping):
            raise UsageError(
                f"[{key}.{next(iter(value), 'NAME')}] in {placed(key)} is not a setting: such tables go "
                f'into a file of their own, which the setting gpus = "FILE" names'
            )
        if key == "tool" and isinstance(value, Mapping) and "trainlint" in value:
            raise UsageError(
                f"[tool.trainlint] in {placed(key)} is for pyproject.toml: "
                f"expected its keys without a table in {path.name}"
            )
        if key not in known:
            near = most_alike(key, known)
            hint = f'; did you mean "{near}"?' if near else f"; known are {', '.join(known)}"
            raise UsageError(f'unknown setting "{key}" in {placed(key)}{hint}')
        if key in CODE_KEYS and not may_run_code:
            raise UsageError(
                f'setting "{key}" in {placed(key)} would run code of the linted tree; '
                f"set it in {user_settings_file()} or on the command line"
            )
        if key in OWN_KEYS and not may_run_code:
            raise UsageError(
                f'setting "{key}" in {placed(key)} is yours alone, since it says what your machine showed; '
                f"set it in {user_settings_file()} or with --config"
            )
        convert, expected = KINDS[key]
        try:
            if key == "files":
                _check_files(path, value)
            values[key.replace("-", "_")] = convert(path.parent, value)
        except (TypeError, ValueError, OverflowError, KeyError, AttributeError):
            where = placed(key)
            raise UsageError(f'setting "{key}" in {where} is {_shown(value)}, expected {expected}') from None
    return values


def located(path: Path, key: str, above: tuple[str | int, ...] | None = None) -> str:
    """Return "file:line" of a setting, and the file alone where that cannot be read again."""
    from trainlint.config.toml import parse_toml  # noqa: PLC0415 - for what is said of a setting

    try:
        (document,) = parse_toml(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except (OSError, UnreadableError):
        return str(path)
    return document.located((*(settings_table(path) if above is None else above), key))


def settings_table(path: Path) -> tuple[str, ...]:
    """Return the keys that lead to a file's settings."""
    return ("tool", "trainlint") if path.name == "pyproject.toml" else ()


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _check_files(path: Path, value: Any) -> None:
    """Check the tables of `files` where their lines are known."""
    for index, item in enumerate(value):
        options = {key: option for key, option in item.items() if key != "match"}
        converted(path, options, FILE_KEYS, may_run_code=False, above=(*settings_table(path), "files", index))
        if not all(map(is_glob, names(path.parent, item["match"]))):
            where = located(path, "match", (*settings_table(path), "files", index))
            raise UsageError(f'"match" in {where} is {_shown(item["match"])}, expected {GLOB_EXAMPLE}')


def _files(folder: Path, value: Any) -> tuple[FileSettings, ...]:
    """Read the tables of `[[tool.trainlint.files]]`."""
    if not isinstance(value, list) or not all(
        isinstance(item, Mapping) and "match" in item for item in value
    ):
        raise TypeError
    entries = []
    for item in value:
        options = {key: option for key, option in item.items() if key != "match"}
        read = converted(folder / "the files' settings", options, FILE_KEYS, may_run_code=False)
        entries.append(FileSettings(names(folder, item["match"]), read))
    return tuple(entries)


KINDS: Mapping[str, tuple[Callable[[Path, Any], Any], str]] = {
    "target": (names, "a target's name or a list of them"),
    "fail-on": (level, '"warn" or "fail"'),
    "trainer": (text, "a dialect's name"),
    "strict": (flag, "true or false"),
    "seconds-per-iteration": (positive, "a number of seconds above 0"),
    "session-budget-h": (positive, "a number of hours above 0"),
    "sessions": (sessions, '"one" or "many"'),
    "validation-size": (size, "[height, width] in pixels"),
    "validation-images": (count, "a number of images above 0"),
    "dataset-size": (count, "a number of images above 0"),
    "model-config": (path, "a base model's config.json"),
    "context": (context, "a table of GPU names and MiB"),
    "calibration": (paths, "a file that trainlint measure wrote, or a list of them"),
    "expandable-segments": (flag, "true or false"),
    "rules": (paths, "a folder or a list of folders"),
    "schemas": (paths, "a folder or a list of folders"),
    "gpus": (paths, "a file or a list of files"),
    "profiles": (path, "a folder"),
    "select": (names, "a list of rule names"),
    "ignore": (names, "a list of rule names"),
    "levels": (
        levels,
        'a table of rule names and "warn" or "fail"',
    ),
    "per-file-ignores": (
        ignores,
        f'a table of "GLOB" or "GLOB#/json/pointer" and lists of rule names; GLOB is {GLOB_EXAMPLE}',
    ),
    "baseline": (path, "a file that --write-baseline wrote"),
    "exclude": (globs, f"a list of globs, each {GLOB_EXAMPLE}"),
    "launcher": (launcher, f'one of {", ".join(LAUNCHERS)}, or "torchrun:4" for four processes'),
    "gpu-count": (count, "a number of GPUs above 0"),
    "reading": (text, "a part of a reading's name"),
    "files": (_files, 'tables with "match" (a glob or a list of globs) and what holds for these files'),
    "repo": (path, "a folder"),
    "python": (path, "the path of an interpreter"),
    "networks": (paths, "a folder or a list of folders"),
    "trusted": (named_folders, "a list of repositories' folders, not a whole disk or your home"),
}
