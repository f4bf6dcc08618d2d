# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Run lists of training programs through `trainlint dry-run`, and keep the rows in bench/data/dry_runs.csv.

    python -m bench dry_runs FOLDER --python PYTHON [--python NAME=PYTHON] [--list NAME] [--only TEXT ...]
                             [--inputs FOLDER] [--again] [--recipes | --no-recipes]

FOLDER holds the repositories (OWNER+NAME), outside of this one; PYTHON is the interpreter that has their
packages, and `NAME=PYTHON` another one, which a command calls {NAME}. One program runs at a time; those that
have a row are run with --again alone, --recipes works their recipes' figures out again, and --no-recipes
leaves them. A config's recipe is traced by the interpreter that runs this; timm's need the timm of FOLDER
there, since `check` leaves to the dry run what another timm would train.
`python -m bench dry_run_tables` writes the rows into docs/dry-run.md.
"""

from __future__ import annotations

import json
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from bench.commands import parser_of
from bench.dry_run.entries import LISTS, ROWS, Copied, Entry, Row, entries, keep, rows

VERSIONS: Final = "import platform, torch; print(platform.python_version(), torch.__version__)"
SECONDS: Final = "1800"
"""For each run: the machine may be busy."""
PROJECT: Final = Path(__file__).parents[2]
"""What a command that makes inputs calls {project}: where this package lies."""
PYTHON_PLACE: Final = "python"
"""What a command calls the interpreter that has no name of its own; the others begin so."""


def main() -> int:
    """Run what has no row yet."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", action="append", required=True, help="interpreter of the programs")
    parser.add_argument(
        "--inputs", type=Path, default=Path("inputs"), help="what `bench dry_run_inputs` made"
    )
    parser.add_argument("--list", nargs="*", choices=LISTS, default=LISTS, help="which lists [default: all]")
    parser.add_argument("--only", nargs="*", default=[], help="texts, one of which a program's name has")
    parser.add_argument("--again", action="store_true", help="run what has a row too")
    parser.add_argument("--recipes", action="store_true", help="recipes alone, of what has a row")
    parser.add_argument("--no-recipes", action="store_true", help="no recipes")
    parser.add_argument("--rows", type=Path, default=ROWS, help="where rows are kept")
    parser.add_argument("--results", type=Path, help="a folder for the whole of each dry run's JSON")
    parser.add_argument("-t", "--target", default="rtx-4090")
    arguments = parser.parse_args()
    made = {"inputs": str(arguments.inputs.resolve()), "project": str(PROJECT)}
    fills = {**made, **dict(map(_named, arguments.python))}
    for name in arguments.list:
        for entry in entries(name):
            if arguments.only and not any(text in entry.name for text in arguments.only):
                continue
            row = rows(arguments.rows).get((name, entry.name))
            if row is not None and arguments.recipes and entry.config is not None:
                lay_out(entry, arguments.folder / entry.folder, fills)
                options = _options(entry, fills, arguments.target)
                recipe = _recipe(entry, fills, arguments.folder / entry.folder, _target(options))
                row = replace(row, recipe=recipe)
            elif arguments.again or (row is None and not arguments.recipes):
                ran = replace(entry, config=None) if arguments.no_recipes else entry
                known = row.recipe if row is not None else None
                row, result = _run(name, ran, arguments.folder, fills, arguments.target)
                row = row if ran.config is not None else replace(row, recipe=known)
                if arguments.results is not None:
                    arguments.results.mkdir(parents=True, exist_ok=True)
                    file = arguments.results / f"{entry.name.replace('/', ' ')}.json"
                    file.write_text(json.dumps(result, indent=1), encoding="utf-8")
            else:
                continue
            keep(row, arguments.rows)
            print(f"{entry.name}: {row.outcome} {row.allocated} {row.recipe} {row.said[:200]}", flush=True)
    return 0


def _options(entry: Entry, fills: Mapping[str, str], target: str) -> list[str]:
    data = ["--data", entry.data] if entry.data else []
    options = ["--timeout", SECONDS, *data, *shlex.split(entry.options.format(**fills))]
    return [*options, *([] if "-t" in options else ["-t", target])]


def _named(word: str) -> tuple[str, str]:
    name, equals, path = word.partition("=")
    return (name, path) if equals else (PYTHON_PLACE, word)


def _run(
    name: str, entry: Entry, root: Path, fills: dict[str, str], target: str
) -> tuple[Row, dict[str, Any] | None]:
    """Return the row of a program, and the whole result of its dry run."""
    folder = root / entry.folder
    words = shlex.split(entry.command.format(**fills))
    lay_out(entry, folder, fills)
    before = cpu_seconds()
    options = _options(entry, fills, target)
    result, error = _trainlint(["dry-run", "--format", "json", *options, "--", *words], folder)
    seconds = round(cpu_seconds() - before)
    python, torch = _versions(_interpreter(entry, fills))
    today = datetime.now(UTC).date().isoformat()
    if result is None:
        return Row(name, entry.name, today, python, torch, "refused", cpu_seconds=seconds, said=error), None
    said = without_places("; ".join(_said(result)), root)
    row = Row(
        name, entry.name, today, python, torch, result["outcome"], _allocated(result), _reserved(result),
        _recipe(entry, fills, folder, _target(options)), seconds, said,
        _validation(result), _saved(result), *_step_seconds(result),
    )  # fmt: skip
    return row, result


