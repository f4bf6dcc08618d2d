# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a cache may be used: one in a linted tree, or another user's, could hold anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

OWN_FOLDER: Final = "trainlint"
"""The folder of the user's caches that is ours; those above it may belong to whoever made them."""


def is_own(folder: str | os.PathLike[str], tree: str | os.PathLike[str] | None = None) -> bool:
    """Say whether a cache is the user's: of no other owner, in no linted `tree` or repository around us.

    What is not there yet, up to the folder that is ours, will be the user's.
    """
    written = Path(os.path.abspath(folder))  # noqa: PTH100 - a link's owner counts too
    place, here = written.resolve(), Path.cwd()
    around = next((folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), None)
    trees = [around] if tree is None else [Path(tree).resolve(), around]
    if any(tree is not None and place.is_relative_to(tree) for tree in trees):
        return False
    return all(map(_is_ours, (*_below_ours(written), *_below_ours(place))))


def _below_ours(place: Path) -> Iterator[Path]:
    """Yield a cache's folder and those above it, up to the one that is named as we are."""
    above = [place, *place.parents]
    last = next((index for index, folder in enumerate(above) if folder.name == OWN_FOLDER), 0)
    yield from above[: last + 1]


def _is_ours(folder: Path) -> bool:
    try:
        owner = folder.lstat().st_uid
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return not hasattr(os, "geteuid") or owner == os.geteuid()
