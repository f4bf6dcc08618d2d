# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies below the one folder that may be looked at: regular files, through no link."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from msgspec import Struct

from trainlint.data_headers.image_header import size_of
from trainlint.data_headers.pickle_reader import BeyondBoundsError, UnknownFileError
from trainlint.data_headers.tensor_shapes import kind_of, tensors_in
from trainlint.files.safe_open import is_path, may_exist, open_regular


class Below(Struct, frozen=True):
    """The folder `root`, and what of a config's names is in it."""

    root: Path

    def folder(self, named: Any) -> Path | None:
        """Return a folder that a config names, below the root or the root; None where there is none."""
        if not isinstance(named, str) or not named:
            return None
        path = self._place(named)
        there = self.holds(path) and os.path.isdir(path)  # noqa: PTH112 - no error for a name too long
        return path if there else None

    def _place(self, named: str) -> Path:
        """Return where a name leads: whoever gives --data may have named a folder that it begins with."""
        path = self.root / named
        if not is_path(named) or (self.holds(path) and may_exist(path)):
            return path
        parts, whole = PurePath(os.path.normpath(named)).parts, self.root.absolute().parts
        shared = (count for count in range(len(parts), 0, -1) if whole[-count:] == parts[:count])
        return self.root.joinpath(*parts[next(shared, 0) :])

    def holds(self, path: Path) -> bool:
        """Return whether a path lies below the root, and no link is on the way to it."""
        if not is_path(str(path)):
            return False
        relative = os.path.relpath(path, self.root)
        straight = os.path.normpath(f"{os.path.realpath(self.root)}/{relative}")
        return not relative.startswith("..") and os.path.realpath(path) == straight

    def may_have(self, path: Path) -> bool:
        """Return whether a file is there; what lies elsewhere may be."""
        return is_path(str(path)) and (not self.holds(path) or may_exist(path))

    def open(self, path: Path) -> BinaryIO | None:
        """Open a regular file below the root; None where it is not there, or anything else."""
        if not self.holds(path):
            return None
        try:
            return open_regular(path)
        except (OSError, ValueError):
            return None

    def named(self, named: Any) -> BinaryIO | None:
        """Open the file that a config names; None where it names none, and as `open`."""
        return self.open(self._place(named)) if isinstance(named, str) and named else None

    def size(self, path: Path) -> tuple[int, int] | None:
        """Return an image's width and height in pixels; None where its header is not read."""
        file = self.open(path)
        if file is None:
            return None
        with file:
            return size_of(file)

    def tensors(self, named: Any, unread: list[str]) -> Mapping[Any, Any] | None:
        """Return what a file of torch.save or safetensors holds; None where there is none that is read.

        One that is too large to be followed goes into `unread`.
        """
        file = self.named(named)
        if file is None:
            return None
        with file:
            try:
                return tensors_in(file)
            except BeyondBoundsError as error:
                unread.append(f'"{named}" {error}')
            except UnknownFileError:
                pass
        return None

    def strange(self, named: Any) -> str:
        """Return what a file is instead of one of torch.save; "" where it is none, or that is not known."""
        file = self.named(named)
        if file is None:
            return ""
        with file:
            return kind_of(file)
