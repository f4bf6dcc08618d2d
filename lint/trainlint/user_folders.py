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
