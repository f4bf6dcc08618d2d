# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a Python call gives: its paths, and its keywords, read as settings of a file are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from trainlint.errors import UsageError, most_alike
from trainlint.settings.given_settings import with_table
from trainlint.settings.settings import Settings
from trainlint.settings.settings_keys import KINDS

CALL: Final = Path("the call")
"""What messages call the place of keywords; folders are relative to the working directory."""


def settings_over(settings: Settings, targets: str | Sequence[str], keywords: Mapping[str, Any]) -> Settings:
    """Return settings with a call's on top, read as those of a file are."""
    table = {
        name.replace("_", "-"): _as_in_a_file(value) for name, value in keywords.items() if value is not None
    }
    for name in table:
        if name not in KINDS:
            near = most_alike(name, KINDS)
            hint = f'did you mean {near.replace("-", "_")}="..."?' if near else "docs/settings.md lists them"
            raise UsageError(f'there is no setting "{name.replace("-", "_")}": {hint}')
    if targets and "target" in table:
        raise UsageError("targets are named twice: as targets, and as target")
    if targets:
        table["target"] = _as_in_a_file(targets)
    return with_table(settings, CALL, table)


def _as_in_a_file(value: Any) -> Any:
    """Return a value as a settings file would hold it: paths as text, any sequence as a list."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {key: _as_in_a_file(entry) for key, entry in value.items()}
    if isinstance(value, Sequence | AbstractSet) and not isinstance(value, str | bytes):
        return [_as_in_a_file(entry) for entry in value]
    return value


def paths_of(path: Any) -> list[str]:
    """Return the paths of a call. Raises UsageError for what is none, and for none at all."""
    try:
        paths = [os.fsdecode(entry) for entry in ((path,) if isinstance(path, str | os.PathLike) else path)]
    except TypeError:
        raise UsageError(f"path is {path!r}, expected a path or a list of paths") from None
    if not paths:
        raise UsageError("no paths given: name files or folders")
    return paths
