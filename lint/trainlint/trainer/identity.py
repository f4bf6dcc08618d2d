# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer that will read a config: named by the user, found around it, or only guessed from it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from trainlint.patterns import later
from trainlint.read.folders import beginning, folders_above, inside

if TYPE_CHECKING:
    from trainlint.trainer.source import TrainerSource

BY_CONFIG = "config"
"""The basis of a trainer that nothing but the config speaks for: a fork may read it as well."""

BY_SOURCE = "source"

BY_SCHEMA = "schema"
"""The basis where a schema itself is asked (rules' examples): it is its own trainer."""

MOST_FOLDERS = 100
"""Folders next to a config's that are looked at for a training script."""

_VERSION = later(r"""(?m)^(?:version\s*=\s*)?["']?(\d+(?:\.\w+)+)["']?\s*$""")


class Signs(Struct, frozen=True):
    """What a dialect says of its trainer: `as_of` is the date of what its schema knows.

    `markers` are files that show its source, as paths from the root of its repository; `structs` is the class
    in the first of them whose fields are the options. Without `forks` every published version is in the
    schema: it speaks for all of them. `library` is the package whose installed version decides its networks.
    `own` says where a config names classes that a repository may define (normalise/forked.py). What is not
    `identified` is some script with a parser: nothing that is found of it is a fail.
    """

    as_of: str = ""
    markers: tuple[str, ...] = ()
    structs: str | None = None
    forks: bool = True
    library: str = ""
    own: Mapping[str, Any] | None = None
    identified: bool = True


class Named(Struct, frozen=True):
    """The trainer that the user named: a dialect's id, by `flag` or `setting`."""

    id: str
    basis: str


class Trainer(Struct, frozen=True):
    """A trainer as identified: its dialect's id, a version where one is written down, and how it is known.

    `root` is the folder of its repository, or of one that builds on it installed; `source` what its own
    Python says, where all of it is there; `own` are the classes that it has and that nobody published.
    `package` is what its package is called where a copy gave it another name, else "". `within` is `root` as
    seen from the working directory, where the script of a command led there.
    """

    name: str
    version: str | None = None
    basis: str = BY_CONFIG
    path: str | None = None
    source: TrainerSource | None = None
    root: Path | None = None
    title: str = ""
    own: tuple[str, ...] = ()
    package: str = ""
    within: str = ""

    @property
    def words(self) -> str | None:
        """Say it: "BasicSR 1.3.4.9 in ./basicsr, with its own DRCTModel"; None for one that was not found."""
        if self.path is None or self.root is None:
            return None
        place = Path(self.path).relative_to(self.root)
        shown = Path(self.within, place if self.source is None else place.parts[0]).as_posix()
        where = f"in ./{shown}" if self.source is not None else f"started by ./{shown}"
        version = f" {self.version}" if self.version else ""
        having = f", with its own {', '.join(self.own)}" if self.own else ""
        return f"{self.title or self.name}{version} {where}{having}"

    @property
    def named(self) -> bool:
        """The user says that it is the original, or a version of it that takes what the schema takes."""
        return self.basis not in (BY_CONFIG, BY_SOURCE)


def identify(
    name: str,
    signs: Signs,
    config: str,
    script: str,
    named: Named | None,
    *,
    repo: Path | None = None,
    runs: str = "",
) -> Trainer:
    """Return the trainer of a config in the dialect `name`; `script` is what a command starts, or "".

    `repo` is the folder of its repository, as the user says; without it that of `runs`, the file of the
    script that a command runs the config with, then those above the config are looked at.
    """
    around = (repo,) if repo is not None else tuple(folders_above(config))
    if named is not None and named.id == name:
        return Trainer(name, basis=named.basis)
    found = _found(name, signs, around, script)
    if runs and repo is None:
        from trainlint.trainer.script import of_script  # noqa: PLC0415 - where a command names the config

        running = of_script(runs, config, lambda folders: _found(name, signs, folders, ""))
        if running is not None and not (found and _same(running.path, found.path)):
            return running
    return found or Trainer(name)


