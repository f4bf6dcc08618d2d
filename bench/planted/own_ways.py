# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Changes copies of trainers so that a config that the original refuses is right, and counts the fails.

    python -m bench own_ways SNAPSHOTS [--only WORDS]

SNAPSHOTS has a folder OWNER+NAME/repo with a git repository for each trainer in own_ways.toml, which lists
the changes: each is made in a copy at the commit that is named there, and the config is checked on one RTX
3090 without tracing. A fail is wrong. Nothing of a copy is run.
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

from bench.commands import parser_of
from bench.planted.checkout import TEXTS
from bench.tables.bodies import export
from trainlint.api import check

WAYS: Final = Path(__file__).with_suffix(".toml")
TARGET: Final = "rtx-3090"


def main() -> None:
    """Make the changes, one after the other, and print what fails."""
    parser = parser_of(__doc__)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    data = tomllib.loads(WAYS.read_text(encoding="utf-8"))
    ways = [way for way in data["ways"] if options.only in way["name"]]
    failing = 0
    with tempfile.TemporaryDirectory() as folder:
        needed = {way["base"]: data["commits"][way["base"]] for way in ways}
        bases = {name: _laid_out(options.snapshots, name, commit, folder) for name, commit in needed.items()}
        for way in ways:
            fails = list(_fails(way, bases[way["base"]], Path(folder) / "copy"))
            failing += bool(fails)
            print("\n    ".join([f"{'FAIL' if fails else 'ok'} {way['name']}", *fails]), flush=True)
    print(f"{len(ways) - failing} of {len(ways)} are no fail")


def _laid_out(snapshots: Path, name: str, commit: str, folder: str) -> Path:
    root = Path(folder) / name.replace("/", "+")
    export(snapshots / root.name / "repo", commit, root, "", TEXTS)
    return root


def _fails(way: Mapping[str, Any], base: Path, copy: Path) -> Iterator[str]:
    """Yield the fails of a config in a copy that was changed."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(base, copy)
    (copy / ".git").mkdir(exist_ok=True)
    for edit in way["edits"]:
        _change(copy / edit["file"], edit.get("old"), edit["new"])
    with chdir(copy):
        report = check(way["config"], TARGET, trace=False)
    found = (finding for result in report.results for finding in result.findings)
    yield from dict.fromkeys(f"{one.rule}: {one.message}" for one in found if str(one.level) == "fail")


def _change(path: Path, old: str | None, new: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8") if old is not None else ""
    if old is not None and text.count(old) != 1:
        raise ValueError(f'{path.name} has {text.count(old)} times "{old}"')
    path.write_text(new if old is None else text.replace(old, new), encoding="utf-8")
