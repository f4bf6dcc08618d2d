# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The environment around a job: what the files of the nearest folder that has any ask for."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.safe_open import is_file, note_failure
from trainlint.hardware.cuda_context import LAZY_CUDA, LAZY_TORCH
from trainlint.model.document import AT_HAND, Document, Release, Source
from trainlint.repository.environment import lock_files
from trainlint.repository.environment.readme_torch import READMES, conda_files, stated_versions
from trainlint.repository.environment.required_package import PackageRequirement
from trainlint.repository.environment.requirement_files import MOST_FILES, packages_of, shown_path, text_of

FILES: Final = (
    "requirements.txt", "requirements/requirements.txt", "environment.yml", "environment.yaml",
    "pyproject.toml", "setup.py", "setup.cfg", "Dockerfile", "docker/Dockerfile",
    *lock_files.FILES,
)  # fmt: skip
"""Files that say what is installed; a script says so only where it installs something."""

SCRIPTS: Final = ("install.sh", "setup.sh", "scripts/install.sh", "scripts/setup.sh")
"""Scripts of which lines that begin with pip count."""

BASICSR_FILES: Final = (
    "basicsr/data/degradations.py", "basicsr/train.py", "basicsr/version.py", "basicsr/__init__.py",
    "basicsr/models/__init__.py",
)  # fmt: skip
"""Files of a basicsr that lies in the checkout itself; the first has the import."""

TORCH_OF_IT: Final = (2, 2)
"""The torch with which torchvision 0.17 is installed."""


class Environment(Struct, frozen=True):
    """Packages by name, and the file of the checkout's own basicsr that needs a torchvision before 0.17.

    `own` is "" where its basicsr does not, None where it has none: an installed one is then imported.
    `stated` is the newest torch that a README says the code was written with.
    """

    packages: Mapping[str, tuple[PackageRequirement, ...]] = field(default_factory=dict)
    own: str | None = None
    stated: Release | None = None

    @property
    def values(self) -> dict[str, Any]:
        """What rules see as `env.<name>`; only what is there.

        A line that names no version ('torch' in setup.py) says nothing where another one names one.
        """
        values: dict[str, Any] = {
            name: [package.values for package in packages if package.clauses or package.cuda]
            or [package.values for package in packages]
            for name, packages in self.packages.items()
        }
        if self.stated:
            values["stated_torch"] = list(self.stated)
        if broken := self._without_functional_tensor():
            values["functional_tensor"] = broken
        return values

    @property
    def eager_torch(self) -> str:
        """What asks for a torch that loads every CUDA kernel at the start; "" where it may be a later one."""
        asked = self.packages.get("torch", ())
        return f"{asked[0].place}: torch{asked[0].clauses}" if asked and all(map(_is_eager, asked)) else ""

    def joined(self, other: Environment) -> Environment:
        """Return what both ask for; this one's own basicsr is the one that is imported."""
        names = dict.fromkeys((*self.packages, *other.packages))
        packages = {name: (*self.packages.get(name, ()), *other.packages.get(name, ())) for name in names}
        own = self.own if self.own is not None else other.own
        return Environment(packages, own, self.stated or other.stated)

    def _without_functional_tensor(self) -> str:
        """Name what imports the module that torchvision 0.17 removed, where that may be installed."""
        torchvision = self.packages.get("torchvision", ())
        new = all(package.may_be((0, 17)) and not package.at_an_address for package in torchvision)
        new = new and all(package.may_be(TORCH_OF_IT) for package in self.packages.get("torch", ()))
        new = new and (self.stated is None or self.stated >= TORCH_OF_IT)
        if not new:
            return ""
        if self.own is not None:
            return self.own
        listed = (package for package in self.packages.get("basicsr", ()) if package.may_be((1, 3)))
        return next((f"{package.place}: basicsr{package.clauses}" for package in listed), "")


