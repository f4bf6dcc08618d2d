# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Hold the estimate against measured runs of timm's models; prints Markdown tables.

    python -m bench accuracy TAPES MEASURED [--part dev] [--worst 15]

TAPES is what `timm_tapes` made (of several folders, the first that has a tape); no torch is needed.
MEASURED holds <part>_gpumemnet.csv and <part>_timm3090.csv. A context belongs to a machine and its CUDA
(before 11.7 every kernel is loaded at the start), so each data set states its own, fitted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.accuracy.timm_tapes import Row, rows_of, step_of_row
from bench.commands import parser_of
from trainlint.estimate.memory.card import Card, Share
from trainlint.estimate.memory.execution import gpu_memory
from trainlint.estimate.replay.footprint import footprint, footprint_on
from trainlint.estimate.replay.gpu_ledger import Ledger, ledger
from trainlint.estimate.replay.workspace import libraries
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape.step import built, key_of

MIB = 2**20
A100 = Card(39_000 * MIB, 1700 * MIB, 8.0, libraries(8.0, benchmark=True))
"""GPUMemNet's A100-40; its context is fitted (fit.py), this one is where the fit begins."""
RTX3090 = Card(24_259 * MIB, 1750 * MIB, 8.6, libraries(8.6, benchmark=True))
"""The brackets' card: what torch 1.12 saw of it. The context likewise."""
Found = dict[str, Any]
"""A run or a bracket with its figures, as JSON keeps it."""
LEFT_OUT_PARTS = ("the sums of attention's backward", "cuDNN's workspaces")
"""What the estimate is tried without."""
BRACKET_CONTEXTS = range(1550, 2051, 50)
"""MiB of context among which the fits choose: what a step takes depends on the room that it has."""
CONVERTED = ("none", "copies")
"""What half-precision convolutions are said to take there: nothing, or the copies (conversions.py)."""
CLOSE = 0.05
"""An estimate within this share of the measurement counts as close."""


@dataclass(frozen=True)
class Run:
    """One measured run and its estimate, in bytes."""

    model: str
    family: str
    kind: str
    flags: str
    batch: int
    measured: int
    expect: int

    @property
    def error(self) -> float:
        """Return the share by which the estimate is too high."""
        return self.expect / self.measured - 1


class Tapes:
    """Folders of tapes, looked through in order."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.stores = [Store(folder) for folder in folders]
        self.missing: set[str] = set()

    def find(self, row: Row, batch: int) -> Ledger | None:
        """Return the ledger of a row's tape at a batch, or None."""
        key = key_of(built(step_of_row(row)))
        for store in self.stores:
            tape = store.find(key, batch)
            if tape is not None:
                return ledger(tape)
        self.missing.add(row["model"])
        return None


def runs(tapes: Tapes, rows: Iterable[Row]) -> Iterator[Run]:
    """Return the measured runs that have a tape."""
    for row in rows:
        batch = int(row["batch"])
        book = tapes.find(row, batch)
        if book is None:
            continue
        need = footprint(book, Share(batch, batch).samples, A100.libraries)
        yield Run(
            model=row["model"],
            family=row["family"],
            kind=row["kind"],
            flags=row["flags"],
            batch=batch,
            measured=round(float(row["measured_mib"]) * MIB),
            expect=gpu_memory(need, A100).expect,
        )


