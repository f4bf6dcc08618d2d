# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The lists of programs that are run dry, and the rows of what came out (bench/data/dry_runs.csv)."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path
from typing import Final

from msgspec import Struct, convert, to_builtins

LISTS: Final = (
    "recipes",
    "image_models",
    "two_gpus",
    "until",
    "reach",
    "forks",
    "older",
    "broken",
    "measured",
    "card",
)
"""Configs that have a typed recipe; image models that have one; programs on two GPUs; programs that go on to
a validation or a save; programs of other kinds; the own configs of docs/forks.md, and those of older
releases; programs with a mistake in them; programs whose memory somebody measured; and programs that ran on
a card for this."""
FOLDER: Final = Path(__file__).with_name("programs")
ROWS: Final = Path(__file__).parents[1] / "data" / "dry_runs.csv"


class Copied(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the repository, and what is replaced in its copy."""

    source: str
    replaced: dict[str, str] = {}


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A program: its command, with `{python}` (or another name of --python) and `{inputs}` for paths."""

    name: str
    folder: str
    command: str
    config: str | None = None
    """The option file that has a typed recipe; "-": the command itself has one. Without it a row keeps the
    figure that it has: that of `trace --run-code`, which is gone."""
    data: str | None = None
    options: str = ""
    links: dict[str, str] = {}
    """Where in the repository the program looks for data -> what of the inputs lies there."""
    copied: dict[str, Copied] = {}
    """Configs that are made in the repository: the published one under another name, or a changed one."""
    made: dict[str, str] = {}
    """Files that its installation or its user would write: a version, a config with a data set."""
    before: str = ""
    """A command that prepares its data: the project's own, or one of `{project}`, this one."""
    stops: str | None = None
    """What the program's own error says, where it is to stop with one."""
    measured: int | None = None
    """Bytes that a card showed, as torch.cuda.max_memory_allocated() has them."""
    reserved: bool = False
    """Whether they are those of torch.cuda.memory_reserved()."""
    chosen: bool = False
    """Whether what the others share was chosen on it, so that it is not counted."""
    seconds: float | None = None
    """Of a round of its optimizers on that card, loading included."""
    why: str = ""
    """Why its figure differs from the recipe's, or why there is no verdict."""


class Row(Struct, frozen=True):
    """What came of one program; `said` has its findings, notes, and why memory is not judged.

    Bytes are those of the first GPU.
    """

    list: str
    name: str
    date: str
    python: str
    torch: str
    outcome: str
    allocated: int | None = None
    reserved: int | None = None
    recipe: int | None = None
    cpu_seconds: int = 0
    """0 where it was not measured."""
    said: str = ""
    validation: int | None = None
    """Live bytes at the peak of its validation."""
    saved: int | None = None
    """Bytes of the files of one save."""
    fastest: float | None = None
    """Seconds of a step, at least; at most: `slowest`."""
    slowest: float | None = None


def entries(name: str) -> list[Entry]:
    """Return a list's programs."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text)["program"], list[Entry])


def rows(path: Path = ROWS) -> dict[tuple[str, str], Row]:
    """Return the newest row of each program, by its list and name."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        read = [{key: value or None for key, value in row.items()} for row in csv.DictReader(file)]
    found = [convert({"said": "", **_given(row)}, Row, strict=False) for row in read]
    return {(row.list, row.name): row for row in found}


def _given(row: dict[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in row.items() if value is not None}


def keep(row: Row, path: Path = ROWS) -> None:
    """Put a row in the place of the one that its program has."""
    known = {**rows(path), (row.list, row.name): row}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, Row.__struct_fields__, lineterminator="\n")
        writer.writeheader()
        writer.writerows(to_builtins(each) for each in known.values())
