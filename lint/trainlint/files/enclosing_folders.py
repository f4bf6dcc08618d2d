# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The folders around a config that may hold its trainer: up to its repository's root, no link followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from trainlint.files.safe_open import is_file, is_path, is_there, note_failure, open_regular

MOST_FOLDERS_UP = 16
"""Folders above a config that are looked at."""

BEGINNING_BYTES = 65_536
"""Bytes of a file in which a version, a pin or an import is looked for."""


TEST_DEPTH = 2
"""Folders above an option file in which "test" says what it is for (options/test/EDVR/EDVR_R.yml)."""


def lies_with_tests(config: str) -> bool:
    """Return whether the folders right above an option file hold what is tested."""
    return not {"test", "tests"}.isdisjoint(PurePath(config).parts[-TEST_DEPTH - 1 : -1])


def folders_above(config: str) -> Iterator[Path]:
    """Yield a config's folder and those above it, up to the repository's root.

    Without a repository the working directory is the last; a config outside of it has its own folder alone:
    what others may write to (/tmp) is no trainer's source. A folder of another owner ends the search.
    """
    folder = Path(os.path.abspath(config)).parent  # noqa: PTH100 - resolve() would follow links out
    above = [folder, *folder.parents][:MOST_FOLDERS_UP]
    roots = [place for place in above if is_there(place / ".git")]
    here = Path.cwd()
    last = roots[0] if roots else here if here in above else folder
    owner = _owner(folder)
    for place in above[: above.index(last) + 1]:
        if _owner(place) != owner:
            return
        yield place


def repository_of(config: str) -> Path | None:
    """Return the root of the repository that a config lies in; None where it lies in none."""
    *_, last = (None, *folders_above(config))
    return last if last is not None and is_there(last / ".git") else None


def folders_of_script(script: str, config: str) -> Iterator[Path]:
    """Yield a script's folder and those above it, for a config that a command starts it with.

    They end where those above a config do, at the working directory, and at a folder of another owner than
    the config's. A package's own folder is passed over: its repository is around it.
    """
    here, owner = Path.cwd(), _owner(Path(os.path.abspath(config)).parent)  # noqa: PTH100 - as above
    for folder in folders_above(os.path.realpath(script)):
        if not folder.is_relative_to(here) or _owner(folder) != owner:
            return
        if inside(folder, "__init__.py") is None:
            yield folder


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except OSError as error:
        note_failure(folder, error)
        return None


def inside(folder: Path, name: str) -> Path | None:
    """Return the file `name` of a folder, if it is one and really lies in there."""
    if not is_path(name):
        return None
    path = folder / name
    if not is_file(path):
        return None  # mostly, and to follow links takes a look at each folder on the way
    real, root = os.path.realpath(path), os.path.realpath(folder)
    if not real.startswith(os.path.join(root, "")) or not os.path.isfile(real):  # noqa: PTH113, PTH118  # as above
        return None
    return path


def leads_out(path: str) -> bool:
    """Return whether a path is a link to a file outside of its repository that is called differently.

    What its target's own extension says is no config is none under another name: a key, a table of passwords.
    """
    if not os.path.islink(path):  # noqa: PTH114 - as it came
        return False
    real = os.path.realpath(path)
    ending, own = (os.path.splitext(name)[1].lower() for name in (path, real))  # noqa: PTH122 - as above
    if ending and ending == own:
        return False
    root = os.path.realpath([Path(os.path.abspath(path)).parent, *folders_above(path)][-1])  # noqa: PTH100 - as above
    return not real.startswith(os.path.join(root, ""))  # noqa: PTH118 - as above


def led_out(path: str) -> str | None:
    """Return where a path really leads that a link takes out of its repository; None for any other.

    Without a repository the working folder is the tree. What git keeps for itself counts as outside, and
    what lies in no tree may be any link of the user's.
    """
    named, here = os.path.abspath(path), Path.cwd()  # noqa: PTH100 - as above
    root = repository_of(path) or (here if Path(named).is_relative_to(here) else None)
    if root is None:
        return None
    real, top = os.path.realpath(path), os.path.realpath(root)
    below = os.path.join(top, "")  # noqa: PTH118 - as above
    if real == os.path.normpath(os.path.join(top, os.path.relpath(named, root))):  # noqa: PTH118 - as above
        return None
    kept = real.startswith(below) and not real.startswith(os.path.join(below, ".git", ""))  # noqa: PTH118 - as above
    return None if kept else real


def beginning(path: Path, most: int = BEGINNING_BYTES) -> str:
    """Return the first bytes of a file as text; "" where it cannot be read."""
    try:
        file = open_regular(path)
        if file is None:
            return ""
        with file:
            return file.read(most).decode("utf-8", "replace")
    except OSError as error:
        note_failure(path, error)
        return ""
