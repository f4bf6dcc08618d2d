# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A private copy of a folder: small files are copied, the rest is linked to."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Final

MOST_COPIED_BYTES: Final = 2 << 20
"""Bytes up to which a file is copied: sources, configs, lists. What is larger is data, and linked to."""
MOST_COPIED_ENTRIES: Final = 20_000
"""Files and folders that are copied one by one; the folders after them are linked to whole."""
DATA_FOLDER_ENTRIES: Final = 2_000
"""Entries from which a folder holds data, and is linked to whole."""
LINKED_FOLDERS: Final = (".git", ".hg", ".venv", "venv", "node_modules", "wandb")
"""Folders that are linked to whole, by name: no program rewrites what is in them."""
PROJECT_MARK: Final = ".git"
"""What lies at the root of a project."""
CACHES: Final = ("huggingface", "torch", "clip", "timm", "modelscope")
"""Folders of ~/.cache from which programs read weights; they are shown, what is written there is not kept."""


def project_of(folder: Path) -> Path:
    """Return the root of the project that a folder lies in; the folder itself where nothing shows one."""
    home = Path.home()
    for place in (folder, *folder.parents):
        if place in (home, place.parent):
            break
        if (place / PROJECT_MARK).exists():
            return place
    return folder


def copy_folder(source: Path, target: Path) -> None:
    """Make a copy in which everything may be changed but what is linked to."""
    target.mkdir(parents=True)
    left = MOST_COPIED_ENTRIES
    waiting = [(source, target)]
    while waiting:
        here, there = waiting.pop(0)
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            place = there / entry.name
            with contextlib.suppress(OSError):
                if (
                    entry.is_dir(follow_symlinks=False)
                    and entry.name not in LINKED_FOLDERS
                    and left > 0
                    and not _holds_data(entry.path)
                ):
                    place.mkdir()
                    waiting.append((Path(entry.path), place))
                elif entry.is_file() and entry.stat().st_size <= MOST_COPIED_BYTES:
                    shutil.copy2(entry.path, place)
                else:
                    link(Path(entry.path), place)


def _holds_data(folder: str) -> bool:
    with os.scandir(folder) as entries:
        return sum(1 for _ in zip(entries, range(DATA_FOLDER_ENTRIES), strict=False)) == DATA_FOLDER_ENTRIES


def link(source: Path, target: Path) -> None:
    """Show something at another place; a system that makes no links gets a copy."""
    try:
        target.symlink_to(source)
    except OSError:
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


def home_in(private: Path) -> dict[str, str]:
    """Make a home of its own in a private folder; return the variables by which programs find it."""
    home, cache, temporary = private / "home", private / "home" / ".cache", private / "tmp"
    for folder in (home, cache, temporary, home / ".config"):
        folder.mkdir(parents=True, exist_ok=True)
    own = Path.home()
    for name in CACHES:
        _shown(own / ".cache" / name, cache / name)
    homes = {
        "HOME": home, "USERPROFILE": home, "XDG_CACHE_HOME": cache, "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share", "XDG_STATE_HOME": home / ".local" / "state",
        "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary,
        "MPLCONFIGDIR": home / ".config" / "matplotlib",
        "TRITON_CACHE_DIR": cache / "triton", "TORCHINDUCTOR_CACHE_DIR": cache / "inductor",
        "NUMBA_CACHE_DIR": cache / "numba",
    }  # fmt: skip
    for name, below in (("HF_HOME", "huggingface"), ("TORCH_HOME", "torch")):
        given = os.environ.get(name)
        if given and Path(given).is_dir() and not (cache / f"{below}-own").exists():
            _shown(Path(given), cache / f"{below}-own")
            homes[name] = cache / f"{below}-own"
    return {name: str(path) for name, path in homes.items()}


def _shown(source: Path, target: Path, depth: int = 3) -> None:
    """Show a cache: its first folders are new, for locks to be written, what is below is linked to."""
    if not source.is_dir():
        return
    target.mkdir(exist_ok=True)
    with contextlib.suppress(OSError):
        for entry in os.scandir(source):
            if entry.name == ".locks":
                continue
            if entry.is_dir(follow_symlinks=False) and depth > 0:
                _shown(Path(entry.path), target / entry.name, depth - 1)
            else:
                link(Path(entry.path), target / entry.name)
