# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Draws warnings on other people's repositories to be read, and counts what was found.

    python -m bench warnings draw CHECKOUTS --target rtx-4090 --state DIR --seed 39 --drawn drawn.csv
    python -m bench warnings count bench/data/warnings_read.csv

CHECKOUTS has a folder OWNER+NAME for each repository; each is linted as a whole, without tracing, and its
report kept in DIR. A place that warns in several readings, or of several jobs, is one warning. `draw` gives
each drawn one with its message, to be read next to the source; `count` tallies the table that comes of it.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.commands import parser_of
from bench.corpus.fails import Row, load
from bench.corpus.lint import reports

WARNING = ("repository", "file", "line", "rule", "message")


def warned(results: Iterable[dict[str, Any]], root: Path) -> Iterator[tuple[str, str, int, str, str]]:
    """Give every place that warns, once."""
    seen = set()
    for result in results:
        folder, *parts = Path(result["path"]).resolve().relative_to(root.resolve()).parts
        for found in result["findings"]:
            place = (
                folder.replace("+", "/"),
                "/".join(parts),
                found.get("line", result["line"]),
                found["rule"],
            )
            if found["level"] == "warn" and place not in seen:
                seen.add(place)
                yield *place, found["message"]


def drawn(warnings: Iterable[tuple[Any, ...]], seed: int, number: int, most: int) -> list[tuple[Any, ...]]:
    """Draw warnings, at most so many of one repository: the same ones, whatever order they came in."""
    shuffled = sorted(warnings)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a sample, no secret
    of: Counter[str] = Counter()
    taken: list[tuple[Any, ...]] = []
    for warning in shuffled:
        of[warning[0]] += 1
        if of[warning[0]] <= most and len(taken) < number:
            taken.append(warning)
    return sorted(taken)


def tally(rows: Sequence[Row]) -> str:
    """Return a table for each sample: its warnings by rule, and what was found of them."""
    parts = []
    for sample in dict.fromkeys(row["sample"] for row in rows):
        here = [row for row in rows if row["sample"] == sample]
        judged = Counter(row["judgement"] for row in here)
        words = sorted(judged)
        rules = Counter(row["rule"] for row in here)
        found = Counter((row["rule"], row["judgement"]) for row in here)
        parts += [
            f"## {sample}: {len(here)} warnings in {len({row['repository'] for row in here})} repositories\n",
            f"| rule | warnings | {' | '.join(words)} |",
            "|---|--:|" + "--:|" * len(words),
            *(
                f"| {rule} | {number} | {' | '.join(str(found[rule, word]) for word in words)} |"
                for rule, number in sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))
            ),
            f"| all | {len(here)} | {' | '.join(str(judged[word]) for word in words)} |",
            "",
        ]
    return "\n".join(parts)


def draw(args: argparse.Namespace) -> None:
    """Lint the checkouts and write what was drawn."""
    results = (
        result
        for report in reports(args.checkouts, args.state, args.target, ["--no-trace"])
        for result in report["results"]
    )
    found = list(warned(results, args.checkouts))
    with args.drawn.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(WARNING)
        writer.writerows(drawn(found, args.seed, args.number, args.most))
    print(f"{len(found)} warnings in {len({place[0] for place in found})} repositories")


def main() -> None:
    """Draw, or count."""
    parser = parser_of(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sample = commands.add_parser("draw")
    sample.add_argument("checkouts", type=Path)
    sample.add_argument("--target", required=True)
    sample.add_argument(
        "--state", type=Path, required=True, help="folder that keeps each repository's report"
    )
    sample.add_argument("--seed", type=int, required=True)
    sample.add_argument("--number", type=int, default=100)
    sample.add_argument("--most", type=int, default=10, help="warnings of one repository")
    sample.add_argument("--drawn", type=Path, required=True)
    held = commands.add_parser("count")
    held.add_argument("table", type=Path)
    args = parser.parse_args()
    if args.command == "draw":
        draw(args)
    else:
        print(tally(load(args.table)))
