# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The files of a job's folders: each folder is listed once, and not at all where that has no end."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic
from typing import Final

MOST_FILES: Final = 200_000
"""Of a folder that are listed; a larger one is not looked at. ImageNet's largest class has 1,300."""

SECONDS: Final = 5.0
"""That listing a folder may take: 200,000 names take a fifth of one on a disk of one's own, any time over a
network. The number of files decides wherever a folder is quicker than that."""


class Folders:
    """Folders below a root; `unlisted` names those that were not listed to their end, and says why.

    `empty` names those that have nothing in them.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unlisted: list[str] = []
        self.empty: list[str] = []
        self._known: dict[Path, tuple[list[str], list[str]]] = {}

    def files(self, folder: Path) -> list[str]:
        """Return what BasicSR's scandir gives of a folder, sorted: files whose names begin with no dot.

        Empty where there is no such folder, or where it was not listed to its end.
        """
        return self._entries(folder)[0]

    def folders(self, folder: Path) -> list[str]:
        """Return the folders in a folder, as `files` does."""
        return self._entries(folder)[1]

    def _entries(self, folder: Path) -> tuple[list[str], list[str]]:
        if folder not in self._known:
            self._known[folder] = self._listed(folder)
        return self._known[folder]

    def _listed(self, folder: Path) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        until = monotonic() + SECONDS
        name = f'"{os.path.relpath(folder, self.root)}"'
        try:
            with os.scandir(folder) as entries:
                for count, entry in enumerate(entries, start=1):
                    if count > MOST_FILES:
                        self.unlisted.append(f"{name} has more than {MOST_FILES:,} files")
                        return [], []
                    if monotonic() > until:
                        counted = f"counted {count - 1:,} files in {SECONDS:g} s and stopped"
                        self.unlisted.append(f"{name}: {counted}, so what is in it is not known")
                        return [], []
                    if not entry.name.startswith("."):
                        (files if entry.is_file() else folders).append(entry.name)
        except OSError:
            return [], []
        if not files and not folders:
            self.empty.append(name)
        return sorted(files), sorted(folders)
