# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""NOTICE: under each upstream, the files of the zoo whose headers name its copyright holder."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from textwrap import fill
from typing import Final

from sources import LICENCE, SOURCE

from trainlint.catalogue.zoo.packages import own

OWN_COPYRIGHT: Final = "2026 The trainlint authors"
HOLDER: Final = re.compile(r"^# SPDX-FileCopyrightText: (.+)$", re.MULTILINE)
REPOSITORY: Final = re.compile(r"[\w.-]+/[\w.-]+")
"""How a docstring's "Source:" names a repository on GitHub."""
WIDTH: Final = 114


def notice(text: str) -> str:
    """Return NOTICE with the files as they are now; an upstream that it does not have yet is added."""
    files = files_by_holder()
    parts = text.split("\n\n")
    kept = [_entry(part.splitlines(), files) for part in parts if part.startswith("https://")]
    added = [_new(holder, paths) for holder, paths in sorted(files.items())]
    first = next(number for number, part in enumerate(parts) if part.startswith("https://"))
    others = [part for part in parts[first:] if not part.startswith("https://")]
    return "\n\n".join([*parts[:first], *filter(None, kept), *added, *others])


def files_by_holder() -> dict[str, list[Path]]:
    """Return the zoo's files by the holders, other than us, that their headers name."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(own().folder.rglob("*.py")):
        for holder in HOLDER.findall(path.read_text(encoding="utf-8")):
            if holder != OWN_COPYRIGHT:
                files[holder].append(path)
    return files


def _entry(lines: list[str], files: dict[str, list[Path]]) -> str:
    """Return an upstream's entry, and take its files out; an empty one where there are none any more."""
    url, holder, *_ = lines
    paths = files.pop(holder.strip().rpartition(";")[0], [])
    return f"{url}\n{holder}\n{_listed(paths)}" if paths else ""


def _new(holder: str, paths: list[Path]) -> str:
    """Return the entry of an upstream as its first file's docstring and header have it."""
    text = paths[0].read_text(encoding="utf-8")
    source, license_ = SOURCE.search(text), LICENCE.search(text)
    repository = REPOSITORY.match(source["source"]) if source else None
    if repository is None or license_ is None:
        raise SystemExit(f'{paths[0]}: expected "Source: OWNER/REPOSITORY COMMIT, FILE" and a license')
    theirs = license_["license"].removeprefix("MIT AND ")
    return f"https://github.com/{repository[0]}\n    {holder}; {theirs}\n{_listed(paths)}"


def _listed(paths: list[Path]) -> str:
    names = (path.relative_to(own().folder).with_suffix("").as_posix() for path in paths)
    indent = "    "
    return fill(
        ", ".join(names), WIDTH, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
