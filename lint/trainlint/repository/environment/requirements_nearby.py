# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The environment around a job: what the files of the nearest folder that has any ask for.

Read are requirements files with what they include, conda's environment.yml, pyproject.toml, setup.py,
setup.cfg, Dockerfiles, lock files (lock_files.py), and lines with `pip install` in scripts that set up. All
lie inside the repository, behind no link. Nothing is resolved against an index, nothing is run.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from trainlint.commands.pip_installs import install_lines
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.safe_open import is_file, note_failure
from trainlint.files.text_source import regular_bytes
from trainlint.hardware.cuda_context import LAZY_CUDA, LAZY_TORCH
from trainlint.model.document import AT_HAND, Document, Release, Source
from trainlint.repository.environment import lock_files
from trainlint.repository.environment.readme_torch import READMES, conda_files, stated_versions
from trainlint.repository.environment.required_package import PackageRequirement, package
from trainlint.repository.environment.requirement import CLAUSES
from trainlint.repository.environment.requirement_lines import asking

MOST_REQUIREMENTS_BYTES: Final = 1 << 21
"""Bytes that are read of a file; one of 300 packages has 60 KB, and 800 KB with thirty hashes for each."""

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

MOST_FILES: Final = 8
"""Requirements files that include each other and are read."""

MOST_PACKAGES: Final = 200
"""Requirements of these packages around one job; of a folder whose files have more nothing is judged."""

TORCH_OF_IT: Final = (2, 2)
"""The torch with which torchvision 0.17 is installed."""

NAMES: Final[Mapping[str, str]] = {
    "torch": "torch", "pytorch": "torch", "torchvision": "torchvision", "basicsr": "basicsr", "numpy":
    "numpy", "transformers": "transformers",
}  # fmt: skip
"""Packages that rules ask about, by the names that pip and conda know them under."""

_REQUIREMENT: Final = later(
    rf"(?<![\w./+=-])((?a:{'|'.join(NAMES)}))(?:\[[\w,-]*\])?[ \t]*"
    rf"(?:{CLAUSES}|@[ \t]*(?P<address>[^\s\"',;]{{1,400}})|(?=[\"'#,;\r\n]|\Z))",
    re.IGNORECASE,
)
_INCLUDE: Final = later(r"(?m)^[ \t]*(?:-r|--requirement)[ =]*([\w./-]+)")
_POETRY: Final = later(rf"(?m)^({'|'.join(NAMES)})[ \t]*=[ \t]*[\"']([^\"'\n]{{1,100}})[\"']")
_INDEX: Final = later(r"whl/(?:nightly/|test/)?cu(\d{2})(\d)\b")
_CONDA_CUDA: Final = later(r"(?:pytorch-cuda|cudatoolkit)[ \t]*=+[ \t]*(\d+\.\d+)")
_IMAGE: Final = later(r"(?m)^FROM[ \t]+pytorch/pytorch:(\d+\.\d+(?:\.\d+)?)(?:-cuda(\d+\.\d+))?")


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
        packages = _packages(folder, state) if any(exists for _, exists in state) else {}
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
            yield _text(path)


def _with_functional_tensor(path: Path | None) -> str:
    from trainlint.repository.environment.torchvision_import import imports_functional_tensor  # noqa: PLC0415 - a checkout's basicsr

    return _shown(path) if path and imports_functional_tensor(_text(path)) else ""


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
    _packages.cache_clear()


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


@lru_cache(maxsize=64)
def _packages(
    folder: Path, _state: tuple[tuple[str, Any], ...]
) -> Mapping[str, tuple[PackageRequirement, ...]]:
    """Return what a folder's files ask for; `_state` says when they have to be read again."""
    paths = (inside(folder, name) for name, _ in _state)
    listed = (requirement for path in paths if path for requirement in _read(folder, path, set()))
    by_name: dict[str, list[PackageRequirement]] = {}
    for count, requirement in enumerate(listed):
        if count == MOST_PACKAGES:
            too_many = f"asks for {', '.join(sorted(set(NAMES)))} more than {MOST_PACKAGES} times"
            note_failure(folder, OSError(errno.E2BIG, too_many))
            return {}
        by_name.setdefault(requirement.name, []).append(requirement)
    return {name: tuple(requirements) for name, requirements in by_name.items()}