def _found(name: str, signs: Signs, around: Sequence[Path], script: str) -> Trainer | None:
    """Return the trainer whose source lies in one of the folders, the first one's first."""
    markers = (script,) if script.endswith(".py") else signs.markers
    for folder in around if markers else ():
        found = [inside(folder, marker) for marker in markers]
        if marked := [path for path in found if path is not None]:
            from trainlint.trainer.source import source_in  # noqa: PLC0415 - most configs lie alone

            return Trainer(
                name,
                _version(folder),
                BY_SOURCE,
                str(marked[0]),
                source_in(folder, marked[0], signs.structs),
                folder,
            )
    if signs.own is not None and not script:
        package = str(signs.own["package"])
        return _building_on(name, package, around) or _renamed(name, signs, around)
    return None


def _same(one: str | None, other: str | None) -> bool:
    return None not in (one, other) and os.path.realpath(str(one)) == os.path.realpath(str(other))


def _renamed(name: str, signs: Signs, around: Sequence[Path]) -> Trainer | None:
    """Return the trainer of a repository that has a copy of a trainer's package under another name.

    Its train.py, in the copy or next to it, takes the options from the copy's own marker, and the copy's
    models are chosen by the dialect's key.
    """
    notes: Mapping[str, Any] = signs.own or {}
    rest = dict.fromkeys(marker.removeprefix(f"{notes['package']}/") for marker in signs.markers)
    chosen = re.compile(rf"""\[["']{re.escape(str(notes["step"]))}["']\]""")
    for folder in around:
        for copy, part in product(_taken_from(folder, tuple(rest)), rest):
            marker, models = inside(folder, f"{copy}/{part}"), inside(folder, f"{copy}/models/__init__.py")
            if marker is not None and models is not None and chosen.search(beginning(models)):
                from trainlint.trainer.source import source_in  # noqa: PLC0415 - as above

                source = source_in(folder, marker, signs.structs)
                return Trainer(name, None, BY_SOURCE, str(marker), source=source, root=folder, package=copy)
    return None


def _taken_from(folder: Path, markers: Sequence[str]) -> Iterator[str]:
    """Yield the packages of a folder from which training scripts, there or in them, take their options."""
    modules = "|".join(re.escape(marker.removesuffix(".py").replace("/", ".")) for marker in markers)
    taken = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+(\w+)\.(?:{modules})\b")
    for script in _scripts(folder):
        for match in taken.finditer(beginning(script)):
            if script.parent in (folder, folder / match[1]):
                yield match[1]


def _building_on(name: str, package: str, around: Sequence[Path]) -> Trainer | None:
    """Return the trainer of a repository that imports an installed package in its training script."""
    imports = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+{re.escape(package)}\b")
    for folder in around:
        for script in _scripts(folder):
            if imports.search(beginning(script)):
                return Trainer(name, _pinned(folder, package), BY_SOURCE, str(script), root=folder)
    return None


def _pinned(folder: Path, package: str) -> str | None:
    """Return the version of an installed package that a repository asks for, if it names one."""
    pattern = re.compile(rf"(?im)\b{re.escape(package)}\s*==\s*(\d+(?:\.\w+)+)")
    paths = (inside(folder, name) for name in ("requirements.txt", "setup.py", "pyproject.toml"))
    found = (pattern.search(beginning(path)) for path in paths if path is not None)
    return next((match[1] for match in found if match), None)


def _scripts(folder: Path) -> Iterator[Path]:
    """Yield the training scripts of a folder and of the packages in it."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for place in ("", *(f"{name}/" for name in names[:MOST_FOLDERS] if not name.startswith("."))):
        script = inside(folder, f"{place}train.py")
        if script is not None:
            yield script


def _version(folder: Path) -> str | None:
    """Return the version that a repository states in a file of its root; None where it states none."""
    for name in ("VERSION", "pyproject.toml"):
        path = inside(folder, name)
        text = beginning(path) if path else ""
        if match := _VERSION.search(text):
            return match[1]
    return None
