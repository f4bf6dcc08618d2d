# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where settings come from: the project's file over the user's, checked key by key.

A project writes `[tool.trainlint]` in pyproject.toml or a trainlint.toml, found upwards from what is linted;
a user settings.toml in the platform's config folder. What a project names
lies in the project: it chooses among what whoever lints it sees there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainlint.errors import UnreadableError, UsageError, words_alike
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.safe_open import ABSENT_ERRNOS
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Source
from trainlint.settings.settings import Settings
from trainlint.settings.settings_bounds import FOLDERS, check_few, check_inside, check_there
from trainlint.settings.settings_keys import (
    CODE_KEYS,
    KINDS,
    OWN_KEYS,
    converted,
    located,
    settings_table,
    user_settings_file,
)

ONE_LETTER = 0.93
"""How alike two words of nine letters are of which one lacks a letter (0.94; another letter: 0.89)."""
_MAY_BE_OURS = later(
    r"""(?m)^[ \t]*(?:\[{0,2}[ \t"']*tool[ \t"']*(?:[\]=]|\.[ \t"']*(?:tr|\w{0,4}ainlint))"""
    r"""|\[{1,2}[ \t"']*trainlint[ \t"']*[\].])"""
)
"""What sets something for us in a pyproject.toml, or by a name one letter off: others are not parsed."""


def load_settings(start: Path, user_file: Path | None = None) -> Settings:
    """Read the settings that hold for `start`: the project's over the user's. Raises UsageError."""
    user = user_file if user_file is not None else user_settings_file()
    project = find_project_file(start)
    table = _table(user, ()) if _is_file(user) else {}
    alone = {*CODE_KEYS, *OWN_KEYS}
    if user_file is None and table.keys() & alone and _is_in_tree(user, start, project):
        table = {key: value for key, value in table.items() if key not in alone}
    merged = _read(user, table, may_run_code=True) if table else {}
    check_there(user, merged)
    for index, item in enumerate(merged.get("files", ())):
        check_there(user, item.options, (*settings_table(user), "files", index))
    if project is not None:
        table = _table(project, settings_table(project))
        own = _read(project, table, may_run_code=False)
        merged |= own | {"root": project.parent}
        check_few(project, table, merged)
        for key, pattern in FOLDERS.items():
            check_inside(project, key, merged.get(key.replace("-", "_")) if key in table else None, pattern)
        for index, item in enumerate(own.get("files", ())):
            above: tuple[str | int, ...] = (*settings_table(project), "files", index)
            check_inside(project, "model-config", item.options.get("model_config"), None, above)
            check_there(project, item.options, above)
        check_there(project, own)
    return Settings(**merged)


def _is_in_tree(user: Path, start: Path, project: Path | None) -> bool:
    """Return whether the user's settings lie in what is linted: HOME was set to it, its author wrote them.

    That is the repository around it, the folder of its settings, and a folder that is named itself; around a
    single file without either its own folder, unless the account's home is in there.
    """
    place = start.resolve()
    above = (place, *place.parents) if place.is_dir() else tuple(place.parents)
    roots = [folder for folder in above if os.path.lexists(folder / ".git")][:1]
    roots += [project.parent.resolve()] if project is not None else []
    roots += [place] if place.is_dir() else []
    if not roots and not _home_by_account().is_relative_to(place.parent):
        roots = [place.parent]
    return any(user.resolve().is_relative_to(root) for root in roots)


def _home_by_account() -> Path:
    """Return the home that the system knows of this user, whatever HOME says; "/" where it knows of none."""
    try:
        import pwd  # noqa: PLC0415 - not on Windows, where no HOME is asked

        return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    except (ImportError, KeyError):
        return Path("/")


def find_project_file(start: Path) -> Path | None:
    """Return the nearest trainlint.toml, or pyproject.toml with a [tool.trainlint], at or above `start`."""
    folder = start.resolve()
    for parent in (folder, *folder.parents) if os.path.isdir(folder) else folder.parents:  # noqa: PTH112  # no error where it may not look
        own, shared = parent / "trainlint.toml", parent / "pyproject.toml"
        if _is_file(own):
            return own
        if os.path.isdir(own):  # noqa: PTH112  # as above
            raise UsageError(f"{own} is a folder, expected a file of settings")
        if _is_file(shared) and _has_settings(shared):
            return shared
    return None


def _has_settings(path: Path) -> bool:
    """Return whether a pyproject.toml has our table; UsageError for one that is called almost so."""
    source = _source(path)
    if not _MAY_BE_OURS.search(source.text):
        return False
    whole = _values(path, source)
    if _within(whole, ("tool", "trainlint")):
        return True
    _check_name(path, whole)
    return False


def _check_name(path: Path, whole: Mapping[str, Any]) -> None:
    """Refuse a table of a pyproject.toml that is called almost as ours: its settings would not hold."""
    if isinstance(whole.get("trainlint"), Mapping):
        where = located(path, "trainlint", ())
        raise UsageError(f"[trainlint] in {where} is not a table of settings: expected [tool.trainlint]")
    near = [name for name in _within(whole, ("tool",)) if abs(len(name) - len("trainlint")) <= 1]
    for name in words_alike("trainlint", near, len(near), ONE_LETTER):
        where = located(path, name, ("tool",))
        raise UsageError(f"[tool.{name}] in {where} is not a table of settings: expected [tool.trainlint]")


def place_of(settings: Settings, key: str, name: str) -> str:
    """Return "file:line: " of the setting that names something; "" where it came from a flag."""
    project = find_project_file(settings.root) if settings.root else None
    for path in filter(None, (project, user_settings_file())):
        if _is_file(path) and f"{name!r}" in repr(_table(path, settings_table(path)).get(key)):
            return f"{located(path, key)}: "
    return ""


def line_of(settings: Settings, key: str) -> str:
    """Return "file:line: " of a key in the file that sets it; "" where a flag does."""
    if key.replace("-", "_") in settings.flags:
        return ""
    project = find_project_file(settings.root) if settings.root else None
    for path in filter(None, (project, user_settings_file())):
        if _is_file(path) and key in _table(path, settings_table(path)):
            return f"{located(path, key)}: "
    return ""


def _is_file(path: Path) -> bool:
    """Return whether there is a file; UsageError where the machine fails to say."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        if error.errno in ABSENT_ERRNOS or isinstance(error, PermissionError):  # of a folder that is locked
            return False
        raise UsageError(
            f"cannot read the settings in {path}: {(error.strerror or str(error)).lower()}"
        ) from None
    except ValueError:
        return False


def _table(path: Path, keys: tuple[str, ...]) -> Mapping[str, Any]:
    return _within(_values(path, _source(path)), keys)


def _source(path: Path) -> Source:
    try:
        return source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path))
    except UnreadableError as error:
        raise _refusal(path, error) from None


def _values(path: Path, source: Source) -> Mapping[str, Any]:
    from trainlint.config.toml import toml_values  # noqa: PLC0415 - where there are settings

    try:
        return toml_values(source)
    except UnreadableError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: UnreadableError) -> UsageError:
    line = f":{error.line}" if error.line else ""
    return UsageError(f"cannot read the settings in {path}{line}: {error}")


def _within(table: Any, keys: tuple[str, ...]) -> Mapping[str, Any]:
    for key in keys:
        table = table.get(key, {}) if isinstance(table, Mapping) else {}
    return table if isinstance(table, Mapping) else {}


def _read(path: Path, table: Mapping[str, Any], *, may_run_code: bool) -> dict[str, Any]:
    """Check and convert one file's table; folders are relative to the file."""
    return converted(path, table, tuple(KINDS), may_run_code=may_run_code)
