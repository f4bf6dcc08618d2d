# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Programs that read images by torchvision's ImageFolder or timm's reader: a folder for each class.

Where theirs lie is the value of a flag, a word without one, or the default of either, by the script's parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.dry_run.starting.program import Program
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes
from trainlint.repository.survey.argparse_parsers import parser_of
from trainlint.repository.survey.python_files import FILE_BYTES, Files, TooMuchError

READS_CLASSES: Final = re.compile(
    r"\w\.ImageFolder\b|from torchvision\.datasets import [^;]{0,200}?\bImageFolder\b"
    r"|from timm\.data import [^;]{0,400}?\bcreate_dataset\b",
    re.DOTALL,
)
"""What a source has that reads a folder for each class."""
SPLIT_NAME: Final = re.compile(r"""["'](train|training|val|valid|validation|test)["']""")
"""Names of the folders between, as the source joins them to the root or a flag's default has them."""
USUAL_SPLITS: Final = ("train", "val")
NEARBY_FOLDERS: Final = re.compile(r"(data|dataset|datasets|utils|util|loaders?|lib|src)\w*")
"""Folders next to a script whose modules are looked at."""
DATA: Final = re.compile(
    r"data(set)?(_?(root|dir|path|folder))?|root|(train|val|test)_?(dir|data|path|folder)"
)
"""What such a program calls the folder."""
FIRST_WORD: Final = re.compile(r"(image|img|input)s?(_?(dir|path|folder))?|path|folder|dir(ectory)?")
"""What it calls it besides where it is a word without a flag."""
NAME_OR_FOLDER: Final = "dataset"
"""A flag of which a default is more often a data set's name."""
MOST_SOURCES: Final = 200
NO_VALUE: Final = ("store_true", "store_false", "store_const", "count", "append_const", "help", "version")
"""Actions of flags that take no word."""


class ClassFolders(Struct, frozen=True):
    """The folders of a program that are read by class, and what each has in it.

    `by_script` says whether its script is what reads them: a file next to it may be another program's.
    """

    paths: tuple[str, ...]
    splits: tuple[str, ...]
    by_script: bool = True


def class_folders_of(program: Program, folder: Path) -> ClassFolders | None:
    """Return what a program reads by class; None where its source shows nothing of the kind."""
    script = folder / program.script
    if not script.is_file():
        return None
    readers = [text for text in map(_text, _sources(script)) if READS_CLASSES.search(text)]
    if not readers:
        return None
    try:
        parser = parser_of(Files(str(script.parent)), script.name)
    except TooMuchError:
        parser = None
    paths = dict.fromkeys(_named(program.own_words, (parser or {"flags": ()})["flags"]))
    splits = dict.fromkeys(name for text in readers for name in SPLIT_NAME.findall(text))
    by_itself = READS_CLASSES.search(_text(script)) is not None
    return ClassFolders(tuple(paths), tuple(splits) or USUAL_SPLITS, by_itself)


def _sources(script: Path) -> Iterator[Path]:
    near = [script, *sorted(script.parent.glob("*.py"))]
    for place in sorted(script.parent.iterdir()):
        if place.is_dir() and NEARBY_FOLDERS.fullmatch(place.name):
            near += sorted(place.glob("*.py"))
    yield from list(dict.fromkeys(near))[:MOST_SOURCES]


def _text(path: Path) -> str:
    try:
        return regular_bytes(str(path), FILE_BYTES).decode("utf-8", "replace")
    except (UnreadableError, OSError):
        return ""


def _named(words: Sequence[str], flags: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the folders that words name, and where they name none those of the parser's defaults."""
    by_name = {name: flag for flag in flags for name in flag["names"]}
    free = [flag for flag in flags if flag["positional"]]
    given: dict[str, str] = {}
    index = 0
    while index < len(words):
        name, equals, value = words[index].partition("=")
        following = words[index + 1 : index + 2]
        index += 1
        if not name.startswith("-"):
            given.setdefault(free.pop(0)["dest"] if free else name, words[index - 1])
            continue
        flag = by_name.get(name, {})
        takes = flag.get("action") not in NO_VALUE and following and not following[0].startswith("-")
        if equals or takes:
            given[str(flag.get("dest") or name.lstrip("-").replace("-", "_"))] = (
                value if equals else following[0]
            )
            index += not equals
    defaults = {
        flag["dest"]: flag["default"] for flag in flags
        if isinstance(flag["default"], str) and flag["default"] and flag["dest"] != NAME_OR_FOLDER
    }  # fmt: skip
    words_alone = {flag["dest"] for flag in flags if flag["positional"]}
    for dest, value in {**defaults, **given}.items():
        name = dest.lower()
        known = DATA.fullmatch(name) or (dest in words_alone and FIRST_WORD.fullmatch(name))
        if known and "://" not in value:
            yield value
