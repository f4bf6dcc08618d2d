# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `--fix --unsafe-fixes` writes into copies of many configs, held against what check had listed.

    python -m bench edits FOLDER --count 40 --seed 36    until so many files of the folder were edited

Of each edited file: whether an edit was not listed by check, or not printed, whether a key of the run's
length was touched, whether a failure that was to be fixed is still there, and whether there is a new one. The
exit status is 1 where any of that is so.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from bench.commands import parser_of
from bench.reading.lengths import drawn

LENGTH: Final = re.compile(
    r"total_iter|epochs|milestones|num_epochs|niter|periods|restarts|max_steps", re.IGNORECASE
)
"""Keys of how long a run is."""

PLACES: Final = re.compile(r"^fixed .*?:(\d+(?:,\d+)*): ", re.MULTILINE)
"""The lines of what was fixed, as it is said."""


def run(path: Path, target: str, *options: str) -> str:
    """Run check on a file and return what it prints."""
    words = [sys.executable, "-m", "trainlint", str(path), "-t", target, "--no-trace", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    return done.stdout + (done.stderr if "--fix" in options else "")


def as_json(path: Path, target: str) -> Mapping[str, Any]:
    """Return check's report; an empty one where the file cannot be judged."""
    try:
        report: Mapping[str, Any] = json.loads(run(path, target, "--format", "json"))
    except ValueError:
        return {"results": []}
    return report


def findings(report: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the findings of a report."""
    for result in report["results"]:
        yield from result["findings"]


def failing(report: Mapping[str, Any]) -> set[str]:
    """Return the rules that fail."""
    return {finding["rule"] for finding in findings(report) if finding["level"] == "fail"}


def changed(old: str, new: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield each change: the number of its first line, the old lines and the new ones."""
    before, after = old.splitlines(), new.splitlines()
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield start + 1, before[start:end], after[first:last]


def wrong_with(path: Path, target: str) -> Iterator[str]:
    """Edit a file and yield "edited", each "edit", and what is wrong; nothing where none is written."""
    before, old = as_json(path, target), path.read_text(encoding="utf-8")
    listed = {
        old.count("\n", 0, edit["start"]) + 1
        for finding in findings(before)
        for fix in finding.get("fixes", ())
        for edit in fix["edits"]
    }
    if not listed:
        return
    said = run(path, target, "--fix", "--unsafe-fixes")
    printed = {int(line) for lines in PLACES.findall(said) for line in lines.split(",")}
    new = path.read_text(encoding="utf-8")
    if new == old:
        return
    yield "edited"
    for line, removed, added in changed(old, new):
        yield "edit"
        if not any(line <= number <= line + max(1, len(removed)) for number in listed):
            yield f"not listed: line {line}, {removed} -> {added}"
        if printed.isdisjoint(range(line, line + max(1, len(removed)) + 1)):
            yield f"not printed: line {line}, {removed} -> {added}"
        if any(LENGTH.search(text) for text in removed):
            yield f"length: line {line}, {removed} -> {added}"
    after = failing(as_json(path, target))
    to_fix = {finding["rule"] for finding in findings(before) if finding.get("fixes")} & failing(before)
    yield from (f"still fails: {rule}" for rule in sorted(after & to_fix))
    yield from (f"new failure: {rule}" for rule in sorted(after - failing(before)))


def main() -> int:
    """Print what is wrong with each file, and a count of all; 1 where something is."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for number, (source, target) in enumerate(drawn(chosen.folder, 10**9, chosen.seed)):
            if counts["edited"] >= chosen.count:
                break
            copy = Path(name) / str(number) / source.name
            copy.parent.mkdir()
            shutil.copyfile(source, copy)
            counts["files"] += 1
            for said in wrong_with(copy, target):
                counts[said.partition(":")[0]] += 1
                if ":" in said:
                    print(f"{source} on {target}: {said}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return int(any(what not in ("files", "edited", "edit") for what in counts))
