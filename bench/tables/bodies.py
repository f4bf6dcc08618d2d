# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write lint/trainlint/repository/trainer/bodies.json: digests of published training steps and networks.

    python -m bench bodies MIRRORS

MIRRORS is a folder of git repositories named OWNER+NAME (bare, or with a work tree). Which revisions are read
is in bench/tables/bodies.toml. Only digests and names are written, never a line of a source.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.commands import parser_of
from trainlint.repository.survey.survey_process import SurveyReader
from trainlint.repository.trainer.definitions import QUIET_FUNCTIONS, Survey
from trainlint.repository.trainer.lineage import Lineage, OwnClass, line_of
from trainlint.repository.trainer.own_classes import chosen, modeled
from trainlint.repository.trainer.published_bodies import known_as

PACKAGES = {"neosr": "neosr", "trainner-redux": "traiNNer", "kair": "models"}
PACKAGE = "basicsr"
"""A trainer's package (BasicSR's): a folder that has one of its own is another trainer."""
SOURCES = Path(__file__).with_suffix(".toml")
OUTPUT = ROOT / "lint" / "trainlint" / "repository" / "trainer" / "bodies.json"


def main() -> None:
    """Read every source and write the digests."""
    parser = parser_of(__doc__)
    parser.add_argument("mirrors", type=Path)
    book = Book()
    for source, folder in exported(SOURCES, parser.parse_args().mirrors):
        book.enter(source, folder)
    OUTPUT.write_text(json.dumps(book.plain(), indent=0, sort_keys=True) + "\n", encoding="utf-8")


def exported(sources: Path, mirrors: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Yield each source that a table names with a folder of its files, for each of its revisions."""
    for source in tomllib.loads(sources.read_text(encoding="utf-8"))["source"]:
        git = mirrors / source["repository"].replace("/", "+") / "repo"
        git = git / ".git" if (git / ".git").is_dir() else git
        for revision in source["revisions"]:
            with tempfile.TemporaryDirectory() as folder:
                export(git, revision, Path(folder), source.get("under", ""))
                yield source, Path(folder)


class Book:
    """Digests as they are collected."""

    def __init__(self) -> None:
        self.classes: dict[str, Any] = {}
        self.steps: dict[str, Any] = {}
        self.definitions: dict[str, set[str]] = {}
        self.networks: dict[str, dict[str, set[str]]] = {}

    def enter(self, source: Mapping[str, Any], folder: Path) -> None:
        """Add one revision of one source."""
        models, losses, networks = (source.get(name, []) for name in ("models", "losses", "networks"))
        same = {name: name for name in models} | source.get("same", {})
        package = PACKAGES.get(source["dialect"], PACKAGE)
        survey = surveyed(folder, [*same, *losses, *networks], package)
        for name, recipe in same.items():
            if (key := chosen(survey, name, modeled)) is not None:
                self._model(survey, key, recipe, source)
        for name in losses:
            if (key := chosen(survey, name)) is not None:
                self._definitions(survey, key)
        for name in networks:
            if (key := chosen(survey, name)) is not None:
                for _, node in survey.reached(key):
                    known = self.networks.setdefault(known_as(name, source["dialect"]), {})
                    entry = known.setdefault(node["name"], set())
                    entry.update(_marked([survey.digest(node)], source, "unless"))

    def _model(self, survey: Survey, key: str, name: str, source: Mapping[str, Any]) -> None:
        line = line_of(survey, key, self.classes)
        if line.open:
            sys.exit(f"{source['repository']}: {name}: {line.open}")
        step = self.steps.setdefault(f"{source['dialect']}.{name}", {"training": {}, "validation": {}})
        for part, closure in (("training", line.training), ("validation", line.validation)):
            for method_name, (_, method) in closure.items():
                step[part].setdefault(method_name, set()).update(_marked(method["digests"], source, "lacks"))
                for ref in method["refs"] if not isinstance(method["refs"], dict) else ():
                    self._definitions(survey, ref)
        if source.get("installed"):
            for level in line.levels:
                if level.key is not None:
                    self._class(level, level.key, survey, line)

    def _class(self, level: OwnClass, key: str, survey: Survey, line: Lineage) -> None:
        bases = [survey.nodes[base]["name"] for base in survey.nodes[key]["bases"]]
        entry = self.classes.setdefault(
            level.name, {"bases": [b for b in bases if b != "object"], "methods": {}}
        )
        read = [
            found
            for closure in (line.training, line.validation)
            for _, (at, found) in closure.items()
            if at is level
        ]
        for name, method in level.methods.items():
            if name in QUIET_FUNCTIONS:
                continue
            known = entry["methods"].setdefault(
                name, {"digests": [], "selfs": [], "supers": [], "reads": [], "refs": [], "passes": None}
            )
            for part in ("digests", "selfs", "supers", "reads"):
                known[part] = sorted({*known[part], *method[part]})
            reached = [found["digests"] for found in read if found["line"] == method["line"]]
            known["digests"] = sorted({*known["digests"], *chain(*reached)})

    def _definitions(self, survey: Survey, key: str) -> None:
        if (
            survey.nodes[key]["kind"] in ("outside", "builtin")
            or survey.nodes[key]["name"] in QUIET_FUNCTIONS
        ):
            return
        for _, node in survey.reached(key):
            self.definitions.setdefault(node["name"], set()).add(survey.digest(node))

    def plain(self) -> dict[str, Any]:
        """Return everything as JSON's values."""
        parts = {
            "classes": self.classes,
            "steps": self.steps,
            "definitions": self.definitions,
            "networks": self.networks,
        }
        return {name: _plain(part) for name, part in parts.items()}


def _marked(digests: list[str], source: Mapping[str, Any], key: str) -> list[str]:
    """Mark what passes over a field of the spec, or holds unless an argument has a value: "digest!ema"."""
    mark = source.get(key)
    return [f"{digest}!{mark}" if mark else digest for digest in digests]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, set):
        return sorted(
            item for item in value if item.partition("!")[0] == item or item.partition("!")[0] not in value
        )
    return value


