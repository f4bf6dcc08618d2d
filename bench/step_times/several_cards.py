# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps on several cards next to the same on one: what DistributedDataParallel and the link add.

    python -m bench several_cards TAPES

ResNet-50 by lambdal/deeplearning-benchmark (bench/measured/several_cards.csv). Traces what the folder lacks
(torch and torchvision are needed) and writes bench/replayed/several_cards.csv: seconds of a step, low, middle
and high. No constant was chosen on these rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from bench.accuracy.timm_tapes import native_step, trace_step
from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from trainlint.estimate.memory.card import Share
from trainlint.estimate.speed.pace import pace_of
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.hardware import load_hardware
from trainlint.tape.step import built, key_of

NAME: Final = "several_cards"
ENDS: Final = ("low", "middle", "high")
COLUMNS: Final = ("gpu", "precision", "batch", "gpus", *ENDS)
HEAD: Final = (
    "| card | precision, batch | cards | runs | step alone | longer by | expected, up to | in the range |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|"
)
Key = tuple[str, ...]
"""A row's card, precision, batch and number of cards."""


def key_of_row(row: dict[str, str]) -> Key:
    """Return what names a step."""
    return row["gpu"], row["precision"], row["batch"], row["gpus"]


def lines(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what is said of each step."""
    hardware, store = load_hardware(), Store(folder)
    for key in dict.fromkeys(map(key_of_row, table(MEASURED, NAME))):
        gpu, precision, batch, gpus = key[0], key[1], int(key[2]), int(key[3])
        step = native_step("torchvision/resnet50", {"type": "SGD", "momentum": 1}, half=precision == "fp16")
        step |= {"parallel": "ddp"} if gpus > 1 else {}
        name = key_of(built(step))
        error = "" if store.find(name, batch) else trace_step(str(folder), step, {batch}, "resnet50")
        tape = store.find(name, batch)
        if tape is None:
            raise SystemExit(error or "no tape")
        pace = pace_of(tape, Share(batch, batch, processes=gpus), hardware.gpu(gpu))
        ends = dict(zip(ENDS, (f"{end:.5g}" for end in pace.seconds), strict=True))
        yield {"gpu": gpu, "precision": precision, "batch": batch, "gpus": gpus, **ends}


def seconds(row: dict[str, str]) -> float:
    """Return the measured seconds of a step."""
    return int(row["batch"]) * int(row["gpus"]) / float(row["images_per_second"])


class Compared(NamedTuple):
    """A step on several cards: seconds on one, how many more each run took, and how many more are expected.

    `middle` and `high` of that range, whose low end is none; `inside`: runs in the whole step's range.
    """

    key: Key
    alone: float
    more: list[float]
    middle: float
    high: float
    inside: int


def compared() -> Iterator[Compared]:
    """Yield each step on several cards."""
    said = {key_of_row(row): [float(row[end]) for end in ENDS] for row in table(REPLAYED, NAME)}
    rows = sorted(table(MEASURED, NAME), key=lambda row: (*key_of_row(row)[:3], int(row["gpus"])))
    alone = {key_of_row(row)[:3]: seconds(row) for row in rows if row["gpus"] == "1"}
    for key, runs in groupby((row for row in rows if row["gpus"] != "1"), key_of_row):
        one, took = said[(*key[:3], "1")], [seconds(row) for row in runs]
        low, middle, high = said[key]
        inside = sum(low <= each <= high for each in took)
        more = [each - alone[key[:3]] for each in took]
        yield Compared(key, alone[key[:3]], more, middle - one[1], high - one[2], inside)


def table_lines() -> Iterator[str]:
    """Yield the table."""
    for (gpu, precision, batch, gpus), alone, more, middle, high, inside in compared():
        least, most = (f"{1e3 * end:.0f}" for end in (min(more), max(more)))
        longer = f"{least} to {most} ms" if least != most else f"{least} ms"
        cells = [gpu, f"{precision}, {batch}", gpus, len(more), f"{1e3 * alone:.0f} ms", longer]
        cells += [f"{1e3 * middle:.0f}, {1e3 * high:.0f} ms", f"{inside} of {len(more)}"]
        yield "| " + " | ".join(map(str, cells)) + " |"


def words() -> str:
    """Say how many runs took longer by no more than is expected at the most, and lie in the whole range."""
    found = list(compared())
    runs = sum(len(each.more) for each in found)
    within = sum(0 <= more <= each.high for each in found for more in each.more)
    inside = sum(each.inside for each in found)
    return f"{within} of {runs} took no longer, and {inside} lie in the whole step's range"


def main() -> None:
    """Write the table, and print what it says."""
    parser = parser_of(__doc__)
    parser.add_argument("tapes", type=Path)
    write_table(REPLAYED, NAME, COLUMNS, lines(parser.parse_args().tapes))
    print(HEAD, *table_lines(), sep="\n")
