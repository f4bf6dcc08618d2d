# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Replay the measured runs and write what trainlint says of them into bench/replayed.

    python -m bench replay TAPES [...] [--independent]

TAPES are folders that `timm_tapes` made of bench/measured/gpumemnet.csv and independent_memory.csv. The pages
and the tests of the constants need the tables alone: run it again where the replay or the trace has changed.
--independent writes the second one's alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.accuracy.collected import Remembering, gpumemnet, need_of
from bench.accuracy.fragmentation import ratios
from bench.accuracy.runs import LEFT_OUT_PARTS, Tapes
from bench.accuracy.timm_tapes import rows_of
from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.workspace import libraries
from trainlint.hardware import load_hardware

SIZES: Final = ("live", "segments", "reserved", "spike", "largest")
GPUMEMNET: Final = ("model", "batch", *SIZES, *LEFT_OUT_PARTS)
INDEPENDENT: Final = ("source", "model", "gpu", "batch", "precision", "context", *SIZES)
RATIO: Final = ("model", "batch", "ratio")


def flat(need: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's figures as a line of a table."""
    return {**need, **need["without"]}


def of_gpumemnet(tapes: Remembering) -> Iterator[dict[str, Any]]:
    """Yield what GPUMemNet's runs need, and at last models that filled the card, at the largest batch."""
    found = gpumemnet(tapes, rows_of(MEASURED / "gpumemnet.csv"))
    yield from map(flat, found["runs"])
    for model, need in found["ceiling"].items():
        yield {"model": model, "batch": "ceiling", **flat(need)}


def of_independent(tapes: Tapes) -> Iterator[dict[str, Any]]:
    """Yield what the runs on other machines need; `context` is that machine's, or ours of the card."""
    hardware = load_hardware()
    for row in table(MEASURED, "independent_memory"):
        gpu, batch = hardware.gpu(row["gpu"]), int(row["batch"])
        book = tapes.find(row, batch)
        if book is None:
            continue
        used = libraries(gpu.compute_capability, benchmark=row["cudnn_benchmark"] == "true")
        context = int(row["context_mib"]) * 2**20 if row["context_mib"] else gpu.context
        yield {**row, "context": context, **need_of(book, Share(batch, batch).samples, used)}


def write(folders: Sequence[Path]) -> None:
    """Write GPUMemNet's tables."""
    write_table(REPLAYED, "gpumemnet", GPUMEMNET, of_gpumemnet(Remembering(folders)))
    found = ratios(Tapes(folders), rows_of(MEASURED / "gpumemnet.csv"))
    lines = [{"model": model, "batch": batch, "ratio": f"{ratio:.5f}"} for ratio, model, batch in found]
    write_table(REPLAYED, "fragmentation", RATIO, lines)


def main() -> None:
    """Replay what the folders have tapes of."""
    parser = parser_of(__doc__)
    parser.add_argument("tapes", nargs="+", type=Path)
    parser.add_argument("--independent", action="store_true")
    options = parser.parse_args()
    write_table(REPLAYED, "independent_memory", INDEPENDENT, of_independent(Tapes(options.tapes)))
    if not options.independent:
        write(options.tapes)
