# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Run a list of training programs through `trainlint dry-run`, and compare with their recipes' figures.

    python -m bench dry_runs FOLDER --python PYTHON [--inputs FOLDER] [--list FILE.toml] [--only TEXT ...]
                             [--results FILE.jsonl]

FOLDER holds the repositories (OWNER+NAME), outside of this one; PYTHON is the interpreter that has their
packages. One program runs at a time. Each result is appended to --results, and programs that it has are not
run again. The table is Markdown: program, outcome, allocated bytes, the recipe's, CPU seconds, what was
guessed, and why there is no verdict.
"""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, to_builtins

from bench.commands import parser_of

LIST = Path(__file__).with_name("programs.toml")
NEAR = 0.005
"""How far from a recipe's figure is the same."""
WORDS = 90
"""Characters of a reason that the table shows."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A program: its command, with `{python}` and `{inputs}` in the place of paths."""

    name: str
    folder: str
    command: str
    config: str | None = None
    """The option file that has a typed recipe."""
    data: str | None = None
    options: str = ""
    links: dict[str, str] = {}
    """Where in the repository the program looks for data -> what of the inputs lies there."""
    stops: str | None = None
    """What the program's own error says, where it is to stop with one."""


class Row(Struct, frozen=True):
    """What came out."""

    name: str
    outcome: str
    allocated: int | None = None
    recipe: int | None = None
    cpu_seconds: float = 0
    said: tuple[str, ...] = ()
    stops: str | None = None


def main() -> int:
    """Run what has no result yet, and print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", required=True, help="interpreter of the programs")
    parser.add_argument(
        "--inputs", type=Path, default=Path("inputs"), help="what `bench dry_run_inputs` made"
    )
    parser.add_argument("--list", type=Path, default=LIST, help="the programs [default: programs.toml]")
    parser.add_argument("--only", nargs="*", default=[], help="texts, one of which a program's name has")
    parser.add_argument("--results", type=Path, default=Path("dry_runs.jsonl"))
    parser.add_argument("-t", "--target", default="rtx-4090")
    arguments = parser.parse_args()
    entries = convert(tomllib.loads(arguments.list.read_text(encoding="utf-8"))["program"], list[Entry])
    chosen = [
        one for one in entries if not arguments.only or any(text in one.name for text in arguments.only)
    ]
    known = _known(arguments.results)
    fills = {"python": arguments.python, "inputs": str(arguments.inputs.resolve())}
    for entry in chosen:
        if entry.name not in known:
            known[entry.name] = _run(entry, arguments.folder / entry.folder, fills, arguments.target)
            with arguments.results.open("a", encoding="utf-8") as results:
                print(json.dumps(to_builtins(known[entry.name])), file=results)
    print("\n".join(_table([known[entry.name] for entry in chosen])))
    return 0


def _known(results: Path) -> dict[str, Row]:
    if not results.exists():
        return {}
    rows = (convert(json.loads(line), Row) for line in results.read_text(encoding="utf-8").splitlines())
    return {row.name: row for row in rows}


def _run(entry: Entry, folder: Path, fills: dict[str, str], target: str) -> Row:
    words = shlex.split(entry.command.format(**fills))
    data = ["--data", entry.data] if entry.data else []
    for place, made in entry.links.items():
        link = folder / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(Path(fills["inputs"], made))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result, error = _trainlint(
        ["dry-run", "-t", target, *data, *shlex.split(entry.options), "--", *words], folder
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if result is None:
        return Row(entry.name, "refused", cpu_seconds=seconds, said=(error,), stops=entry.stops)
    recipe = _trainlint(["check", "-t", target, entry.config], folder)[0] if entry.config else None
    return Row(
        entry.name,
        result["outcome"],
        _allocated(result),
        _allocated(recipe),
        seconds,
        _said(result),
        entry.stops,
    )


def _trainlint(words: list[str], folder: Path) -> tuple[dict[str, Any] | None, str]:
    """Return the first result of a command in JSON, or None and the last line of what it says instead."""
    started = [sys.executable, "-m", "trainlint", *words[:1], "--format", "json", *words[1:]]
    ended = subprocess.run(  # noqa: S603 - our own interpreter, and programs of a list of ours
        started, cwd=folder, capture_output=True, text=True, check=False
    )
    try:
        results = json.loads(ended.stdout)["results"]
    except (ValueError, KeyError):
        results = []
    return (results[0] if results else None), (ended.stderr.strip().splitlines() or ["nothing"])[-1]


def _allocated(result: dict[str, Any] | None) -> int | None:
    memory = result["facts"].get("memory") if result else None
    return memory["gpus"][0]["allocated"] if memory else None


def _said(result: dict[str, Any]) -> tuple[str, ...]:
    """Return the notes of a run, its findings, and why memory is not judged."""
    findings = (f"{one['rule']}: {one['message']}" for one in result["findings"])
    notes = (
        note if isinstance(note, str) else note["message"]
        for one in result["findings"]
        for note in one["notes"]
    )
    missing = result["facts"]["missing"].get("memory")
    return (*findings, *notes, *([f"memory: {missing}"] if missing else []))


def _table(rows: list[Row]) -> Iterator[str]:
    yield "| program | outcome | allocated | recipe | CPU s | said |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        said = "; ".join(text.replace("|", "/")[:WORDS] for text in row.said)
        cells = (row.name, row.outcome, _bytes(row.allocated), _recipe(row), f"{row.cpu_seconds:.0f}", said)
        yield f"| {' | '.join(cells)} |"
    both = [row for row in rows if row.allocated and row.recipe]
    near = sum(abs(row.allocated / row.recipe - 1) <= NEAR for row in both if row.allocated and row.recipe)
    stopped = [row for row in rows if row.stops is not None]
    own = sum(any(row.stops in text for text in row.said) for row in stopped if row.stops is not None)
    verdicts = sum(row.allocated is not None for row in rows if row.stops is None)
    yield ""
    yield f"{verdicts} of {len(rows) - len(stopped)} to a verdict on memory."
    yield f"{near} of {len(both)} within 0.5 % of the recipe."
    yield f"{own} of {len(stopped)} broken ones stop with the program's own error."


def _bytes(value: int | None) -> str:
    return f"{value:,}" if value is not None else ""


def _recipe(row: Row) -> str:
    if row.recipe is None or row.allocated is None:
        return _bytes(row.recipe)
    return f"{row.recipe:,} ({row.allocated / row.recipe - 1:+.2%})"


if __name__ == "__main__":
    sys.exit(main())
