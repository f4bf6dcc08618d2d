# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a cache may be used: one in a linted tree, or another user's, could hold anything."""

from __future__ import annotations

import os
from pathlib import Path


def is_own(folder: str | os.PathLike[str], tree: str | os.PathLike[str] | None = None) -> bool:
    """Say whether a cache is the user's: of no other owner, in no linted `tree` or repository around us.

    What is not there yet is judged by the folder in which it would be made.
    """
    place, here = Path(folder).resolve(), Path.cwd()
    around = next((folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), None)
    trees = [around] if tree is None else [Path(tree).resolve(), around]
    if any(tree is not None and place.is_relative_to(tree) for tree in trees):
        return False
    made_in = next(parent for parent in (place, *place.parents) if os.path.lexists(parent))
    try:
        owner = made_in.stat().st_uid
    except OSError:
        return False
    return not hasattr(os, "geteuid") or owner == os.geteuid() or made_in != place