def quantile(values: Iterable[float], share: float) -> float:
    """Return the value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def error_line(name: str, group: Sequence[Run]) -> str:
    """Return a table's row on a group's errors."""
    errors = [run.error for run in group]
    sizes = [abs(error) for error in errors]
    cells = [
        name,
        str(len(group)),
        *(f"{value:.2%}" for value in (median(sizes), quantile(sizes, 0.9), quantile(sizes, 0.95))),
        f"{sum(size <= CLOSE for size in sizes) / len(sizes):.1%}",
        *(f"{value:+.2%}" for value in (median(errors), mean(errors))),
        str(sum(error < -CLOSE for error in errors)),
        str(sum(error > CLOSE for error in errors)),
    ]
    return "| " + " | ".join(cells) + " |"


def error_table(found: Sequence[Run]) -> None:
    """Print the errors of `expect`, of all rows, by kind and by family."""
    print(f"\n## GPUMemNet: A100-40, fp32, `expect`; context {A100.context // MIB} MiB (fitted)\n")
    print("| rows | n | median | p90 | p95 | within 5 % | bias (median) | bias (mean) | too low | too high |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    print(error_line("all", found))
    print(error_line("batch series complete", [run for run in found if not run.flags]))
    for field in ("kind", "family"):
        groups: defaultdict[str, list[Run]] = defaultdict(list)
        for run in found:
            groups[getattr(run, field)].append(run)
        for name, group in sorted(groups.items()):
            print(error_line(name, group))


def verdict(tapes: Tapes, row: Row, context: int = RTX3090.context) -> tuple[str, tuple[float, float]]:
    """Return what `least` says of a bracket, and its share of the card at both ends."""
    room = RTX3090.capacity - context
    shares: list[float] = []
    for batch in (int(row["fit_batch"]), int(row["fail_batch"])):
        book = tapes.find(row, batch)
        if book is None:
            return "no tape", (0.0, 0.0)
        need = footprint_on(book, Share(batch, batch).samples, RTX3090.libraries, room)
        shares.append(need.segments / room)
    fits, fails = shares
    return ("annoying" if fits > 1 else "dangerous" if fails <= 1 else "in"), (fits, fails)


def bracket_table(tapes: Tapes, rows: Iterable[Row]) -> list[tuple[str, str, str, str, float, float]]:
    """Print the verdicts on the brackets; return the rows that are wrong."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[tuple[str, str, str, str, float, float]] = []
    for row in rows:
        says, shares = verdict(tapes, row)
        for name in ("all", row["kind"]):
            counts[name][says] += 1
        if says != "in":
            wrong.append((says, row["model"], row["fit_batch"], row["fail_batch"], *shares))
    print(f"\n## RTX 3090 brackets: AMP, `least`; context {RTX3090.context // MIB} MiB (fitted)\n")
    print("| rows | n | in the bracket | dangerous: says fits | annoying: says fails | no tape |")
    print("|---|---|---|---|---|---|")
    for name, count in counts.items():
        judged = sum(count.values()) - count["no tape"]
        if judged:
            parts = (
                f"{count[says]} ({count[says] / judged:.1%})" for says in ("in", "dangerous", "annoying")
            )
            print("| " + " | ".join([name, str(judged), *parts, str(count["no tape"])]) + " |")
    return wrong


def main() -> None:
    """Print the tables on both data sets."""
    parser = parser_of(__doc__)
    parser.add_argument("tapes", nargs="+", type=Path, help="folders of tapes, then the measurements' folder")
    parser.add_argument("--part", default="dev", help="the measurements' prefix")
    parser.add_argument("--worst", type=int, default=15, help="how many of the worst rows to list")
    options = parser.parse_args()
    *folders, measured = options.tapes
    tapes = Tapes(folders)
    found = list(runs(tapes, rows_of(measured / f"{options.part}_gpumemnet.csv")))
    error_table(found)
    print("\nLargest errors:\n")
    for run in sorted(found, key=lambda run: -abs(run.error))[: options.worst]:
        print(
            f"- {run.model} batch {run.batch}: measured {run.measured / MIB:.0f} MiB,"
            f" expect {run.expect / MIB:.0f} ({run.error:+.1%}) {run.flags}"
        )
    wrong = bracket_table(tapes, rows_of(measured / f"{options.part}_timm3090.csv"))
    print(
        "\nOutside their bracket (`least` as a share of the card at the batch that ran, and that failed):\n"
    )
    for says, model, fit, fail, low, high in sorted(wrong):
        print(f"- {says}: {model} {fit} ({low:.3f}) / {fail} ({high:.3f})")
    print(f"\nWithout a tape: {', '.join(sorted(tapes.missing)) or 'none'}")
