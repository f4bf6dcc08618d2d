# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Plants slips in the configs and commands of other people's repositories and counts those that are found.

    python -m bench planted_errors SNAPSHOTS [--only NAME] [--rows bench/data/planted_errors.csv]
        [--page docs/planted-errors.md]

SNAPSHOTS has a folder OWNER+NAME/repo with a git repository for each of `REPOSITORIES`. Each kind of slip is
planted once in each repository where it stops the run or spoils it: in the first training option file, by a
hash of its path, that the kind can be planted in and whose source reads what is changed, or in a command. A
copy with the slip and one without it are checked, on two T4 and without tracing. A slip is found when a
finding is at its line that the other copy does not have; a key that is gone has no line, so that a new
finding has to name it. What else is new is listed, too. Nothing of the repositories is kept but the place and
what was changed.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from dataclasses import astuple, dataclass, fields
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from bench.commands import parser_of
from bench.planted import command as commands
from bench.planted import keys, names, values
from bench.planted.checkout import Checkout, laid_out
from bench.planted.option_file import Planted, option_files
from bench.planted.page import page
from bench.planted.row import Row
from trainlint.api import check

REPOSITORIES = (
    "AlanLoeng/FDPNet", "ArsenalCheng/MMA", "Good-Peng/RPIFormer", "HPLQAQ/SAM-Deblur", "HanzhouLiu/DiNAT-IR",
    "House-yuyu/CogRestore", "gff111/Real-ESRGAN", "sczhou/CodeFormer", "swz30/Restormer",
    "namle24/RealESRGAN_Degradation_KD", "Zj-BinXia/DiffIR", "champon1020/KAIR", "dangerden/KAIR",
    "JingyunLiang/HCFlow", "JingyunLiang/MANet", "yang-jin-hai/SAIN", "chxy95/HDRUNet", "sail-sg/volo",
    "okojoalg/sequencer", "Vision-wck/inceptionnext",
)  # fmt: skip
OPTION_KINDS = {**keys.KINDS, **values.KINDS, **names.KINDS}
TARGET = "kaggle-t4x2"


@dataclass(frozen=True)
class Seen:
    """A finding: its rule and level, its line and what that says, and the message."""

    rule: str
    level: str
    line: int
    words: str
    message: str


@dataclass(frozen=True)
class Plan:
    """A slip to plant: its kind, in which file, and what becomes of that."""

    kind: str
    file: str
    before: str
    planted: Planted


def in_options(checkout: Checkout) -> Iterator[Plan]:
    """Yield every kind of slip in an option file of a checkout."""
    files = list(option_files(checkout))
    for kind, slip in OPTION_KINDS.items():
        fitting = ((option, planted) for option in files if (planted := slip(option)))
        for option, planted in islice(fitting, 1):
            yield Plan(kind, option.name, option.document.source.text, planted)


def in_command(checkout: Checkout) -> Iterator[Plan]:
    """Yield every kind of slip in a command of a checkout."""
    started = (commands.of_option(option) for option in option_files(checkout))
    command = next(filter(None, started), None) or commands.of_timm(checkout)
    if command is None:
        return
    for kind, slip in commands.KINDS.items():
        if planted := slip(command):
            yield Plan(kind, commands.NAME, command.text, planted)


def repository(snapshots: Path, name: str) -> list[Row]:
    """Plant all there is to plant in a repository, each in a copy beside its file, and check them all."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = laid_out(snapshots, name, Path(folder))
        plans = [*in_options(checkout), *in_command(checkout)]
        with chdir(checkout.folder):  # where people stand
            found = seen_before_and_after(plans)
    return [
        Row(checkout.name, checkout.commit[:7], plan.kind, plan.file, plan.planted.done, *judged(
            found[beside(plan.file, "as_it_is")], found[beside(plan.file, f"slip{n}")], plan.planted
        ))
        for n, plan in enumerate(plans)
    ]  # fmt: skip


def seen_before_and_after(plans: Sequence[Plan]) -> dict[str, list[Seen]]:
    """Write every slip into a copy beside its file, and that as it is, and check them all."""
    texts = {beside(plan.file, "as_it_is"): plan.before for plan in plans}
    texts |= {beside(plan.file, f"slip{n}"): plan.planted.text for n, plan in enumerate(plans)}
    for file, text in texts.items():
        Path(file).write_text(text, encoding="utf-8", newline="")
    options = sorted(file for file in texts if not file.endswith(".sh"))
    found = seen(options) if options else {}
    for file in texts.keys() - options:  # each by itself: what it starts is judged at the option file
        found |= seen([file])
    return found


def beside(file: str, word: str) -> str:
    """Return the name of a copy in the same folder."""
    path = PurePosixPath(file)
    return str(path.with_name(f"{path.stem}_{word}{path.suffix}"))


def seen(files: Sequence[str]) -> dict[str, list[Seen]]:
    """Return what a check finds in each file."""
    report = check(files, TARGET, trace=False)
    if report.crashes:
        raise RuntimeError(str(report.crashes[0]))
    found: dict[str, list[Seen]] = {file: [] for file in files}
    for result in report.results:
        here = found.get(result.path, found[files[0]])
        for finding in result.findings:
            for line in {result.source.position(span.start)[0] for span in finding.spans}:
                words, level = result.source.line(line).strip(), str(finding.level)
                at = line if result.path in found else line_said(finding.message, files[0])
                here.append(Seen(finding.rule, level, at, words, finding.message))
    return found


def line_said(message: str, command: str) -> int:
    """Return the line of a command that a finding of its option file names; 0 where it names none."""
    place = re.search(rf"\({re.escape(command)}:(\d+)\)", message)
    return int(place[1]) if place else 0


def judged(before: Iterable[Seen], after: Sequence[Seen], planted: Planted) -> tuple[str, str]:
    """Return by which rules a slip is found, and what else is new."""
    known = {(one.rule, said) for one in before for said in (one.words, one.message)}
    fresh = [one for one in after if not known & {(one.rule, one.words), (one.rule, one.message)}]
    named = re.compile(rf"\b{re.escape(planted.named)}\b") if planted.named else None
    at = [one for one in fresh if one.line in planted.lines or (named and named.search(one.message))]
    rest = [one for one in fresh if one.rule not in {found.rule for found in at}]
    return rules_of(at), rules_of(rest, lines=True)


def rules_of(found: Iterable[Seen], *, lines: bool = False) -> str:
    """Name the rules of findings, with their lines where those matter."""
    return " ".join(sorted({f"{one.level}[{one.rule}]" + (f":{one.line}" if lines else "") for one in found}))


def main() -> None:
    """Plant, check, count."""
    parser = parser_of(__doc__)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument(
        "--only", nargs="*", default=REPOSITORIES, metavar="NAME", help="these repositories alone"
    )
    parser.add_argument("--rows", type=Path, help="write a line a slip to this CSV")
    parser.add_argument("--page", type=Path, help="write the tables to this page")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    with ProcessPoolExecutor(args.processes) as pool:
        found = pool.map(partial(repository, args.snapshots.resolve()), args.only)
        rows = [row for rows in found for row in rows]
    if args.rows:
        with args.rows.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([field.name for field in fields(Row)])
            writer.writerows(map(astuple, rows))
    if args.page:
        args.page.write_text(page(rows), encoding="utf-8")
    counts = Counter(bool(row.found) for row in rows)
    print(f"{counts[True]} of {len(rows)} found ({counts[True] / len(rows):.1%})")
