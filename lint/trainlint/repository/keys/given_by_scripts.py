# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys that a script gives on its command line, next to an option file that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

from trainlint.files.safe_open import note_failure, open_regular
from trainlint.repository.trainer.python_texts import LARGEST_FILE, MOST_FILES, TooManyError, paths_below

SCRIPTS: Final = (
    ".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".job", ".bat", ".cmd", ".ps1", ".md", ".qmd", ".txt",
    ".ipynb", ".py", "launch.json", "tasks.json",
)  # fmt: skip
"""Ends of the names of files that hold commands, or start them."""
EDITORS: Final = (".vscode",)
"""Folders in which editors keep what they start."""
REACH: Final = 4000
"""Characters after a file's name in which a command goes on."""


def given_by_script(folder: Path, config: str, *keys: str) -> str | None:
    """Return the place at which a script below a folder names an option file and gives a key after it."""
    name = os.path.basename(config)  # noqa: PTH119 - a path as it was written
    flag = f"(?:{'|'.join(map(re.escape, keys))})"
    gives = re.compile(rf"""(?<![\w.-])(?:--{flag}(?:=|[ \t]+[^\s=]|["'],\s*["'])|{flag}=[^\s=])""")
    for path, text in _naming(folder, name):
        for match in re.finditer(re.escape(name), text):
            given = gives.search(text, match.end(), match.end() + REACH)
            if given is not None:
                line = text.count("\n", 0, given.start()) + 1
                return f"{os.path.relpath(path, folder)}:{line}"
    return None


@lru_cache(maxsize=16)
def _naming(folder: Path, name: str) -> tuple[tuple[str, str], ...]:
    """Return the scripts below a folder that have a name, with their texts; none where they are too many."""
    try:
        return tuple(_scripts(folder, name))
    except OSError as error:
        note_failure(error.filename or folder, error)
    except TooManyError:
        pass
    return ()


def _scripts(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    left = MOST_FILES
    hidden = (paths_below(folder / name, [], SCRIPTS) for name in EDITORS if (folder / name).is_dir())
    for path in chain(paths_below(folder, [], SCRIPTS), *hidden):
        file = open_regular(path)
        if file is None:
            continue
        left -= 1
        if left < 0:
            raise TooManyError
        with file:
            text = file.read(LARGEST_FILE).decode("utf-8", "replace")
        if name in text:
            yield path, text