def _is_eager(torch: PackageRequirement) -> bool:
    """Return whether every release that is let in loads all kernels: before 1.13, or for CUDA before 11.7."""
    if torch.cuda and tuple(map(int, torch.cuda.split("."))) < LAZY_CUDA:
        return True
    return not torch.may_be(LAZY_TORCH)


def environment_of(config: str, repository: Path | None = None) -> Environment:
    """Return the environment of a file; an empty one where the file is not there.

    What the repository of its trainer asks for, where that lies elsewhere, is asked for as well.
    """
    if not is_file(config):  # a name alone lies nowhere
        return Environment()
    around = list(folders_above(config))
    environment = _nearest(around)
    return (
        environment
        if repository is None or repository in around
        else _nearest([repository]).joined(environment)
    )


def _nearest(folders: Sequence[Path]) -> Environment:
    """Return what the first of these folders asks for that asks for anything."""
    own: str | None = None
    stated: Release | None = None
    for folder in folders:
        if own is None and any(_state(folder, name) for name in BASICSR_FILES):
            own = _with_functional_tensor(inside(folder, BASICSR_FILES[0]))
        stated = stated or _stated(folder)
        state = tuple((name, _state(folder, name)) for name in (*FILES, *SCRIPTS))
        packages = packages_of(folder, state) if any(exists for _, exists in state) else {}
        if packages or any(exists for name, exists in state if name not in SCRIPTS):
            return Environment(packages, own, stated)
    return Environment({}, own, stated)


def _stated(folder: Path) -> Release | None:
    """Return the newest torch that a folder's READMEs state, or the files of conda that these name."""
    texts = list(_texts(folder, READMES))
    named = dict.fromkeys(name for text in texts for name in conda_files(text))
    texts += _texts(folder, tuple(named)[:MOST_FILES])
    return max((release for text in texts for release in stated_versions(text)), default=None)


def _texts(folder: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        path = inside(folder, name) if _state(folder, name) else None
        if path is not None:
            yield text_of(path)


def _with_functional_tensor(path: Path | None) -> str:
    from trainlint.repository.environment.torchvision_import import imports_functional_tensor  # noqa: PLC0415 - a checkout's basicsr

    return shown_path(path) if path and imports_functional_tensor(text_of(path)) else ""


def environment_for(document: Document, repository: Path | None = None) -> Environment:
    """Return the environment of a document's file, looked for once while it is judged."""
    known = _environments(document.source)
    if repository not in known:
        known[repository] = environment_of(document.source.path, repository)
    return known[repository]


_AT_HAND: Final = deque[tuple[Source, dict[Path | None, Environment]]](maxlen=AT_HAND)
"""Texts with what lies around their files, by a trainer's repository; the last asked for at the end."""


def _environments(source: Source) -> dict[Path | None, Environment]:
    """Return what is known of the environments of a text, however its documents are read."""
    index = next((index for index, (known, _) in enumerate(_AT_HAND) if known is source), None)
    environments: dict[Path | None, Environment] = {}
    if index is not None:
        environments = _AT_HAND[index][1]
        del _AT_HAND[index]
    _AT_HAND.append((source, environments))
    return environments


def forget() -> None:
    """Look at everything again."""
    _AT_HAND.clear()
    packages_of.cache_clear()


def share_environment(edited: Document, document: Document) -> None:
    """Let an edited document have the environment of its file, which no edit of that file changes."""
    _AT_HAND.append((edited.source, _environments(document.source)))


def _state(folder: Path, name: str) -> tuple[int, int] | None:
    """Return when a file changed and its size; None where none is there that really lies in the folder."""
    try:
        state = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - asked of many, few are there
    except OSError as error:
        note_failure(folder / name, error)
        return None
    except ValueError:
        return None
    if "/" in name or not stat.S_ISREG(state.st_mode):  # a link may be on the way
        path = inside(folder, name)
        if path is None:
            return None
        state = path.stat()
    return state.st_mtime_ns, state.st_size