def _target(options: list[str]) -> str:
    return options[options.index("-t") + 1]


def lay_out(entry: Entry, folder: Path, fills: Mapping[str, str]) -> None:
    """Put into a repository what a program needs there: links to the inputs, and copies of its files."""
    for place, made in entry.links.items():
        link = folder / place
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_dir() and not link.is_symlink():  # a folder of the clone's with a placeholder in it
            for placeholder in link.glob(".*"):
                placeholder.unlink()
            link.rmdir()
        link.unlink(missing_ok=True)
        link.symlink_to(Path(fills["inputs"], made))
    for place, copied in entry.copied.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(_changed(folder, copied), encoding="utf-8")
    for place, text in entry.made.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text.replace("{inputs}", fills["inputs"]), encoding="utf-8")
    if entry.before:
        subprocess.run(shlex.split(entry.before.format(**fills)), cwd=folder, check=True)  # noqa: S603 - of a list of ours


def _interpreter(entry: Entry, fills: Mapping[str, str]) -> str:
    """Return the first interpreter that a command names."""
    words = f"{entry.options} {entry.command}"
    names = [name for name in fills if name.startswith(PYTHON_PLACE) and f"{{{name}}}" in words]
    return fills[min(names, key=lambda name: words.find(f"{{{name}}}"))]


def _changed(folder: Path, copied: Copied) -> str:
    text = (folder / copied.source).read_text(encoding="utf-8")
    for old, new in copied.replaced.items():
        if old not in text:
            raise SystemExit(f'"{old}" is not in {copied.source}')
        text = text.replace(old, new, 1)
    return text


def cpu_seconds() -> float:
    """Return what all processes took that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@cache
def _versions(python: str) -> tuple[str, str]:
    """Return the versions of an interpreter and its torch."""
    ran = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True)  # noqa: S603 - the one that the user names
    python_version, torch = ran.stdout.split()
    return python_version, torch


def _recipe(entry: Entry, fills: Mapping[str, str], folder: Path, target: str) -> int | None:
    """Return the allocated bytes of the typed recipe."""
    if entry.config is None:
        return None
    options = ["check", "--format", "json", "-t", target]
    if entry.config == "-":
        plain = dict.fromkeys(fills, "python") | {"inputs": fills["inputs"]}
        command = entry.command.format(**plain) + "\n"
        found = _trainlint([*options, "--stdin-filename", "train.sh", "-"], folder, command)
    else:
        found = _trainlint([*options, entry.config], folder)
    return _allocated(found[0])


def _trainlint(words: list[str], folder: Path, given: str = "") -> tuple[dict[str, Any] | None, str]:
    """Return the first result of a command in JSON, or None and the last line of what it says instead."""
    ended = subprocess.run(  # noqa: S603 - our own interpreter, and programs of a list of ours
        [sys.executable, "-m", "trainlint", *words],
        cwd=folder, capture_output=True, text=True, check=False, input=given,
    )  # fmt: skip
    try:
        results = json.loads(ended.stdout)["results"]
    except (ValueError, KeyError):
        results = []
    return (results[0] if results else None), (ended.stderr.strip().splitlines() or ["nothing"])[-1]


def _allocated(result: dict[str, Any] | None) -> int | None:
    memory = result["facts"].get("memory") if result else None
    return memory["gpus"][0]["allocated"] if memory else None


def _reserved(result: dict[str, Any] | None) -> int | None:
    """Return what PyTorch's allocator is expected to hold: all that is not the context's."""
    memory = result["facts"].get("memory") if result else None
    return memory["gpus"][0]["expect"] - memory["gpus"][0]["context"] if memory else None


def _validation(result: dict[str, Any]) -> int | None:
    memory = result["facts"].get("memory")
    return memory["validation"] if memory else None


def _saved(result: dict[str, Any]) -> int | None:
    disk = result["facts"].get("disk")
    return disk["per_checkpoint"] if disk else None


def _step_seconds(result: dict[str, Any]) -> tuple[float, float] | tuple[None, None]:
    time = result["facts"].get("time")
    return (time["step_seconds"][0], time["step_seconds"][-1]) if time else (None, None)


def without_places(text: str, root: Path) -> str:
    """Return what was said with paths as they are in a project or package, not on this machine."""
    return re.sub(r"/[^\s()'\"]*/site-packages/", "", text.replace(f"{root}/", ""))


def _said(result: dict[str, Any]) -> list[str]:
    """Return a result's findings, their notes, and why memory is not judged."""
    said = [f"{one['rule']}: {one['message']}" for one in result["findings"]]
    notes = (note for one in result["findings"] for note in one["notes"])
    said += [note if isinstance(note, str) else note["message"] for note in notes]
    missing = result["facts"]["missing"].get("memory")
    return [*said, *([f"memory: {missing}"] if missing else [])]


if __name__ == "__main__":
    sys.exit(main())
