# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whose trainer reads a config: its name, its version, and how it is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from trainlint.repository.trainer.trainer_source import TrainerSource


BY_CONFIG = "config"
"""The basis of a trainer that nothing but the config speaks for: a fork may read it as well."""


BY_SOURCE = "source"


BY_ENVIRONMENT = "environment"
"""The basis of a trainer that the user's interpreter has installed, as it was released."""


BY_SCHEMA = "schema"
"""The basis where a schema itself is asked (rules' examples): it is its own trainer."""


class Signs(Struct, frozen=True):
    """What a dialect says of its trainer: `as_of` is the date of what its schema knows.

    `markers` are files that show its source, as paths from the root of its repository; `structs` is the class
    in the first of them whose fields are the options. Without `forks` every published version is in the
    schema: it speaks for all of them. `library` is the package whose installed version decides its networks.
    `torch`: which torch the files around ask for is read; it is the key that has another library attend.
    `installed` is the `package` that has the trainer, and which `versions` the schema speaks for, a pattern.
    `own` says where a config names classes that a repository may define (dialects/extract/fork_classes.py).
    `runs` are the files of a repository that its runs run, as patterns (repository/code/published_code.py).
    `bases` are a library's trainers, of which a repository may start one of its own.
    `entries` are the modules that every run imports, of which the first that is there counts; PACKAGE is what
    its package is called there.
    `vendored` are folders under which other repositories carry all of its own.
    `sibling` is a file with a `parse` that shows its source next to a train.py and option files.
    What is not `identified` is some script with a parser: nothing that is found of it is a fail.
    """

    as_of: str = ""
    markers: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    vendored: tuple[str, ...] = ()
    sibling: str = ""
    structs: str | None = None
    forks: bool = True
    library: str = ""
    torch: str = ""
    installed: Mapping[str, str] | None = None
    own: Mapping[str, Any] | None = None
    runs: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    identified: bool = True


class Named(Struct, frozen=True):
    """The trainer that the user named: a dialect's id, by `flag` or `setting`."""

    id: str
    basis: str


class Version(Struct, frozen=True):
    """A published version of a trainer: what to look for in its source, in words.

    `in_source`: trainlint finds it by itself where it has the source (--repo). `script`: what is started.
    """

    told_by: str
    in_source: bool = False
    script: str = ""


class Trainer(Struct, frozen=True):
    """A trainer as identified: its dialect's id, a version where one is written down, and how it is known.

    `root` is the folder of its repository, or of one that builds on it installed; `source` what its own
    Python says, where all of it is there; `own` are its classes that are not published.
    `package` is what its package is called where a copy gave it another name, else "". `within` is `root` as
    seen from the working directory, where the script of a command led there. `around`: where a trainer is
    installed as released, the folder that alone may have names that it has not. `fork`: the repository that
    an installed one is taken from, where that is none of its publishers'.
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
    around: Path | None = None
    fork: str = ""

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
        taken = f", installed from {self.fork}" if self.fork else ""
        return f"{self.title or self.name}{version} {where}{having}{taken}"

    @property
    def named(self) -> bool:
        """The user says that it is the original, or a version of it that takes what the schema takes."""
        return self.basis not in (BY_CONFIG, BY_SOURCE)
