# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keeps the list of fails of a folder of configs, and says what became of each in a later run.

    python -m bench fails list FOLDER... --target kaggle-t4x2 --no-trace --fails fails.csv --jobs jobs.csv
    python -m bench fails compare bench/data/fails_baseline.csv fails.csv [--gone gone.csv]
    python -m bench fails compare-jobs bench/data/jobs_baseline.csv jobs.csv
    python -m bench fails read bench/data/fails_read.csv [--before bench/data/fails_baseline.csv]
        [--gone bench/data/fails_gone.csv]
    python -m bench fails present bench/data/fails_read.csv fails.csv

`list` appends a run to both files: one line per finding (place, rule, level; no text of the linted files) and
one per job. `compare` matches by file, rule and line, then by file and rule. `read` tallies the table of the
fails that a person has read, a run at a time and with `--before` those of that list alone, and with
`compare`'s list says what became of the right ones and of the wrong ones of the runs that it has. `present`
holds the fails of a run against that table: it names those that have not been read, and those that were found
wrong and are fails still.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.commands import parser_of
from bench.corpus.lint import reason, reports, table

FINDING = ("run", "file", "line", "column", "rule", "level", "variant")
JOB = ("run", "file", "line", "dialect", "variant", "memory")
VERDICTS = ("right", "right under a reading", "wrong", "unknown")

Row = dict[str, str]
Place = tuple[str, ...]


def findings(results: Iterable[dict[str, Any]], run: str, root: Path) -> Iterator[tuple[Any, ...]]:
    """Give a line for every finding; a fail may appear as a warning in a later run."""
    for result in results:
        file = below(result["path"], root)
        for found in result["findings"]:
            line, column = found.get("line", result["line"]), found.get("column")
            level = f"{found['level']} under a reading" if found.get("holds_in") else found["level"]
            yield run, file, line, column, found["rule"], level, result["variant"] or ""


def jobs(results: Iterable[dict[str, Any]], run: str, root: Path) -> Iterator[tuple[Any, ...]]:
    """Give a line for every job: whether its memory was judged, or why not."""
    for result in results:
        file, memory = below(result["path"], root), reason(result) or "judged"
        yield run, file, result["line"], result["dialect"] or "", result["variant"] or "", memory


def below(path: str, root: Path) -> str:
    """Name a file by its path from the folder that holds the linted one, the same on every machine."""
    return str(Path(path).resolve().relative_to(root.resolve().parent))


