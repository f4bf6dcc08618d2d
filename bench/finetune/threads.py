# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds verdicts against what people say in threads: this ran out of memory, this fits, this took so much.

    python -m bench finetune_threads [--only TEXT] [--page]

bench/data/finetune_threads.csv has a row for each statement that gives settings and an outcome; what is not
said there is the trainer's default, and `pins` are the versions that the thread names or its date leaves.
Dangerous is a pass where memory ran out, annoying a finding where it did not. Needs torch, transformers, peft
and diffusers; a new step takes some ten seconds. `--page` writes docs/threads.md.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from bench import ROOT
from bench.commands import parser_of
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.model.result import Result
from trainlint.model.units import gib_between
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

TABLE: Final = ROOT / "bench" / "data" / "finetune_threads.csv"
TEMPLATE: Final = Path(__file__).with_name("threads.md")
PAGE: Final = ROOT / "docs" / "threads.md"
TOO_SMALL: Final = ("vram-budget", "vram-sampling", "weights-while-loading")
"""Rules that say that a card is too small."""
OPEN: Final = ("vram-tight", "vram-fragmentation", "last-images-beyond-card")
"""Rules whose warning is no pass and no fail: a run may take all, or ends so when its weights are saved."""


class Verdict(Struct, frozen=True):
    """What one row's config was judged to be, and what it needs; `reason` where that is not known."""

    row: Mapping[str, str]
    word: str
    needs: str = ""
    reason: str = ""

    @property
    def rating(self) -> str:
        """Say whether the verdict is right, dangerous, annoying or open."""
        if self.word in {"not judged", "depends"}:
            return self.word
        if (self.word == "fits") == (self.row["outcome"] == "fits"):
            return "right"
        return "annoying" if self.row["outcome"] == "fits" else "dangerous"


def judged(row: Mapping[str, str]) -> Verdict:
    """Judge a row's config on its card, in all readings."""
    with TemporaryDirectory() as folder:
        if row["pins"]:
            Path(folder, "requirements.txt").write_text("\n".join(row["pins"].split()), encoding="utf-8")
        (path := Path(folder, row["file"])).write_text(row["config"], encoding="utf-8")
        settings = Settings(target=(row["card"],))
        results = _results(row["config"], str(path) if row["pins"] else row["file"], settings)
    short = [result for result in results if _has(result, TOO_SMALL)]
    unknown = {_missing(result): result for result in results if _missing(result)}
    if short and len(short) == len(results):
        return Verdict(row, "does not fit", _needs(results))
    if unknown or not results:
        return Verdict(row, "not judged", reason=next(iter(unknown), "no job"))
    warned = [result for result in results if _has(result, OPEN)]
    return Verdict(row, "depends" if short or warned else "fits", _needs(results))


def _results(config: str, path: str, settings: Settings) -> Sequence[Result]:
    """Judge a config in all readings that are left of it at a place."""
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _task: None, may_trace=True))
    (target,) = pipeline.targets_of(path)
    (document,) = read(source_of(config.encode(), path))
    placed = pipeline.readings(pipeline.jobs(document), target)
    return pipeline.judge.judge_all(placed, largest=False)


def _has(result: Result, rules: Sequence[str]) -> bool:
    return any(finding.rule in rules for finding in result.findings)


def _missing(result: Result) -> str:
    """Return why a result's memory is not judged; "" where it is."""
    skipped = [skip.reason for skip in result.skips if skip.rule in TOO_SMALL]
    missing = result.facts.missing.get("memory", "") if result.facts is not None else "no facts"
    return missing or next(iter(skipped), "")


def _needs(results: Sequence[Result]) -> str:
    """Return the range of what the readings need, the least of all to what nvidia-smi will show at most."""
    gpus = [result.facts.memory.gpus[0] for result in results if result.facts and result.facts.memory]
    if not gpus:
        return ""
    return f"{gib_between(min(gpu.least for gpu in gpus), max(gpu.expect for gpu in gpus))} GiB"


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Return a table of what was said and judged."""
    table = ["| said | on | trainlint | needs | |", "|---|---|---|---|---|"]
    for one in verdicts:
        said = f"[{one.row['said']}]({one.row['thread']})"
        table.append(
            f"| {said} | {one.row['card']} | {one.word} | {one.needs or one.reason} | {one.rating} |"
        )
    return table


def summary(verdicts: Sequence[Verdict]) -> str:
    """Count the ratings."""
    counts = Counter(one.rating for one in verdicts)
    names = ["right", "depends", "not judged", "annoying", "dangerous"]
    return f"{len(verdicts)} statements: " + ", ".join(f"{counts[name]} {name}" for name in names)


def main() -> int:
    """Judge, print, and write the page where it is asked for; 1 where a verdict is dangerous."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", help="rows with this in their thread or statement")
    parser.add_argument("--page", action="store_true", help="write docs/threads.md")
    options = parser.parse_args()
    with TABLE.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if options.only in f"{row['thread']} {row['said']}"]
    verdicts: list[Verdict] = []
    for row in rows:
        verdicts.append(judged(row))
        print(lines(verdicts[-1:])[-1], flush=True)
    print(summary(verdicts))
    if options.page:
        text = TEMPLATE.read_text(encoding="utf-8")
        text = text.replace("{summary}", summary(verdicts)).replace("{rows}", "\n".join(lines(verdicts)))
        PAGE.write_text(text, encoding="utf-8")
    return 1 if any(one.rating == "dangerous" for one in verdicts) else 0
