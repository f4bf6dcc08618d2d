# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that would not be read: those in the folders of a folder which settings name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from trainlint.errors import UnreadableError
from trainlint.files.read_limits import FOREIGN_BYTES, FOREIGN_FILES
from trainlint.files.text_source import regular_bytes

ADVICE: Final = "name that folder too, or move the file"


def nested(folder: Path, ending: str, sign: str, named: Sequence[Path] = ()) -> str:
    """Say which file one level below a folder has a `sign`, a pattern, and what to do; "" where none has.

    Folders that are `named` themselves are read. Links are not followed: they may lead out of what is linted.
    """
    read = {place.resolve() for place in named}
    for path in sorted(islice(folder.glob(f"*/*{ending}"), FOREIGN_FILES)):
        if path.is_symlink() or path.parent.is_symlink() or path.parent.resolve() in read:
            continue
        try:
            text = regular_bytes(str(path), FOREIGN_BYTES).decode(errors="replace")
        except UnreadableError:
            continue
        if match := re.search(sign, text, re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            return f'{path}:{line}: it is in a folder of "{folder}", which is not looked into: {ADVICE}'
    return ""
