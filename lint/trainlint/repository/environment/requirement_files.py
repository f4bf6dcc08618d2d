# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the files of a folder ask for, by package.

Read are requirements files with what they include, conda's environment.yml, pyproject.toml, setup.py,
setup.cfg, Dockerfiles, lock files (lock_files.py), and lines with `pip install` in scripts that set up. All
lie inside the repository, behind no link. Nothing is resolved against an index, nothing is run.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from trainlint.commands.pip_installs import install_lines
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import inside
from trainlint.files.safe_open import note_failure
from trainlint.files.text_source import UTF16_MARKS, regular_bytes
from trainlint.model.document import Source
from trainlint.repository.environment import lock_files
from trainlint.repository.environment.required_package import PackageRequirement, package
from trainlint.repository.environment.requirement import CLAUSES
from trainlint.repository.environment.requirement_lines import asking

MOST_REQUIREMENTS_BYTES: Final = 1 << 21
"""Bytes that are read of a file; one of 300 packages has 60 KB, and 800 KB with thirty hashes for each."""

MOST_FILES: Final = 8
"""Requirements files that include each other and are read."""

MOST_PACKAGES: Final = 200
"""Requirements of these packages around one job; of a folder whose files have more nothing is judged."""

NAMES: Final[Mapping[str, str]] = {
    "torch": "torch", "pytorch": "torch", "torchvision": "torchvision", "basicsr": "basicsr", "numpy":
    "numpy", "transformers": "transformers", "trl": "trl", "peft": "peft",
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


@lru_cache(maxsize=64)
def packages_of(
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
    text = text_of(path)
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
    text = text_of(path, lock_files.MOST_LOCK_BYTES)
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
    return f"{shown_path(path)}:{text.count(chr(10), 0, offset) + 1}"


def shown_path(path: Path) -> str:
    """Return a path from the working folder, where that is above it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def text_of(path: Path, limit: int = MOST_REQUIREMENTS_BYTES) -> str:
    """Return a file's text; "" where it cannot be read or is too large, which is noted.

    UTF-16 behind its mark is read as pip does: `pip freeze > requirements.txt` of PowerShell 5 writes that.
    """
    try:
        data = regular_bytes(str(path), limit)
        return data.decode("utf-16" if data.startswith(UTF16_MARKS) else "utf-8", "replace")
    except TooLargeError:  # what it asks for may change a verdict
        note_failure(path, OSError(errno.EFBIG, f"larger than {limit:,} bytes"))
    except UnreadableError:
        pass
    return ""
