# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's peaks against reference peaks that the original frameworks gave (dev_peaks.csv).

    python -m bench peaks [CSV or folder of it] [--only NAME ...]

Without a path the folder in TRAINLINT_SHARED is read. Every step is written afresh from the table's columns
(steps.py); errors are signed percentages of `allocated`, positive where trainlint is too high. A row outside
the target is traced once more without what its reference left out of CUDA (off_cuda.py).
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.commands import parser_of
from bench.references.off_cuda import off_cuda
from bench.references.steps import step_of_row
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.tape import Tape
from trainlint.trace.trace import trace

BATCHES = ("1", "2", "4", "8", "own")
TOLERANCE = {"exact": 1.0, "approx": 3.0}
"""Per cent within which a row's figures should be, by its status."""
COLUMNS = (*(f"peak_b{b}" if b != "own" else "peak_own" for b in BATCHES), "val_peak", "ckpt_bytes")


@dataclass(frozen=True)
class Verdict:
    """One row's errors in percent by column, or why there are none.

    `off_cuda`: the same without what the reference left out of CUDA, where `errors` are outside the target.
    """

    name: str
    status: str
    errors: dict[str, float]
    reason: str = ""
    off_cuda: dict[str, float] = field(default_factory=dict)

    def outside(self) -> list[str]:
        """Return the columns outside the target."""
        return [column for column, error in self.errors.items() if abs(error) > TOLERANCE[self.status]]


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the table's rows; `path` is the CSV, or the folder whose measured/dev_peaks.csv is read."""
    file = path / "measured" / "dev_peaks.csv" if path.is_dir() else path
    with file.open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def judge(row: dict[str, str]) -> Verdict:
    """Trace a row's step, again without what its reference left out where it is outside the target."""
    try:
        found = Verdict(row["id"], row["status"], dict(errors(row)))
        if not found.outside():
            return found
        with off_cuda():
            return replace(found, off_cuda=dict(errors(row)))
    except CannotTraceError as error:
        return Verdict(row["id"], row["status"], {}, str(error))


def errors(row: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Yield (column, error in percent) for every figure of the row."""
    step, pool = step_of_row(row), int(row["queue_size"] or 0)
    tape, single = trace(step, verify=False), trace(step, verify=False, batches=(1,))
    same_network(row, tape)
    for name, column in zip(BATCHES, COLUMNS, strict=False):
        if row[column]:
            batch = int(row["batch_own"]) if name == "own" else int(name)
            source = single if batch == 1 else tape
            yield column, error(peak(source, batch, pool), row[column])
    if row["val_in_hw"]:
        height, width = map(int, row["val_in_hw"].split("x"))
        after = trace(step, verify=False, batches=(int(row["batch_own"]),), validation=(height, width))
        yield "val_peak", error(peak(after, int(row["batch_own"]), pool, validation=True), row["val_peak"])
    if row["ckpt_bytes"]:
        yield "ckpt_bytes", error(sum(file.size for file in tape.files), row["ckpt_bytes"])


def same_network(row: dict[str, str], tape: Tape) -> None:
    """Refuse a row about another network of that name: BasicVSR++ built without CUDA is not aligned."""
    ours, theirs = tape.networks[0].parameters, int(row["params_g"])
    if ours != theirs:
        raise CannotTraceError(f"the row's network has {theirs:,} parameters, the published one {ours:,}")


def peak(tape: Tape, batch: int, pool: int, *, validation: bool = False) -> int:
    """Return the peak of live tensors in bytes."""
    return ledger(tape, validation=validation).peak(Samples(batch, batch, pool)).allocated


def error(ours: int, reference: str) -> float:
    """Return the error in percent."""
    return 100 * (ours / int(reference) - 1)


def line(name: str, status: str, found: dict[str, float]) -> str:
    """Return a row of the printed table."""
    figures = (f"{found[c]:+.3f}" if c in found else "" for c in COLUMNS)
    return f"{name:26}{status:8}" + "".join(f"{figure:>11}" for figure in figures)


def main() -> int:
    """Print a line for each row, then those that are not traced."""
    parser = parser_of(__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=os.environ.get("TRAINLINT_SHARED"))
    parser.add_argument("--only", nargs="*", default=[], help="rows whose id contains one of these")
    options = parser.parse_args()
    if options.path is None:
        parser.error("give the table's path or set TRAINLINT_SHARED")
    print(f"{'row':26}{'status':8}" + "".join(f"{column:>11}" for column in COLUMNS))
    untraced = []
    for row in rows(options.path):
        if options.only and not any(part in row["id"] for part in options.only):
            continue
        verdict = judge(row)
        if verdict.reason:
            untraced.append(verdict)
            continue
        print(line(verdict.name, verdict.status, verdict.errors), flush=True)
        if verdict.off_cuda:
            print(line("  as the reference ran", "", verdict.off_cuda), flush=True)
    for verdict in untraced:
        print(f"not traced: {verdict.name}: {verdict.reason}")
    return 0