def _read(folder: Path, path: Path, read: set[Path]) -> Iterator[PackageRequirement]:
    """Yield the packages of one file, and of those that it includes; `read` were before."""
    read.add(path)
    if path.name in lock_files.FILES:
        yield from _locked(path)
        return
    text = _text(path)
    if path.suffix == ".sh":
        text = _installing(path, text)
    bare = asking(path.name, text)
    index = _INDEX.search(bare) if "whl/" in bare else None
    conda = _CONDA_CUDA.search(bare) if "cuda" in bare else None
    cuda = f"{index[1]}.{index[2]}" if index else conda[1] if conda else ""
    for requirement in _requirements(path, bare):
        end = bare.find("\n", requirement.end())
        if ";" in bare[requirement.end() : end if end >= 0 else len(bare)]:  # a marker: for some machines
            continue
        if path.suffix == ".py" and not _quoted(bare, requirement):
            continue
        name = NAMES[requirement[1].lower()]
        yield _with_cuda(package(name, _place(path, bare, requirement.start()), _clauses(requirement)), cuda)
    for tag in _IMAGE.finditer(bare) if "pytorch/pytorch:" in bare else ():
        image = package("torch", _place(path, bare, tag.start()), f"=={tag[1]}")
        yield _with_cuda(image, tag[2] or "")
    named = dict.fromkeys(match[1] for match in _INCLUDE.finditer(bare)) if path.suffix == ".txt" else ()
    for name in islice(named, MOST_FILES):
        included = inside(folder, os.path.relpath(path.parent / name, folder))
        if included is not None and included not in read and len(read) < MOST_FILES:
            yield from _read(folder, included, read)


def _clauses(requirement: re.Match[str]) -> str:
    """Return what is asked of the version; of a wheel at an address, the one in its name."""
    address = requirement.groupdict().get("address")
    if not address:
        return requirement[2] or ""
    wheel = re.search(rf"/{requirement[1]}-(\d[\w.]*(?:(?:\+|%2B)\w+)?)-", address, re.IGNORECASE)
    return f"=={wheel[1].replace('%2B', '+')}" if wheel else f"@ {address}"


def _locked(path: Path) -> Iterator[PackageRequirement]:
    text = _text(path, lock_files.MOST_LOCK_BYTES)
    for name, version, offset in lock_files.locked(path.name, text, NAMES):
        yield package(NAMES[name], _place(path, text, offset), version)


def _installing(path: Path, text: str) -> str:
    """Return a script with blanks for all but its lines that install something."""
    lines = [line.span(1) for line in install_lines(Source(str(path), text))]
    kept = {offset for start, end in lines for offset in range(start, end)}
    return "".join(char if char == "\n" or offset in kept else " " for offset, char in enumerate(text))


def _requirements(path: Path, text: str) -> Iterator[re.Match[str]]:
    """Yield what asks for a package: in the lines that name one, which are few."""
    lines = list(_naming(text))
    for pattern in (_REQUIREMENT, _POETRY) if path.name == "pyproject.toml" else (_REQUIREMENT,):
        for start, end in lines:
            yield from pattern.finditer(text, start, end)


def _naming(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines begin and end that name one of the packages."""
    start = 0
    for line in text.split("\n"):
        if line and not line.isspace() and any(name in line.lower() for name in NAMES):
            yield start, start + len(line)
        start += len(line) + 1


def _quoted(text: str, match: re.Match[str]) -> bool:
    """Return whether a requirement is a text of its own: code speaks of packages in other ways too."""
    return text[match.start() - 1 : match.start()] in ('"', "'")


def _with_cuda(requirement: PackageRequirement, cuda: str) -> PackageRequirement:
    named = requirement.cuda or (cuda if requirement.name == "torch" else "")
    return PackageRequirement(
        requirement.name,
        requirement.place,
        requirement.clauses,
        requirement.oldest,
        requirement.newest,
        named,
    )


def _place(path: Path, text: str, offset: int) -> str:
    return f"{_shown(path)}:{text.count(chr(10), 0, offset) + 1}"


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def _text(path: Path, limit: int = MOST_REQUIREMENTS_BYTES) -> str:
    try:
        return regular_bytes(str(path), limit).decode("utf-8", "replace")
    except TooLargeError:  # what it asks for may change a verdict
        note_failure(path, OSError(errno.EFBIG, f"larger than {limit:,} bytes"))
    except UnreadableError:
        pass
    return ""
