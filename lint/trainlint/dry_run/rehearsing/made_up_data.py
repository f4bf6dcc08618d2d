# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--data images:512x512:20: made-up images where a config, or a command's flags, point and nothing is.

They lie in the private folder alone. Which key wants the small images of a pair, and which a list of names,
is known by what BasicSR, KAIR and their kin call them; any other folder gets images of the size that was
asked for. A list of other images' names is replaced by one of these, as the program sees it.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.documents.file_format import is_option_file, read
from trainlint.dry_run.enclosure.copying import project_of
from trainlint.dry_run.enclosure.enclosure import Enclosure
from trainlint.dry_run.enclosure.instructions import OVERLAY
from trainlint.dry_run.starting.program import Program
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import load_source

if TYPE_CHECKING:
    from trainlint.dry_run.enclosure.enclosure import Prepared

MADE_UP_FORM: Final = re.compile(r"images:(\d{1,5})x(\d{1,5}):(\d{1,5})")
FOLDER: Final = re.compile(
    r"dataroot(_\w+)?|data_?(root|dir|path|folder)|(train|val|image|img)_?(dir|root|path|folder|data)|root_dir|root|dir_\w+"
)
"""Keys and flags that name a folder of images."""
SMALL_IMAGE_KEYS: Final = re.compile(r".*_(lq|lr|l|input)", re.IGNORECASE)
"""Those of the small images of a pair."""
LIST_FILE_KEYS: Final = re.compile(r"meta_info(_file)?")
"""Those of a list of the images' names."""
TEMPLATE: Final = "filename_tmpl"
OF_PAIRS: Final = "realesrganpaireddataset"
"""The data set whose list names both images of a pair."""
SMALL: Final = "{}_small"
"""How it finds the small one here."""
IMAGES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
MADE_UP: Final = "made_up_"
"""How the names of made-up images begin."""
MOST_MADE_IMAGES: Final = 4096
"""Images that are made of one size at most, and folders times images of a run."""
MOST_IMAGE_FOLDERS: Final = 64


class Wanted(Struct, frozen=True):
    """A folder of images, or (`names`) a list of them, where a config points."""

    path: str
    divided: int = 1
    names: bool = False
    template: str = "{}"
    """How the small image of a pair is called, by the name of the large one without its ending."""
    pairs: bool = False
    """Whether a list names the small image of a pair too; a folder may then have both."""
    small: int = 0
    """What the small images are divided by that lie among the large ones; 0: there are none."""


