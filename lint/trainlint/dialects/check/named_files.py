# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that a command names and that are not there, where the folder they are in is.

A property with `"x-file": true` names a file, relative to the folder in which the command is run. Nobody
knows that folder; it is taken to be one of those above the file that holds the command, unless the lines
before it clone another repository and go there. Nothing is opened but git's own list of remotes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from trainlint.dialects.messages.typos import one_edit
from trainlint.dialects.schema.dialect import Dialect
from trainlint.documents.file_format import is_page
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.expressions.patterns import later
from trainlint.files.safe_open import is_file, is_folder, is_there, may_exist, note_failure, open_regular
from trainlint.model.document import Document
from trainlint.model.job import Problem

_PLAIN = later(r"[\w@+,. -]+(?:/[\w@+,. -]+)+")
_PLAIN_NAME = later(r"[\w@+,. -]+")
_ANY = later(r"(?i)(?:^|[/_-])(?:your?|my|custom|path|to|arch|some|example|xx+|foo)(?=$|[/_.-])")
"""Words with which pages represent a file of the reader's own."""
_CLONED = later(r"(?m)\bgit clone\s[^\n]{0,300}?[/:]([\w.-]+?)(?:\.git)?/?[ \t]*$")
_REMOTE = later(r"(?m)^\s*url\s*=\s*\S{0,300}[/:]([\w.-]+?)(?:\.git)?/?[ \t]*$")
_MADE = later(r"(?i)\b(?:create|save|add|write|make|new file)\b")
"""Words before the name of a file on a page that its reader is to make."""
MOST_REMOTES = 1 << 16
"""Bytes of git's file of them that are read."""
MOST_FOLDERS_UP = 8
"""How many folders up a repository's root is looked for."""


def missing_files(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each named file that is missing in a folder that is there."""
    if not isinstance(document.value, dict) or not is_file(document.source.path) or _is_cloned(document):
        return
    for name, part in dialect.schema.get("properties", {}).items():
        text = document.value.get(name)
        if part.get("x-file") and isinstance(text, str) and _PLAIN.fullmatch(text) and not _ANY.search(text):
            yield from _missing(document, dialect, name, PurePosixPath(text))


def missing_script(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem where the script that a command starts is missing in a folder that is there.

    One that is named without a folder may lie where the reader is told to go: it is missed where another file
    of the command and other scripts are there, and where it is a slip of one that is.
    """
    text = document.value.get("@script") if isinstance(document.value, dict) else None
    if not isinstance(text, str) or not text.endswith(".py") or ("@script",) not in document.places:
        return
    named = PurePosixPath(text)
    if _ANY.search(text) or not is_file(document.source.path) or _is_cloned(document):
        return
    if len(named.parts) > 1 and _PLAIN.fullmatch(text):
        yield from _missing(document, dialect, "@script", named)
    elif _PLAIN_NAME.fullmatch(str(named)) and not any(may_exist(base / named) for base in _bases(document)):
        where = _run_folder(document, dialect)
        here = where or next(_bases(document), None)
        scripts = [name for name in _names(here) if name.endswith(".py")] if here is not None else []
        near = [name for name in scripts if one_edit(name, str(named))]
        meant = f'; did you mean "{near[0]}"?' if len(near) == 1 else ""
        if meant or (where is not None and scripts):
            yield Problem("missing-file", f'"{text}" is not there{meant}', ("@script",))


def _is_cloned(document: Document) -> bool:
    """Return whether a command is run in a clone of another repository, which its text has gone to."""
    name = str(document.meta.get("folder") or "").partition("/")[0].lower()
    if not name or name not in map(str.lower, _CLONED.findall(document.source.text)):
        return False
    above = list(Path(document.source.path).resolve().parents)[:MOST_FOLDERS_UP]
    root = next((folder for folder in above if is_there(folder / ".git")), None)
    remotes = _remotes(root) if root is not None else []
    return name not in (remotes or [folder.name.lower() for folder in above])


def _remotes(root: Path) -> list[str]:
    try:
        file = open_regular(root / ".git" / "config")
    except OSError as error:
        note_failure(root / ".git" / "config", error)
        return []
    if file is None:
        return []
    with file:
        return [name.lower() for name in _REMOTE.findall(file.read(MOST_REMOTES).decode("utf-8", "replace"))]


def _run_folder(document: Document, dialect: Dialect) -> Path | None:
    """Return the folder in which a command is run, where another file that it names is found from there."""
    for name, part in dialect.schema.get("properties", {}).items():
        text = document.value.get(name)
        if part.get("x-file") and isinstance(text, str) and _PLAIN.fullmatch(text):
            return _folder_with(document, text)
    return None


def _folder_with(document: Document, file: str) -> Path | None:
    return next((base for base in _bases(document) if may_exist(base / file)), None)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # it is asked for names
    except OSError as error:
        note_failure(folder, error)
        return []


def _missing(document: Document, dialect: Dialect, name: str, named: PurePosixPath) -> Iterator[Problem]:
    folders = list(_bases(document))
    if ".." in named.parts or _is_made(document, named) or any(may_exist(base / named) for base in folders):
        return
    there = next((base / named.parent for base in folders if is_folder(base / named.parent)), None)
    if there is None:
        yield from _missing_with_its_folder(document, dialect, name, named)
        return
    near = _near(named.name, _names(there))
    meant = f'; did you mean "{named.with_name(near)}"?' if near else ""
    yield Problem("missing-file", f'"{named}" is not there, though its folder is{meant}', (name,))


def _is_made(document: Document, named: PurePosixPath) -> bool:
    """Return whether a page asks its reader to make the file: "Create `options/own.yml`"."""
    if not is_page(document.source.path):
        return False
    lines = (line.partition(f"`{named}`") for line in document.source.text.splitlines())
    return any(tick and _MADE.search(before) for before, tick, _ in lines)


def _missing_with_its_folder(
    document: Document, dialect: Dialect, name: str, named: PurePosixPath
) -> Iterator[Problem]:
    """Yield a problem where it is sure in which folder a command is run: it has a part of the path alone."""
    script = str(document.value.get("@script") or "")
    base = _run_folder(document, dialect) if name == "@script" else _folder_with(document, script)
    if base is None or not script or not is_folder(base / named.parts[0]):
        return
    lost = next(folder for folder in reversed(named.parents) if not is_folder(base / folder))
    near = _near(lost.name, _names(base / lost.parent))
    other = (lost.parent / near).joinpath(named.relative_to(lost)) if near else None
    meant = f'; did you mean "{other}"?' if other and may_exist(base / other) else ""
    yield Problem("missing-file", f'"{named}" is not there, nor is the folder "{lost}"{meant}', (name,))


def _near(name: str, names: Sequence[str]) -> str | None:
    """Return the name that is meant: the same one in another case, or the nearest."""
    folded = [other for other in names if other.lower() == name.lower()]
    return folded[0] if folded else most_alike(name, names, CLOSE_RATIO)


def _bases(document: Document) -> Iterator[Path]:
    """Yield where a command changed into, its file's folder and those above, up to the repository's root."""
    from trainlint.commands.shell.working_folder import tails  # noqa: PLC0415 - of a command alone

    for folder in list(Path(document.source.path).resolve().parents)[:MOST_FOLDERS_UP]:
        for tail in tails(document.meta.get("folder") or ""):
            yield folder / tail
        yield folder
        if is_there(folder / ".git"):
            return
