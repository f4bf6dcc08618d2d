# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Option files of one folder whose runs have one name: they write into the same experiment's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.safe_open import note_failure
from trainlint.files.text_source import regular_bytes

NAME: Final = {
    ".yml": later(r"(?m)^name[ \t]*:[ \t]*([\"']?)([^\s#\"']+)\1[ \t]*(?:#.*)?\r?$"),
    ".toml": later(r"(?m)^name[ \t]*=[ \t]*([\"'])([^\"'\n]+)\1"),
}
"""How the name of a run is written at the top of a file, by its suffix; the second group."""

TRAIN_SECTION: Final = later(r"(?m)^(?:train[ \t]*:|\[train\b)")
"""A file that only tests writes elsewhere (results/)."""

MOST_FILES: Final = 200
"""Of one folder, by name; the largest of a published repository has 60."""

MOST_BYTES: Final = 1 << 18
"""Of one file; published ones have 10 KB."""


def namesakes(config: Path) -> tuple[str, ...]:
    """Return the names of the files next to an option file that train under its name; none through a link."""
    own = _name(config)
    if own is None:
        return ()
    try:
        with os.scandir(config.parent) as entries:
            files = sorted(
                entry.name
                for entry in entries
                if entry.name.endswith(config.suffix) and entry.is_file(follow_symlinks=False)
            )
    except OSError as error:
        note_failure(config.parent, error)
        return ()
    others = (name for name in files[:MOST_FILES] if name != config.name)
    return tuple(name for name in others if _name(config.parent / name) == own)


def _name(path: Path) -> str | None:
    pattern = NAME.get(path.suffix.lower().replace(".yaml", ".yml"))
    try:
        text = regular_bytes(str(path), MOST_BYTES).decode("utf-8", "replace") if pattern else ""
    except UnreadableError:
        return None
    match = pattern.search(text) if pattern and TRAIN_SECTION.search(text) else None
    return match[2] if match else None
