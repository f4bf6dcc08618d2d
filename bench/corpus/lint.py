# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lints a folder of other people's configs through the real command and says how much of it could be judged.

    python -m bench corpus FOLDER [--target 8x:a100-80gb] [--findings findings.csv] [--no-trace]

Each sub-folder is one run of `trainlint` (a folder with configs of its own is one whole); --state keeps their
reports, so that an interrupted run goes on where it stopped. The tables go to standard output as Markdown;
--findings lists every finding, one a line, to be read next to the files.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.commands import parser_of

TRAINLINT = Path(sys.executable).with_name("trainlint")

CONFIGS = {".yml", ".yaml", ".json", ".toml"}
"""A folder with files of these is linted as one; without, each of its sub-folders is a run."""

NOT_TRACED = "not traced (--no-trace)"
UNCOUNTED = "a term that is not counted"

KINDS = (
    (r"^unknown network", "unknown network"),
    (r"^unknown training step", "unknown training step"),
    (r"batch size is not known", "no batch size"),
    (r"needs (spandrel|timm|torchvision)", "needs a library that is not installed"),
    (r"^no stored profile", NOT_TRACED),
)
"""How reasons for a skip are grouped; a reason that none matches is its own group."""


def lint(folder: Path, target: str, options: Sequence[str]) -> dict[str, Any]:
    """Run the command on one folder and return its JSON; RuntimeError where it wrote none."""
    command = [str(TRAINLINT), str(folder), "--target", target, "--format", "json", *options]
    done = subprocess.run(  # noqa: S603 - trainlint itself on the named folder
        command, capture_output=True, text=True, check=False
    )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise RuntimeError(f"{folder}: exit {done.returncode}\n{done.stderr[-2000:]}") from error
    return report


def reports(root: Path, state: Path, target: str, options: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Lint every sub-folder, or take what an earlier run left in `state`."""
    state.mkdir(parents=True, exist_ok=True)
    whole = any(path.suffix in CONFIGS for path in root.iterdir())
    for folder in [root] if whole else sorted(path for path in root.iterdir() if path.is_dir()):
        kept = state / f"{folder.name}.json"
        if not kept.exists():
            kept.write_text(json.dumps(lint(folder, target, options)), encoding="utf-8")
            print(f"{folder.name}: done", file=sys.stderr, flush=True)
        yield json.loads(kept.read_text(encoding="utf-8"))


def reason(result: dict[str, Any]) -> str | None:
    """Return why a job has no memory verdict, grouped; None where it has one.

    Figures that leave out a term of unknown size are none: a verdict under them would be a guess.
    """
    if result["verdicts"]["memory"] != "not-judged":
        return None
    if result["facts"]["memory"] is not None:
        return UNCOUNTED
    why: str = result["facts"]["missing"].get("memory", "the config has errors")
    return next((kind for pattern, kind in KINDS if re.search(pattern, why)), why)


def table(title: str, counts: Counter[str], of: int) -> str:
    """Render counts and their share, largest first."""
    rows = [f"| {name} | {count} | {count / of:.1%} |" for name, count in counts.most_common()]
    return "\n".join([f"| {title} | n | share |", "|---|--:|--:|", *rows, ""])


def summary(results: Sequence[dict[str, Any]], files: int, unrecognised: int, errors: Sequence[Any]) -> str:
    """Return the page: outcomes, what was skipped and why, rules that spoke, by dialect."""
    total = len(results)
    lacking = sum(reason(result) == NOT_TRACED for result in results)
    judged = [result for result in results if reason(result) is None]
    parts = [
        f"{files} files, {unrecognised} in no known dialect, {total} jobs, {len(errors)} internal errors.\n",
        f"By stored profiles alone memory is judged of {len(judged)} of {len(judged) + lacking} jobs.\n"
        if lacking
        else "",
        table("outcome", Counter(result["outcome"] for result in results), total),
        table(
            "memory verdict", Counter("yes" if reason(result) is None else "no" for result in results), total
        ),
        table("why none", Counter(why for result in results if (why := reason(result))), total),
        table("jobs by dialect", Counter(str(result["dialect"]) for result in results), total),
        table("judged by dialect", Counter(str(result["dialect"]) for result in judged), total),
        table(
            "rule (jobs with it)",
            Counter(f"{level} {rule}" for result in results for level, rule in spoken(result)),
            total,
        ),
    ]
    return "\n".join([*parts, *(f"- internal error: {error}" for error in errors)])


def spoken(result: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the (level, rule) pairs of a job's findings."""
    return {(finding["level"], finding["rule"]) for finding in result["findings"]}


def listing(results: Iterable[dict[str, Any]], out: Path) -> None:
    """Write every finding as a line of CSV."""
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("file", "line", "level", "rule", "message"))
        for result in results:
            for found in result["findings"]:
                line = found.get("line", result["line"])
                writer.writerow((result["path"], line, found["level"], found["rule"], found["message"]))


def main() -> None:
    """Lint, tally, print."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="8x:a100-80gb")
    parser.add_argument("--state", type=Path, default=None, help="folder that keeps each sub-folder's report")
    parser.add_argument("--findings", type=Path, default=None)
    parser.add_argument("--no-trace", action="store_true")
    args = parser.parse_args()
    options = ["--no-trace"] if args.no_trace else []
    with tempfile.TemporaryDirectory() as scratch:
        found = list(reports(args.folder, args.state or Path(scratch), args.target, options))
    results = [result for report in found for result in report["results"]]
    if args.findings:
        listing(results, args.findings)
    files = sum(report["files"] for report in found)
    unrecognised = sum(len(report["unrecognised"]) for report in found)
    print(summary(results, files, unrecognised, [error for report in found for error in report["errors"]]))
