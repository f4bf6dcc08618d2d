# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Folders of images, and lists of their names, that option files and flags point at and that are not there.

Which key wants the small images of a pair, and which a list of names, is known by what BasicSR, KAIR and
their kin call them; any other folder gets images of the size that was asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dry_run.rehearsing.class_folders import ClassFolders, class_folders_of
from trainlint.dry_run.rehearsing.option_documents import option_documents
from trainlint.dry_run.starting.program import Program

FOLDER: Final = re.compile(
    r"dataroot(_\w+)?|data_?(root|dir|path|folder)|(train|val|image|img)_?(dir|root|path|folder|data)|root_dir|root|dir_\w+"
)
"""Keys and flags that name a folder of images."""
SMALL_IMAGE_KEYS: Final = re.compile(r".*_(lq|lr|l|input)", re.IGNORECASE)
"""Those of the small images of a pair."""
LIST_FILE_KEYS: Final = re.compile(r"meta_info(_file)?")
"""Those of a list of the images' names."""
TEMPLATE: Final = "filename_tmpl"
DATABASE: Final = ".lmdb"
"""How the folder of a database of images ends, to BasicSR and its kin."""
OF_PAIRS: Final = "realesrganpaireddataset"
"""The data set whose list names both images of a pair."""
SMALL_IMAGE: Final = "{}_small"
"""How it finds the small one here."""
IMAGES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
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
    database: bool = False
    """Whether it is read as a database of lmdb's: a list in it has the keys."""
    splits: tuple[str, ...] = ()
    """Folders in it that have a folder for each class; (): the images lie in it themselves."""


def wanted_of(program: Program, folder: Path, named: Sequence[str] = ()) -> Iterator[Wanted]:
    """Yield what a program's option files and flags point at, and what is `named`, that is not there."""
    folders: dict[str, Wanted] = {}
    by_class = class_folders_of(program, folder) or ClassFolders((), (), by_script=False)
    said = (
        *_read_by(by_class.paths, by_class.splits, folder),
        *_of_files(program, folder), *_of_flags(program, folder),
    )  # fmt: skip
    for wanted in (*said, *_read_by(named, by_class.splits if by_class.by_script else (), folder)):
        first = folders.setdefault(wanted.path, wanted)
        if wanted.pairs and wanted.divided != first.divided:
            folders[wanted.path] = replace(first, small=wanted.divided)
    yield from list(folders.values())[:MOST_IMAGE_FOLDERS]


def _read_by(paths: Sequence[str], splits: tuple[str, ...], folder: Path) -> Iterator[Wanted]:
    return (Wanted(path, splits=splits) for path in paths if not _is_there(folder / path))


def _of_files(program: Program, folder: Path) -> Iterator[Wanted]:
    for document in option_documents(program, folder):
        scale = document.value.get("scale", 1) if isinstance(document.value, Mapping) else 1
        yield from _of_mapping(document.value, scale if isinstance(scale, int) and scale > 0 else 1, folder)


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
    """Return how a data set's small images are called; SMALL_IMAGE where its list names both of a pair."""
    return SMALL_IMAGE if str(section.get("type")).lower() == OF_PAIRS else section.get(TEMPLATE)


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
    if not path or path.startswith("-") or "://" in path or _is_there(folder / path):
        return
    pairs = template == SMALL_IMAGE
    if LIST_FILE_KEYS.fullmatch(key):
        yield Wanted(path, names=True, pairs=pairs)
    elif FOLDER.fullmatch(key):
        small = SMALL_IMAGE_KEYS.fullmatch(key) is not None
        database = path.endswith(DATABASE)  # its keys are the same for both images of a pair
        templated = small and not database and isinstance(template, str) and "/" not in template
        named = template if templated else "{}"
        yield Wanted(path, scale if small else 1, template=named, pairs=pairs, database=database)


def _is_there(path: Path) -> bool:
    """Return whether there is something at a path: a folder with nothing but a placeholder in it is not."""
    if not path.is_dir():
        return path.exists()
    with os.scandir(path) as entries:
        return any(
            not entry.name.startswith((".", "README", "readme", "put_", "placeholder")) for entry in entries
        )
