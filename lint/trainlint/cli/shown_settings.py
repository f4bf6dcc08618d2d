# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--show-settings`: the settings that hold, as TOML, those that are not set behind a `#`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trainlint.model.launcher import Launcher
from trainlint.settings.settings import FileIgnore, FileSettings, Settings
from trainlint.settings.settings_file import find_project_file
from trainlint.settings.settings_keys import KINDS, user_settings_file


def shown(settings: Settings, *, isolated: bool) -> Iterator[str]:
    """Yield where the settings are from, and each with its value."""
    project = find_project_file(settings.root) if settings.root is not None else None
    user = user_settings_file()
    files = [str(path) for path in (project, user if user.is_file() and not isolated else None) if path]
    yield f"# from {', '.join(files) or 'no file'}"
    defaults = Settings()
    for key in KINDS:
        value = getattr(settings, key.replace("-", "_"))
        is_set = value != getattr(defaults, key.replace("-", "_"))
        yield f"{'' if is_set else '# '}{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    """Write a value as TOML reads it; what is not set is an empty text."""
    plain = _plain(value)
    if isinstance(plain, tuple | list):
        return f"[{', '.join(map(_toml, plain))}]"
    if isinstance(plain, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(entry)}' for key, entry in plain.items())}}}"
    return json.dumps(plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a setting's value as its file would have it."""
    if value is None:
        return ""
    if isinstance(value, Launcher):
        return f"{value.value}:{value.processes}" if value.processes else value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, FileSettings):
        options = {key.replace("_", "-"): option for key, option in value.options.items()}
        return {"match": value.match, **options}
    if isinstance(value, tuple) and value and isinstance(value[0], FileIgnore):
        return {f"{ignore.match}{_pointer(ignore)}": ignore.rules for ignore in value}
    return value


def _pointer(ignore: FileIgnore) -> str:
    return "" if ignore.pointer is None else f"#{ignore.pointer}"