def append(out: Path, header: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Add rows, in the order of their places, to a CSV that may be there already."""
    ordered = sorted(rows, key=lambda row: (row[1], int(row[2]), *map(str, row[3:])))
    new = not out.exists()
    with out.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(header)
        writer.writerows(ordered)


def load(path: Path) -> list[Row]:
    """Read a CSV with a header."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def count(rows: Iterable[Row], *fields: str) -> dict[Place, int]:
    """Count rows by the named fields."""
    return Counter(tuple(row[field] for field in fields) for row in rows)


def fates(before: Sequence[Row], after: Sequence[Row]) -> list[tuple[Row, str]]:
    """Say of every fail of a run what a later one has in its place."""
    levels: dict[Place, set[str]] = defaultdict(set)
    for row in after:
        levels[row["run"], row["file"], row["rule"], row["line"]].add(row["level"])
        levels[row["run"], row["file"], row["rule"]].add(row["level"])
    runs = {row["run"] for row in after}
    return [
        (row, fate(levels, (row["run"], row["file"], row["rule"], row["line"])))
        for row in before
        if row["level"] == "fail" and row["run"] in runs
    ]


def fate(levels: dict[Place, set[str]], place: Place) -> str:
    """Name what is found at a place now, or else anywhere in its file."""
    for spot, suffix in ((place, ""), (place[:3], ", elsewhere in the file")):
        for level in ("fail", "warn under a reading", "warn", "info"):
            if level in levels.get(spot, ()):
                return f"{'still a fail' if level == 'fail' else level}{suffix}"
    return "gone"


def compare(before: Sequence[Row], after: Sequence[Row], gone: Path | None) -> str:
    """Return the tables of what became of each fail, and of what is a fail now and was none."""
    found = fates(before, after)
    parts = []
    for run in sorted({row["run"] for row, _ in found}):
        here = [(row, what) for row, what in found if row["run"] == run]
        parts += [
            f"## {run}: {len(here)} fails in {len({row['file'] for row, _ in here})} files\n",
            table("now", Counter(what for _, what in here), len(here)),
            table("no fail at its line now", Counter(lost(here)), len(here)),
        ]
        known = {(row["file"], row["rule"]) for row, _ in here}
        new = [row for row in after if row["run"] == run and row["level"] == "fail"]
        fresh = [row for row in new if (row["file"], row["rule"]) not in known]
        parts.append(table("new fail (file and rule)", Counter(row["rule"] for row in fresh), len(new) or 1))
    if gone:
        gone.unlink(missing_ok=True)
        rows = [(*(row[field] for field in FINDING), what) for row, what in found if what != "still a fail"]
        append(gone, (*FINDING, "now"), rows)
    return "\n".join(parts)


def lost(found: Iterable[tuple[Row, str]]) -> Iterator[str]:
    """Name the rule and the new state of each fail that is none at its line any more."""
    return (f"{row['rule']}: {what}" for row, what in found if what != "still a fail")


def compare_jobs(before: Sequence[Row], after: Sequence[Row]) -> str:
    """Return the share of jobs with a memory verdict in every reading, before and after, and who lost it."""
    parts = []
    for run in sorted({row["run"] for row in before} & {row["run"] for row in after}):
        old, new = (unjudged(rows, run) for rows in (before, after))
        parts.append(f"## {run}\n")
        for name, places in (("before", old), ("after", new)):
            judged = sum(not why for why in places.values())
            parts.append(f"- {name}: {judged} of {len(places)} jobs ({judged / len(places):.1%})")
        reasons = Counter(
            why or ("judged" if place in new else "no such job")
            for place in (place for place, why in old.items() if not why)
            if (why := new.get(place, "")) or place not in new
        )
        parts += ["", table("judged before, now", reasons, len(old))]
    return "\n".join(parts)


def unjudged(rows: Iterable[Row], run: str) -> dict[Place, str]:
    """Return why each job of a run has no memory verdict in some reading; empty where all have one."""
    jobs: dict[Place, str] = {}
    for row in rows:
        if row["run"] == run:
            place = row["file"], row["line"]
            jobs[place] = jobs.get(place, "") or (row["memory"] if row["memory"] != "judged" else "")
    return jobs


def read(rows: Sequence[Row]) -> str:
    """Tally the fails that were read: by verdict, and by rule and verdict."""
    stray = {row["verdict"] for row in rows} - set(VERDICTS)
    if stray:
        raise SystemExit(f"no such verdict: {', '.join(sorted(stray))}")
    total = count(rows, "verdict")
    head = [
        f"{len(rows)} fails in {len({row['file'] for row in rows})} files.\n",
        table("verdict", Counter({name: total.get((name,), 0) for name in VERDICTS}), len(rows)),
        f"| rule | {' | '.join(VERDICTS)} |",
        "|---|" + "--:|" * len(VERDICTS),
    ]
    by_rule = count(rows, "rule", "verdict")
    rules = sorted({row["rule"] for row in rows}, key=lambda rule: (-count(rows, "rule")[rule,], rule))
    return "\n".join(
        [
            *head,
            *(
                f"| {rule} | {' | '.join(str(by_rule.get((rule, v), 0)) for v in VERDICTS)} |"
                for rule in rules
            ),
        ]
    )


def listed(rows: Sequence[Row], before: Sequence[Row]) -> list[Row]:
    """Return the rows that an earlier list has: the table has what was found later, too."""
    known = {spot(row) for row in before}
    return [row for row in rows if spot(row) in known]


def became(rows: Sequence[Row], gone: Sequence[Row]) -> str:
    """Return, for every verdict, what its fails are now, and by rule where a fail is none any more.

    Of runs that are not in `gone` that is not known.
    """
    now = {spot(row): row["now"] for row in gone}
    rows = [row for row in rows if row["run"] in {one["run"] for one in gone}]
    fates_of = [(row, now.get(spot(row), "still a fail")) for row in rows]
    parts = []
    for verdict in VERDICTS:
        here = [(row, what) for row, what in fates_of if row["verdict"] == verdict]
        if here:
            parts.append(table(f"{verdict} ({len(here)}), now", Counter(what for _, what in here), len(here)))
    changed = Counter(
        f"{row['verdict']}: {row['rule']}: {what}" for row, what in fates_of if what != "still a fail"
    )
    return "\n".join([*parts, table("no fail any more, by verdict and rule", changed, len(rows))])


def present(rows: Sequence[Row], now: Sequence[Row]) -> str:
    """Return how the fails of a run were read, by rule, and list those that were not, or that are wrong."""
    verdicts = {place_of(row): row["verdict"] for row in rows}
    fails = list({place_of(row): row for row in now if row["level"] == "fail"}.values())
    found = [(row, verdicts.get(place_of(row), "not read")) for row in fails]
    parts = []
    for run in sorted({row["run"] for row in fails}):
        here = [(row, verdict) for row, verdict in found if row["run"] == run]
        by_rule = Counter(f"{row['rule']}: {verdict}" for row, verdict in here)
        parts.append(table(f"{run}: {len(here)} fails", by_rule, len(here)))
    open_ones = [
        f"- {verdict}: {row['run']} {row['file']}:{row['line']} {row['rule']}"
        for row, verdict in found
        if verdict not in ("right", "right under a reading")
    ]
    return "\n".join([*parts, *open_ones, f"{len(open_ones)} of {len(fails)} fails not read, or wrong"])


def place_of(row: Row) -> Place:
    """Return where a finding is, whatever the reading is called."""
    return tuple(row[field] for field in ("run", "file", "line", "rule"))


def spot(row: Row) -> Place:
    """Return what names a fail in every list."""
    return tuple(row[field] for field in ("run", "file", "line", "rule", "variant"))


def listing(args: argparse.Namespace) -> None:
    """Lint the folders and append what was found."""
    options = ["--no-trace"] if args.no_trace else []
    for root in args.folders:
        found = list(reports(root, args.state / args.target.replace(":", "-"), args.target, options))
        results = [result for report in found for result in report["results"]]
        rows = findings(results, args.target, root)
        append(args.fails, FINDING, rows if args.all else (row for row in rows if row[5] == "fail"))
        append(args.jobs, JOB, jobs(results, args.target, root))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("list")
    run.add_argument("folders", type=Path, nargs="+")
    run.add_argument("--target", required=True)
    run.add_argument("--no-trace", action="store_true")
    run.add_argument("--state", type=Path, required=True, help="folder that keeps each sub-folder's report")
    run.add_argument("--all", action="store_true", help="list warnings too")
    run.add_argument("--fails", type=Path, required=True)
    run.add_argument("--jobs", type=Path, required=True)
    for name in ("compare", "compare-jobs"):
        pair = commands.add_parser(name)
        pair.add_argument("before", type=Path)
        pair.add_argument("after", type=Path)
        pair.add_argument("--gone", type=Path, default=None)
    tally = commands.add_parser("read")
    tally.add_argument("table", type=Path)
    tally.add_argument("--before", type=Path, default=None)
    tally.add_argument("--gone", type=Path, default=None)
    held = commands.add_parser("present")
    held.add_argument("table", type=Path)
    held.add_argument("fails", type=Path)
    return parser.parse_args()


def main() -> None:
    """List, or compare, or tally."""
    args = parse()
    if args.command == "list":
        listing(args)
    elif args.command == "read":
        rows = load(args.table)
        if args.before:
            rows = listed(rows, load(args.before))
        for run in sorted({row["run"] for row in rows}):
            print(f"## {run}\n\n{read([row for row in rows if row['run'] == run])}")
        if args.gone:
            print(became(rows, load(args.gone)))
    elif args.command == "present":
        print(present(load(args.table), load(args.fails)))
    elif args.command == "compare":
        print(compare(load(args.before), load(args.after), args.gone))
    else:
        print(compare_jobs(load(args.before), load(args.after)))