class MadeUp(Struct, frozen=True):
    """Images of a size, and how many of them."""

    width: int
    height: int
    count: int

    def preparing(self, program: Program, folder: Path) -> Prepared:
        """Return what lays them out before the program starts; UsageError where nothing wants them."""
        wanted = tuple(wanted_of(program, folder))
        if not wanted:
            raise UsageError(
                "--data: no key of the config and no flag names a folder of images that is not there"
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
            lines = [
                f"{_name(index)}, {_name(index, SMALL)}\n"
                if wanted.pairs
                else f"{_name(index)} ({self.height},{self.width},3)\n"
                for index in range(self.count)
            ]
            place.write_text("".join(lines), encoding="ascii")
            return
        place.mkdir(parents=True, exist_ok=True)
        self._fill(place, wanted.template, wanted.divided)
        if wanted.small:
            self._fill(place, SMALL, wanted.small)

    def _fill(self, place: Path, template: str, divided: int) -> None:
        picture = png(max(1, self.width // divided), max(1, self.height // divided))
        for index in range(self.count):
            (place / _name(index, template)).write_bytes(picture)


def _is_private(place: Path, around: Enclosure) -> bool:
    """Return whether a place of the copy is in there: a folder above it may be a link to the user's own."""
    return place.parent.resolve().is_relative_to(around.private.resolve())


def _name(number: int, template: str = "{}") -> str:
    return f"{template.replace('{}', f'{MADE_UP}{number:05}')}.png"


def parse_made_up(text: str) -> MadeUp:
    """Read --data; ValueError where it has another form."""
    match = MADE_UP_FORM.fullmatch(text)
    if match is None or not all(map(int, match.groups())) or int(match[3]) > MOST_MADE_IMAGES:
        raise ValueError(
            f'"{text}" is not images:WIDTHxHEIGHT:COUNT, for example images:512x512:20 '
            f"(at most {MOST_MADE_IMAGES})"
        )
    return MadeUp(int(match[1]), int(match[2]), int(match[3]))


def wanted_of(program: Program, folder: Path) -> Iterator[Wanted]:
    """Yield what the option files and flags of a program point at that is not there, each once."""
    folders: dict[str, Wanted] = {}
    for wanted in (*_of_files(program, folder), *_of_flags(program, folder)):
        first = folders.setdefault(wanted.path, wanted)
        if wanted.pairs and wanted.divided != first.divided:
            folders[wanted.path] = replace(first, small=wanted.divided)
    yield from list(folders.values())[:MOST_IMAGE_FOLDERS]


def _of_files(program: Program, folder: Path) -> Iterator[Wanted]:
    for word in program.own_words:
        path = folder / word
        if not is_option_file(word) or not path.is_file():
            continue
        try:
            documents = read(load_source(str(path)))
        except UnreadableError:
            continue
        for document in documents:
            scale = document.value.get("scale", 1) if isinstance(document.value, Mapping) else 1
            yield from _of_mapping(
                document.value, scale if isinstance(scale, int) and scale > 0 else 1, folder
            )


def _of_mapping(value: Any, scale: int, folder: Path) -> Iterator[Wanted]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _of_mapping(item, scale, folder)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            paths = item if isinstance(item, list) and all(isinstance(text, str) for text in item) else [item]
            for path in paths:
                if isinstance(path, str):
                    yield from _wanted(str(key), path, scale, folder, _template(value))
            if not isinstance(item, str):
                yield from _of_mapping(item, scale, folder)
        yield from _other_lists(value, scale, folder)


def _template(section: Mapping[Any, Any]) -> Any:
    """Return how a data set's small images are called; SMALL where its list names both of a pair."""
    return SMALL if str(section.get("type")).lower() == OF_PAIRS else section.get(TEMPLATE)


def _other_lists(value: Mapping[Any, Any], scale: int, folder: Path) -> Iterator[Wanted]:
    """Yield the lists that are there and name images of a folder that is not."""
    texts = {str(key): item for key, item in value.items() if isinstance(item, str)}
    if any(FOLDER.fullmatch(key) and list(_wanted(key, item, scale, folder)) for key, item in texts.items()):
        for key, item in texts.items():
            if LIST_FILE_KEYS.fullmatch(key) and _is_list(folder / item):
                yield Wanted(item, names=True)


def _is_list(path: Path) -> bool:
    """Return whether a file's lines each begin with the name of an image."""
    try:
        with path.open(encoding="utf-8") as lines:
            return Path((next(lines, "").split() or [""])[0]).suffix.lower() in IMAGES
    except (OSError, UnicodeDecodeError):
        return False


def _of_flags(program: Program, folder: Path) -> Iterator[Wanted]:
    words = program.own_words
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name.startswith("-") and (equals or index + 1 < len(words)):
            yield from _wanted(
                name.lstrip("-").replace("-", "_"), value if equals else words[index + 1], 1, folder
            )


def _wanted(key: str, path: str, scale: int, folder: Path, template: Any = None) -> Iterator[Wanted]:
    if (
        not path
        or path.startswith("-")
        or "://" in path
        or path.endswith(".lmdb")
        or _is_there(folder / path)
    ):
        return
    pairs = template == SMALL
    if LIST_FILE_KEYS.fullmatch(key):
        yield Wanted(path, names=True, pairs=pairs)
    elif FOLDER.fullmatch(key):
        small = SMALL_IMAGE_KEYS.fullmatch(key) is not None
        named = template if small and isinstance(template, str) and "/" not in template else "{}"
        yield Wanted(path, scale if small else 1, template=named, pairs=pairs)


def _is_there(path: Path) -> bool:
    """Return whether there is something at a path: a folder with nothing but a placeholder in it is not."""
    if not path.is_dir():
        return path.exists()
    with os.scandir(path) as entries:
        return any(
            not entry.name.startswith((".", "README", "readme", "put_", "placeholder")) for entry in entries
        )


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
