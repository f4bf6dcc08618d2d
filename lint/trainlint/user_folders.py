# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the user's cache and settings lie: as platformdirs has it, which takes 4 ms to import."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than a kept answer to print
if TYPE_CHECKING:
    from typing import Literal

NAME = "trainlint"


def user_folder(kind: Literal["cache", "config"]) -> str:
    """Return the folder; on Linux that of the XDG base directory specification."""
    given = os.environ.get(f"XDG_{kind.upper()}_HOME", "").strip()
    if sys.platform == "linux" and (not given or given.startswith("/")) and "ANDROID_DATA" not in os.environ:
        return os.path.join(given or os.path.expanduser(f"~/.{kind}"), NAME)  # noqa: PTH111, PTH118 - pathlib is slow too
    import platformdirs  # noqa: PLC0415 - slow to import, and not asked on Linux

    of_kind = platformdirs.user_cache_dir if kind == "cache" else platformdirs.user_config_dir
    return of_kind(NAME, appauthor=False)


def is_own(folder: str | os.PathLike[str], tree: str | os.PathLike[str] | None = None) -> bool:
    """Say whether a cache is the user's: of no other owner, in no linted `tree` or repository around us.

    What is not there yet is judged by the folder in which it would be made.
    """
    place = os.path.realpath(folder)
    trees = [os.path.realpath(tree)] if tree is not None else []
    here = os.path.realpath(os.curdir)
    while here != os.path.dirname(here):  # noqa: PTH120 - pathlib is slow
        trees += [here] if os.path.lexists(os.path.join(here, ".git")) else []  # noqa: PTH118 - as above
        here = os.path.dirname(here)  # noqa: PTH120 - as above
    if any(place == each or place.startswith(os.path.join(each, "")) for each in trees[:2]):  # noqa: PTH118 - as above
        return False
    while not os.path.lexists(place) and place != os.path.dirname(place):  # noqa: PTH120 - as above
        place = os.path.dirname(place)  # noqa: PTH120 - as above
    try:
        owner = os.stat(place).st_uid  # noqa: PTH116 - as above
    except OSError:
        return False
    return not hasattr(os, "geteuid") or owner == os.geteuid() or not os.path.lexists(folder)
