# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lines and words of the reports on many configs: all of a folder, or some of them by chance.

    python -m bench lengths FOLDER                         each file on one of four targets
    python -m bench lengths FOLDER --count 160 --seed 36   so many of them, drawn with this seed

A failing job has at most 25 lines of 100 columns, a finding 65 words, a finding in concise 15; a job that
passes has one line. The exit status is 1 where one has more.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from bench.commands import parser_of
from bench.reading.words import COLUMNS, LIMITS, counted
from trainlint.model.result import Report, Result
from trainlint.report.formats import concise, text
from trainlint.report.style import Style
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

TARGETS: Final = ("kaggle-t4x2", "rtx-3060", "rtx-4090", "8GiB")
KINDS: Final = (".yml", ".yaml", ".json", ".toml", ".sh")
START: Final = re.compile(r"^(?:error|warning|hint)\[", re.MULTILINE)
END: Final = re.compile(r"\n\n|\n(?=(?:error|warning|hint)\[)|\n(?=\d+ (?:errors?|warnings?|hints?): )")
JOB, FINDING, CONCISE, PASSING = "a failing job", "a finding", "a finding, concise", "a passing job"
LINE = "a line that is too wide"
MOST: Final[Mapping[str, int]] = {
    JOB: LIMITS[JOB][0] or 0, FINDING: LIMITS[FINDING][1] or 0, CONCISE: LIMITS[CONCISE][1] or 0, PASSING: 1,
}  # fmt: skip
"""The most lines of a job, and words of a finding."""


def drawn(folder: Path, count: int | None, seed: int) -> list[tuple[Path, str]]:
    """Return files of a folder, each with a target."""
    chance = random.Random(seed)  # noqa: S311 - which files are looked at
    files = sorted(path for path in folder.rglob("*") if path.suffix in KINDS and path.is_file())
    chosen = files if count is None else chance.sample(files, min(count, len(files)))
    return [(path, chance.choice(TARGETS)) for path in chosen]


def judged(path: Path, target: str) -> list[Result]:
    """Return the results of a file on a target, from stored steps."""
    settings = Settings(target=(target,))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda *_: None, may_trace=False))
    return list(pipeline.lint_path(str(path), named=True))


def found(whole: str) -> Iterator[str]:
    """Yield the findings of a report, each with its excerpt and its notes."""
    for match in START.finditer(whole):
        yield END.split(whole[match.start() :], maxsplit=1)[0]


def lengths(results: Sequence[Result], name: str) -> Iterator[tuple[str, int, str]]:
    """Yield (what, its length, its text) of a file's reports; a line with the file's path may be wide."""
    report = Report(results=tuple(results), files=1)
    whole = text.FORMAT.render(report, Style())
    first = whole.partition("\n")[0]
    alone = len({(result.path, result.line) for result in results}) == 1
    if alone and "FAIL" in first:
        yield JOB, counted(whole)[0], whole
        wide = [line for line in whole.splitlines() if len(line) > COLUMNS and name not in line]
        yield from ((LINE, len(line), line) for line in wide)
    if alone and first.startswith("pass "):
        yield PASSING, counted(whole)[0] - 1, whole  # without "no findings"
    yield from ((FINDING, counted(each)[1], each) for each in found(whole))
    yield from (
        (CONCISE, counted(line)[1], line) for line in concise.FORMAT.render(report, Style()).splitlines()
    )


def main() -> int:
    """Print a table; 1 where something is longer than its limit, which is printed."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    seen: dict[str, list[int]] = defaultdict(list)
    over = 0
    for path, target in drawn(chosen.folder, chosen.count, chosen.seed):
        for what, length, shown in lengths(judged(path, target), path.name):
            seen[what].append(length)
            if length > MOST.get(what, 0):
                over += 1
                print(f"too long ({what}: {length}) in {path} on {target}\n{shown}\n", flush=True)
    for what, counts in sorted(seen.items()):
        limit = f"(limit {MOST.get(what, 0)})"
        print(f"{what}: {len(counts)}, median {median(counts):g}, at most {max(counts)} {limit}")
    return int(over > 0)
