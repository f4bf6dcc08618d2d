# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The measured runs by source, each with constants that were chosen on the other sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil
from statistics import median
from typing import Any, Final

from bench.accuracy import fit
from bench.accuracy.runs import CLOSE, LEFT_OUT_PARTS, RTX3090, Found, quantile
from bench.measured_tables import MEASURED, REPLAYED, table
from trainlint.estimate.replay.workspace import BENCHMARK_RESERVE_SHARE
from trainlint.model.facts import WORST_SHARE

MIB: Final = 2**20
GPUMEMNET: Final = "itu-rad/GPUMemNet, FakeTensor (timm, A100-40)"
SIZES: Final = ("live", "segments", "reserved", "spike", "largest")
HEAD: Final = (
    "| source | runs | second block | margin | median error | within 5 % | too low | too high | `worst` |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)
BRACKETS: Final = "huggingface/pytorch-image-models results/ (RTX 3090)"
FAMILY_HEAD: Final = "| family | runs | below `worst` |\n|---|--:|--:|"
MARGIN_HEAD: Final = (
    "| margin | runs below `worst` | sources and families with less than 97 % |\n|--:|--:|---|"
)
ROW_HEAD: Final = (
    "| source | network | card | precision | batch | measured MiB | `expect` | error | `worst` | highest |\n"
    "|---|---|---|---|--:|--:|--:|--:|--:|--:|"
)
PERCENT: Final = 100
"""The margin is a whole number of these."""
FURTHER_TIMES: Final = 2
"""How many times as far off as these another kind of network may be: `further`, rounded up."""
MARGINS: Final = (2, 3, 4, 5, 6, 7, 9, 12, 20)
INSIDE_SHARE: Final = 0.97
"""Share of the runs of a machine or family that `worst` is to hold."""


def gpumemnet_runs() -> Found:
    """Return GPUMemNet's runs and what they need, and what the flagged models need at the largest batch."""
    replayed = {(row["model"], row["batch"]): row for row in table(REPLAYED, "gpumemnet")}
    measured = table(MEASURED, "gpumemnet")
    runs, missing = [], set()
    for row in measured:
        need = replayed.get((row["model"], row["batch"]))
        if need is None:
            missing.add(row["model"])
            continue
        names = {name: row[name] for name in ("model", "family", "kind", "flags")}
        sizes = {"measured": _bytes(row["measured_mib"]), "fake": _bytes(row["faketensor_mib"] or "0")}
        runs.append({**names, "batch": int(row["batch"]), **sizes, **_need(need), "source": GPUMEMNET})
    ceiling = {model: _need(row) for (model, batch), row in replayed.items() if batch == "ceiling"}
    return {"runs": runs, "ceiling": ceiling, "missing": sorted(missing), "rows": len(measured)}


def _bytes(mib: str) -> int:
    return round(float(mib) * MIB)


def _need(row: dict[str, str]) -> Found:
    need: Found = {name: int(row[name]) for name in SIZES}
    return need | (
        {"without": {name: int(row[name]) for name in LEFT_OUT_PARTS}} if LEFT_OUT_PARTS[0] in row else {}
    )


def sourced_runs() -> list[Found]:
    """Return every run with its source, its context in bytes and whether cudnn.benchmark was on."""
    runs: list[Found] = []
    own = gpumemnet_runs()["runs"]
    for family in fit.families(own):
        rest, members = fit.split(own, family)
        context, share = fit.fit(rest)
        runs += [{**run, "context": context, "benchmark": True, "others": share} for run in members]
    replayed = table(REPLAYED, "independent_memory")
    for row, need in zip(table(MEASURED, "independent_memory"), replayed, strict=True):
        if any(row[name] != need[name] for name in ("source", "model", "gpu", "batch", "precision")):
            raise SystemExit("independent_memory.csv is not what was replayed: python -m bench replay TAPES")
        runs.append(
            {
                **_need(need),
                "source": row["source"].split(" (")[0],
                "model": row["model"],
                "family": row["model"],
                "gpu": row["gpu"],
                "precision": row["precision"],
                "batch": int(row["batch"]),
                "measured": _bytes(row["measured_mib"]),
                "highest": _bytes(row["highest_mib"] or "0"),
                "context": int(need["context"]),
                "benchmark": row["cudnn_benchmark"] == "true",
            }
        )
    return runs


def expect(run: Found, share: float) -> float:
    """Return what nvidia-smi is expected to show, with BENCHMARK_RESERVE_SHARE."""
    return float(run["context"]) + fit.beyond(run) + share * float(run["largest"] * run["benchmark"])


def worst(run: Found, share: float, margin: float) -> float:
    """Return `worst` with a reserve share and a margin, as estimate/memory/execution.py works it out."""
    return max(float(run["context"]) + fit.beyond(run) + float(run["spike"]), expect(run, share) * margin)


def unshared(runs: Iterable[Found]) -> float:
    """Return BENCHMARK_RESERVE_SHARE as these runs have it, by the least mean error; 0 where not tried."""
    tried = [run for run in runs if run["benchmark"]]
    if not tried:
        return 0.0
    return min(
        fit.SHARES,
        key=lambda share: sum(abs(expect(run, share) / run["measured"] - 1) for run in tried) / len(tried),
    )


def margin(runs: Sequence[Found], share: float = BENCHMARK_RESERVE_SHARE) -> float:
    """Return WORST_SHARE as these runs have it: FURTHER_TIMES the most a source needs for SURE_SHARE."""
    needed = [_needed(members, share) for _, members in by_source(runs)]
    return 1 + ceil(round(PERCENT * FURTHER_TIMES * (max(needed) - 1), 6)) / PERCENT


def needed(runs: Sequence[Found]) -> float:
    """Return how many times `expect` SURE of a source's runs need, of the source that needs most."""
    return max(_needed(members, BENCHMARK_RESERVE_SHARE) for _, members in by_source(runs))


def _needed(runs: Sequence[Found], share: float) -> float:
    """Return how many times `expect` covers SURE of the runs, unless cuDNN's trials do."""
    over = [
        1.0 if run["measured"] <= worst(run, share, 1.0) else run["measured"] / expect(run, share)
        for run in runs
    ]
    return quantile(over, fit.SURE_SHARE)


def by_source(runs: Iterable[Found]) -> list[tuple[str, list[Found]]]:
    """Return the runs of each source."""
    ordered = sorted(runs, key=lambda run: str(run["source"]))
    return [(name, list(members)) for name, members in groupby(ordered, key=lambda run: str(run["source"]))]


Judged = tuple[str, list[Found], float, float]
"""A source, its runs, and the BENCHMARK_RESERVE_SHARE and WORST_SHARE that the others give."""


def held_out(runs: Sequence[Found]) -> list[Judged]:
    """Return each source with the constants that all other sources give."""
    found: list[Judged] = []
    for name, members in by_source(runs):
        rest = [run for run in runs if run["source"] != name]
        share = unshared(rest)
        found.append((name, members, share, margin(rest, share)))
    return found


def line(judged: Judged) -> str:
    """Return a table's row on a source."""
    name, runs, share, times = judged
    errors = [expect(run, share) / run["measured"] - 1 for run in runs]
    below = sum(run["measured"] <= worst(run, share, times) for run in runs)
    cells: list[Any] = [
        name,
        len(runs),
        f"{share:.2f}",
        f"{times:.2f}",
        f"{median(map(abs, errors)):.2%}",
        f"{sum(abs(error) <= CLOSE for error in errors) / len(runs):.1%}",
        sum(error < -CLOSE for error in errors),
        sum(error > CLOSE for error in errors),
        f"{below / len(runs):.1%}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def bracket_line(times: float) -> str:
    """Return that table's row on the RTX 3090's brackets, on which neither constant is chosen.

    `least` is too low where it fits a card at a batch that failed there, too high where it does not at one
    that ran. `worst` is at least `times` what is kept in segments with the context: it holds where that is
    above the card at a batch that failed.
    """
    count, found = len(table(MEASURED, "timm3090")), table(REPLAYED, "timm3090")
    low, high = (
        [int(row["failed_mib"]) * MIB for row in found if row["verdict"] == says]
        for says in ("dangerous", "annoying")
    )
    short = sum((need + RTX3090.context) * times <= RTX3090.capacity for need in low)
    inside = f"{1 - len(found) / count:.1%} (bracket)"
    cells = [BRACKETS, count, "", f"{times:.2f}", "", inside, len(low), len(high), f"{1 - short / count:.1%}"]
    return "| " + " | ".join(map(str, cells)) + " |"


def family_lines(runs: Sequence[Found]) -> Iterator[str]:
    """Yield GPUMemNet's families with runs above `worst`.

    The margin is the other sources', BENCHMARK_RESERVE_SHARE the other families'.
    """
    own = [run for run in runs if run["source"] == GPUMEMNET]
    times = margin([run for run in runs if run["source"] != GPUMEMNET])
    families: defaultdict[str, list[bool]] = defaultdict(list)
    for run in own:
        families[run["family"]].append(run["measured"] <= worst(run, run["others"], times))
    for family, below in sorted(families.items()):
        if not all(below):
            yield f"| {family} | {len(below)} | {sum(below) / len(below):.1%} |"
    every = [each for below in families.values() for each in below]
    yield f"| all {len(families)} | {len(every)} | {sum(every) / len(every):.1%} |"


def further(runs: Sequence[Found]) -> float:
    """Return how many times as far off as all other sources the one is that needs most, left out of them."""
    most, rest = max(
        ((members, [run for run in runs if run["source"] != name]) for name, members in by_source(runs)),
        key=lambda pair: _needed(pair[0], BENCHMARK_RESERVE_SHARE),
    )
    return (_needed(most, BENCHMARK_RESERVE_SHARE) - 1) / (needed(rest) - 1)


def margin_lines(runs: Sequence[Found]) -> Iterator[str]:
    """Yield what each margin would hold: all runs, and families of GPUMemNet it holds INSIDE_SHARE of."""
    families: defaultdict[str, list[Found]] = defaultdict(list)
    for run in runs:
        families[run["family"] if run["source"] == GPUMEMNET else run["source"]].append(run)
    for percent in MARGINS:
        times = 1 + percent / PERCENT
        below = {
            name: sum(
                run["measured"] <= worst(run, run.get("others", BENCHMARK_RESERVE_SHARE), times)
                for run in members
            )
            for name, members in families.items()
        }
        short = [name for name, count in sorted(below.items()) if count < INSIDE_SHARE * len(families[name])]
        yield f"| {percent}% | {sum(below.values())} of {len(runs)} | {', '.join(short) or 'none'} |"


def independent(runs: Iterable[Found]) -> list[Found]:
    """Return the runs on machines that nothing is fitted on."""
    return [run for run in runs if run["source"] != GPUMEMNET]


def row_line(run: Found) -> str:
    """Return a table's row on one run, with the shipped constants."""
    expected, most = expect(run, BENCHMARK_RESERVE_SHARE), worst(run, BENCHMARK_RESERVE_SHARE, WORST_SHARE)
    cells = [*(run[name] for name in ("source", "model", "gpu", "precision", "batch"))]
    cells += [f"{run['measured'] / MIB:,.0f}", f"{expected / MIB:,.0f}"]
    cells += [f"{expected / run['measured'] - 1:+.1%}", f"{most / MIB:,.0f}"]
    cells.append(f"{run['highest'] / MIB:,.0f}" if run["highest"] else "")
    return "| " + " | ".join(map(str, cells)) + " |"


def trial_words(runs: Iterable[Found]) -> str:
    """Return how many runs' highest moments, in cuDNN's trials, are below `worst` too."""
    tried = [run for run in runs if run.get("highest")]
    below = sum(run["highest"] <= worst(run, BENCHMARK_RESERVE_SHARE, WORST_SHARE) for run in tried)
    return f"{below} of {len(tried)}"
