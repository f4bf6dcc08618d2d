# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps on other machines, small batches among them: what the host takes, and cards without TF32.

    python -m bench independent_times [TAPES] [--write]

With TAPES, a folder that this command fills, bench/replayed/independent_times.csv is written anew (torch and
torchvision are needed; `own_card.write` is the same for the H100's steps). Prints what the table says of the
host's seconds per operator and of 3x3 convolutions in fp32, each machine judged by the others; --write puts
it into factors.toml.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import median
from typing import Final

from bench.accuracy.timm_tapes import native_step, trace_step
from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from bench.step_times.factor_file import put
from bench.step_times.host_shares import gathering, walked
from trainlint.estimate.calibration import Work
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.kernel_class import OWN_DEPTHWISE, WINOGRAD
from trainlint.estimate.speed.own_pace import HOST_RULED, host_times
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.step_work import elapsed, kernel_seconds, step_work
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.hardware import load_hardware
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.tape import Tape
from trainlint.tape.step import built, key_of

NAME: Final = "independent_times"
SMALL_BATCH: Final = 16
"""Batches up to this one are those of machines where the host may rule."""
ROW_COLUMNS: Final = ("source", "gpu", "model", "batch", "precision", "step_seconds")
COUNTS: Final = ("forward", "other")
PREFIX: Final = "ideal "
"""Of the columns of ideal seconds, by class."""
FORWARD_PREFIX: Final = "forward "
"""Of those of the forward alone."""
PREFIXES: Final = (PREFIX, FORWARD_PREFIX)
CLASSES: Final = (
    "conv",
    WINOGRAD,
    "conv-grouped",
    "conv-depthwise",
    OWN_DEPTHWISE,
    "matmul",
    "memory",
    "norm",
)
STARTED_PER_CALL: Final = 6.0
"""How many operators autograd and the optimizer start in the time of one that Python calls.

DenseNet's backward has two to three times as many operators as its forward and ResNet's as many; on one
machine both fit with a sixth (between 4 and 10 the errors hardly differ).
"""
GENERATIONS: Final = {
    6.1: "Pascal, 2016",
    7.0: "Volta, 2017",
    7.5: "Turing, 2018",
    8.0: "Ampere, 2020",
    9.0: "Hopper, 2022",
}
"""By compute capability."""
TORCH: Final = {"ryujaehun": "1.4 to 1.7", "u39kun": "0.3, 1.0", "trainlint measure": "2.11"}
"""Versions of torch, by source."""
WIDEST: Final = 3.0
"""Of the range where the host rules: its high end over its low one."""
INSIDE_SHARE: Final = 0.9
"""Share of the rows of a machine that its other rows are to hold."""
GATHERED: Final = walked()
"""What gathering a tensor for an optimizer takes, in operators of a forward; few of these steps have one."""
HOSTS: Final = [265e-6 / 1.01**step for step in range(260)]
"""Seconds per call that are tried; of several that fit as well the longest, the most that it may be."""
WINOGRADS: Final = [step / 50 for step in range(20, 70)]


@dataclass(frozen=True)
class Sample:
    """A measured step: its seconds and its work."""

    machine: str
    gpu: Gpu
    model: str
    batch: int
    seconds: float
    work: Work

    def kernels(self, winograd: float | None = None) -> tuple[float, float]:
        """Return the seconds of the kernels of the forward and of all others, by factors.toml.

        With another figure for 3x3 convolutions on cards without TF32.
        """
        called, rest = kernel_seconds(self.work, self.gpu)
        if winograd is None or self.gpu.tf32:
            return called, rest
        other = factors().of(WINOGRAD, self.gpu) * (winograd / factors().classes[WINOGRAD] - 1)
        called_3x3 = self.work.forward_classes[WINOGRAD]
        rest_3x3 = self.work.classes[WINOGRAD] - called_3x3
        return called + other * called_3x3, rest + other * rest_3x3

    def hosts(self, call: float) -> tuple[float, float]:
        """Return the host's seconds in the forward and in all else; `call`: those of a forward's operator."""
        rest = (self.work.kernels - self.work.forward) / STARTED_PER_CALL + self.work.walked * GATHERED
        return self.work.forward * call, rest * call


def step_of(row: Mapping[str, str]) -> dict[str, object]:
    """Return the step of a row."""
    name, half = f"torchvision/{row['model']}", row["precision"] == "fp16"
    return native_step(name, {"type": "SGD"}, half=half)


def lines(folder: Path) -> Iterator[dict[str, object]]:
    """Yield the table's rows, tracing what the folder lacks."""
    hardware, store = load_hardware(), Store(folder)
    for row in table(MEASURED, NAME):
        step, batch = step_of(row), int(row["batch"])
        key = key_of(built(step))
        tape = store.find(key, batch)
        if tape is None:
            if error := trace_step(str(folder), step, {batch}, row["model"]):
                raise SystemExit(error)
            tape = store.find(key, batch)
        if tape is not None:
            yield {**row, **columns(tape, batch, hardware.gpu(row["gpu"]))}


def columns(tape: Tape, batch: int, gpu: Gpu) -> dict[str, object]:
    """Return the operators of a step, and the ideal seconds of its kernels by class."""
    work = step_work(tape, Samples(batch, batch), gpu)
    written = {
        f"{prefix}{name}": f"{classes.get(name, 0.0):.5g}"
        for prefix, classes in zip(PREFIXES, (work.classes, work.forward_classes), strict=True)
        for name in CLASSES
    }
    return {"forward": work.forward, "other": work.kernels - work.forward, **written}


def samples() -> list[Sample]:
    """Return the table's rows; a machine is a card of a source."""
    hardware = load_hardware()
    return [
        Sample(
            machine=f"{row['source'].partition('/')[0]}, {row['gpu']}",
            gpu=hardware.gpu(row["gpu"]),
            model=row["model"],
            batch=int(row["batch"]),
            seconds=float(row["step_seconds"]),
            work=Work(
                int(row["forward"]) + int(row["other"]),
                int(row["forward"]),
                {name: float(row[f"{PREFIX}{name}"]) for name in CLASSES},
                {name: float(row[f"{FORWARD_PREFIX}{name}"]) for name in CLASSES},
            ),
        )
        for row in table(REPLAYED, NAME)
    ]


def winograd_of(rows: Iterable[Sample]) -> float:
    """Return the factor of 3x3 convolutions in fp32: least mean error where they rule a card without TF32.

    A network counts where they are most of its work.
    """
    ruled = [
        row
        for row in rows
        if not row.gpu.tf32 and row.work.classes[WINOGRAD] > sum(row.work.classes.values()) / 2
    ]
    return min(
        WINOGRADS, key=lambda value: sum(abs(sum(row.kernels(value)) / row.seconds - 1) for row in ruled)
    )


def hosts_of(rows: Iterable[Sample], winograd: float | None = None) -> list[float]:
    """Return the seconds per call that rows show in which the host rules: kernels are two thirds at most."""
    return [
        host_times(row.seconds, row.kernels(winograd), row.hosts(1.0))
        for row in rows
        if row.batch <= SMALL_BATCH and sum(row.kernels(winograd)) < row.seconds / HOST_RULED
    ]


def host_of(rows: Iterable[Sample], winograd: float | None = None) -> Range:
    """Return the host's seconds per call, low, middle and high: as wide as it may be, about the middle.

    A machine's are those that fit its small batches best, whatever rules them: rows that the host alone rules
    are those of slow hosts. The middle is the median of the machines, so that none weighs more for having
    more rows.
    """
    middle = median(host_of_machine(each, winograd) for each in small_rows(rows).values())
    return middle / WIDEST**0.5, middle, middle * WIDEST**0.5


def small_rows(rows: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Return the rows with small batches by machine."""
    found: dict[str, list[Sample]] = {}
    for row in rows:
        if row.batch <= SMALL_BATCH:
            found.setdefault(row.machine, []).append(row)
    return found


def host_table(rows: Iterable[Sample], winograd: float) -> str:
    """Return a table of the host's milliseconds for an operator of a forward, by machine."""
    lines = ["| machine | card's generation | torch | rows | ms per operator |", "|---|---|---|--:|--:|"]
    for machine, each in sorted(small_rows(rows).items()):
        generation = f"{GENERATIONS[each[0].gpu.compute_capability]} | {TORCH[machine.partition(',')[0]]}"
        host = f"{1e3 * host_of_machine(each, winograd):.3f}"
        lines.append(f"| {machine} | {generation} | {len(each)} | {host} |")
    return "\n".join(lines)


def generation_lines(rows: Iterable[Sample], winograd: float) -> Iterator[str]:
    """Yield the least and the most of the machines by their cards' generation."""
    found: dict[str, list[float]] = {}
    for each in sorted(small_rows(rows).values(), key=lambda each: each[0].gpu.compute_capability):
        generation = GENERATIONS[each[0].gpu.compute_capability]
        found.setdefault(generation, []).append(1e3 * host_of_machine(each, winograd))
    for name, hosts in found.items():
        most = f" to {max(hosts):.3f}" if len(hosts) > 1 else ""
        yield f"{name}: {min(hosts):.3f}{most}"


def host_of_machine(rows: Sequence[Sample], winograd: float | None = None) -> float:
    """Return the host's seconds per call that fit a machine's rows best."""
    kernels = [row.kernels(winograd) for row in rows]

    def error(call: float) -> float:
        pairs = zip(rows, kernels, strict=True)
        return sum(
            abs(log(elapsed(zip(parts, row.hosts(call), strict=True)) / row.seconds)) for row, parts in pairs
        )

    return min(HOSTS, key=error)


def own_spread(rows: Iterable[Sample], winograd: float | None = None) -> float:
    """Return the factor within which nine of ten of those rows are of their machine's others."""
    by_machine: dict[str, list[Sample]] = {}
    for row in rows:
        by_machine.setdefault(row.machine, []).append(row)
    off = []
    for found in (hosts_of(each, winograd) for each in by_machine.values()):
        for index, one in enumerate(found if len(found) > 1 else ()):
            others = median([*found[:index], *found[index + 1 :]])
            off.append(max(one / others, others / one))
    return sorted(off)[int(INSIDE_SHARE * len(off))]


def ranged(row: Sample, host: Range, winograd: float) -> Range:
    """Return the range of a step as estimate/speed/pace.py has it."""
    spread, kernels = factors().spread_of(row.gpu), row.kernels(winograd)
    low, middle, high = (
        elapsed((part * times, started) for part, started in zip(kernels, row.hosts(call), strict=True))
        for times, call in zip((1 / spread, 1.0, spread), host, strict=True)
    )
    return low, middle, high


Judged = tuple[Sample, Range]


def held_out(rows: Sequence[Sample]) -> list[Judged]:
    """Return every row with the range by the other machines; a machine's source counts as others'."""
    found: list[Judged] = []
    for machine in sorted({row.machine for row in rows}):
        rest = [row for row in rows if row.machine != machine]
        winograd = winograd_of(rest)
        host = host_of(rest, winograd)
        found += [(row, ranged(row, host, winograd)) for row in rows if row.machine == machine]
    return found


def is_inside(judged: Judged) -> bool:
    """Say whether a row lies in its range."""
    row, (low, _, high) = judged
    return low <= row.seconds <= high


HEAD: Final = (
    "| machine | rows | batch | middle / measured | in the range | width |\n|---|--:|--:|--:|--:|--:|"
)


def table_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the table by machine, small batches and large ones apart, and all of each."""
    groups: dict[tuple[bool, str], list[Judged]] = {}
    for each in judged:
        small = each[0].batch <= SMALL_BATCH
        for name in (each[0].machine, "**all**"):
            groups.setdefault((not small, name), []).append(each)
    for (large, name), found in sorted(groups.items()):
        ratios = [middle / row.seconds for row, (_, middle, _) in found]
        widths = [high / low for _, (low, _, high) in found]
        inside = sum(map(is_inside, found))
        batches = f"over {SMALL_BATCH}" if large else f"up to {SMALL_BATCH}"
        share = f"{inside} ({inside / len(found):.0%})"
        yield f"| {name} | {len(found)} | {batches} | {median(ratios):.2f} | {share} | {median(widths):.2f} |"


def main() -> None:
    """Print the table, and write what is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("tapes", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.tapes:
        names = [*ROW_COLUMNS, *COUNTS, *(f"{prefix}{name}" for prefix in PREFIXES for name in CLASSES)]
        write_table(REPLAYED, NAME, names, lines(options.tapes))
    found = samples()
    print(HEAD, *table_lines(held_out(found)), sep="\n")
    winograd = winograd_of(found)
    host = host_of(found, winograd)
    own = own_spread(found, winograd)
    if options.write:
        ranges = {
            "forward": host,
            "other": tuple(call / STARTED_PER_CALL for call in host),
            "walked": gathering(host),
        }
        shown = {key: f"[{', '.join(f'{end:.4g}' for end in ends)}]" for key, ends in ranges.items()}
        put("class", {f'"{WINOGRAD}"': f"{winograd:.2f}"})
        put("host", {"own": f"{own:.2f}", **shown})
    print(
        {
            "winograd": winograd,
            "forward": host,
            "other": [call / STARTED_PER_CALL for call in host],
            "own": own,
        }
    )