def surveyed(folder: Path, names: list[str], package: str) -> Survey:
    """Read a tree as trainlint does, without its limits of time."""
    found = SurveyReader(str(folder), QUIET_FUNCTIONS, package).answer(names)
    if "error" in found:
        sys.exit(f"{folder}: {found['error']}")
    return Survey(found["places"], found["nodes"], found["patches"])


def export(git: Path, revision: str, folder: Path, under: str, endings: tuple[str, ...] = (".py",)) -> None:
    """Write a revision's Python files, or those with other endings."""
    for path, text in blobs(git, revision, under, endings):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)


def blobs(
    git: Path, revision: str, under: str, endings: tuple[str, ...] = (".py",)
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a revision below a folder that have one of some endings."""
    command = ["git", "--git-dir", str(git)]
    listed = subprocess.run(  # noqa: S603 - git, which reads a repository that was named
        [*command, "ls-tree", "-r", "-z", revision], capture_output=True, check=True
    ).stdout
    entries = [line.split("\t", 1) for line in listed.decode("utf-8", "replace").split("\0") if "\t" in line]
    wanted = [
        (meta.split()[2], path) for meta, path in entries if path.endswith(endings) and path.startswith(under)
    ]
    asked = "\n".join(sha for sha, _ in wanted).encode() + b"\n"
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    data = subprocess.run(  # noqa: S603 - git again, with the names that it gave
        [*command, "cat-file", "--batch"], input=asked, capture_output=True, check=True, env=environment
    ).stdout
    at = 0
    for _, path in wanted:
        end = data.index(b"\n", at)
        head = data[at:end].split()
        if head[1] == b"missing":
            at = end + 1
            continue
        size = int(head[2])
        yield path.removeprefix(under), data[end + 1 : end + 1 + size]
        at = end + size + 2
