# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--data images:512x512:20: made-up images where a config, a command's flags, or --data point and nothing is.

They lie in the private folder alone, as the program looks for them: in pairs, named in a list, by class, for
lmdb. A list of other images' names is replaced by one of these, as the program sees it.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.dry_run.enclosure.copying import project_of
from trainlint.dry_run.enclosure.enclosure import Enclosure
from trainlint.dry_run.enclosure.instructions import OVERLAY
from trainlint.dry_run.rehearsing.wanted_images import SMALL_IMAGE, Wanted, wanted_of
from trainlint.dry_run.starting.program import Program
from trainlint.errors import UsageError

if TYPE_CHECKING:
    from trainlint.dry_run.enclosure.enclosure import Prepared

MADE_UP_FORM: Final = re.compile(r"images:(\d{1,5})x(\d{1,5}):(\d{1,5})(?::([^,]+(?:,[^,]+)*))?")
MADE_UP: Final = "made_up_"
"""How the names of made-up images begin."""
MOST_MADE_IMAGES: Final = 4096
"""Images that are made of one size at most, and folders times images of a run."""
KEYS: Final = "meta_info.txt"
"""The list in a database's folder."""
CLASSES: Final = ("class_0", "class_1")
"""Folders of a data set that is read by class."""


class MadeUp(Struct, frozen=True):
    """Images of a size, how many of them, and the folders that are named for them."""

    width: int
    height: int
    count: int
    folders: tuple[str, ...] = ()

    def preparing(self, program: Program, folder: Path) -> Prepared:
        """Return what lays them out before the program starts; UsageError where nothing wants them."""
        wanted = tuple(wanted_of(program, folder, self.folders))
        if not wanted:
            raise UsageError(
                "--data: no key of the config and no flag names a folder of images that is not there: "
                f"name it, images:{self.width}x{self.height}:{self.count}:FOLDER"
            )

        def lay(around: Enclosure) -> None:
            self._lay(around, folder.resolve(), wanted)

        return lay

    def _lay(self, around: Enclosure, folder: Path, wanted: tuple[Wanted, ...]) -> None:
        for number, wanted_folder in enumerate(wanted):
            target = Path(os.path.normpath(folder / os.path.expanduser(wanted_folder.path)))
            if around.kind == OVERLAY:
                made = around.private / "made" / str(number)
                around.lay(made, target)
            elif target.is_relative_to(project_of(folder)) and _is_private(around.inside(target), around):
                made = around.inside(target)
            else:
                raise UsageError(
                    f'--data: "{wanted_folder.path}" lies outside of the project, and here are no private '
                    "layers: let the config point into the project"
                )
            around.made_up.append(target if around.kind == OVERLAY else made)
            self._make(made, wanted_folder)

    def _make(self, place: Path, wanted: Wanted) -> None:
        if wanted.names:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)  # a copy of the project has a link to a large file
            place.write_text("".join(self._lines(wanted)), encoding="ascii")
            return
        for split in wanted.splits:
            for name in CLASSES:
                (place / split / name).mkdir(parents=True)
                self._fill(place / split / name, "{}", 1, -(-self.count // len(CLASSES)))
        if wanted.splits:
            return
        place.mkdir(parents=True, exist_ok=True)
        self._fill(place, wanted.template, wanted.divided)
        if wanted.small:
            self._fill(place, SMALL_IMAGE, wanted.small)
        if wanted.database:
            (place / KEYS).write_text("".join(self._lines(wanted)), encoding="ascii")

    def _lines(self, wanted: Wanted) -> Iterator[str]:
        """Yield the lines of a list of them."""
        size = f"({self.height // wanted.divided},{self.width // wanted.divided},3)"
        for index in range(self.count):
            yield (
                f"{_name(index)}, {_name(index, SMALL_IMAGE)}\n"
                if wanted.pairs
                else f"{_name(index)} {size}\n"
            )

    def _fill(self, place: Path, template: str, divided: int, count: int = 0) -> None:
        picture = png(max(1, self.width // divided), max(1, self.height // divided))
        for index in range(count or self.count):
            (place / _name(index, template)).write_bytes(picture)


def _is_private(place: Path, around: Enclosure) -> bool:
    """Return whether a place of the copy is in there: a folder above it may be a link to the user's own."""
    return place.parent.resolve().is_relative_to(around.private.resolve())


def _name(number: int, template: str = "{}") -> str:
    return f"{template.replace('{}', f'{MADE_UP}{number:05}')}.png"


def parse_made_up(text: str) -> MadeUp:
    """Read --data; ValueError where it has another form."""
    match = MADE_UP_FORM.fullmatch(text)
    if match is None or not all(map(int, match.groups()[:3])) or int(match[3]) > MOST_MADE_IMAGES:
        raise ValueError(
            f'"{text}" is not images:WIDTHxHEIGHT:COUNT[:FOLDER,...], for example images:512x512:20 '
            f"(at most {MOST_MADE_IMAGES})"
        )
    width, height, count = map(int, match.groups()[:3])
    return MadeUp(width, height, count, tuple(match[4].split(",")) if match[4] else ())


@cache
def png(width: int, height: int) -> bytes:
    """Return a picture with some texture in it, as a PNG file."""
    wave = bytes((x * 7 + shift * 85) & 255 for x in range(width + 256) for shift in (0, 1, 2))
    rows = b"".join(b"\0" + wave[3 * (y * 13 % 256) :][: 3 * width] for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
