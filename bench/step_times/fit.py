# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fit how far below a card's rates its kernels stay, and report it on families that it was not fitted on.

    python -m bench step_times [--write] [--page docs/step_times.md]

Reads bench/measured and bench/replayed, which `step_time_rows` and `independent_times` wrote. --write puts
the fit on all families into factors.toml's [class], [kernel] and spread; the page's figures are those of the
halves and of each family left out, and of machines that decided nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from msgspec.structs import replace

from bench.commands import parser_of
from bench.measured_tables import REPLAYED, table
from bench.step_times import host_shares, independent, own_card, real_runs, several_cards
from bench.step_times.factor_file import put
from bench.step_times.rows import CLASSES, Row, elsewhere, half_of, rows
from trainlint.estimate.speed.kernel_class import OWN_DEPTHWISE
from trainlint.estimate.speed.rate_factors import factors
from trainlint.hardware import Hardware, load_hardware
from trainlint.model.target import Gpu

PRIOR = 1.5
"""A class that few rows have stays near it: kernels that reach two thirds of the card's rates."""
WEIGHT = 0.02
"""Of the prior, against the mean error of all rows."""
KERNEL = "kernel"
FORWARD = "forward"
"""How many operators Python calls in a forward, which is no time."""
SPREAD_OF_TWICE = 2**0.5
"""The spread of a range whose high end is twice its low end."""
INSIDE_SHARE = 0.9
"""Share of the rows of families left out that the range holds, each family weighing the same."""
HEAD = "| | rows | median error | p90 | bias | in the range |\n|---|---|---|---|---|---|"
INTRODUCTION = """# Step times, held against measured ones

<!-- written by `python -m bench step_times --page docs/step_times.md` -->

The middle of the estimate against what others measured: timm's benchmark.py with AMP on an RTX 3090 (torch
1.12; huggingface/pytorch-image-models, results/), pycls's networks on a V100, and NVIDIA's examples on V100
and A100. Each class of kernels has a factor, fitted on the RTX 3090 alone; families are split into halves by
a digest of their names. The shipped factors are those of all rows. The range is the middle times or over
{reference} on the RTX 3090, {known} on cards whose share of their rates was measured (A100, H100, L4, P4,
P100, T4, V100), {other} on all others: what nine of ten rows of families, or of cards, that were left out lie
within; of families each weighs the same. The cards' rows have no optimizer's step (pycls) or one published
rate for several batches (NVIDIA), and no data was loaded in any of them.

Grouped convolutions of channels-last tensors are two classes: with 32 groups or a multiple of 32 they are
quick, with any other number several times as slow. pytorch issue 70954, by the author of these rows, reports
it of networks whose groups have a fixed width. Where that was one class, 84 % of the nhwc rows of families
left out were in the range. What is still outside there: tresnet, whose activated batch norm
(mapillary/inplace_abn, src/inplace_abn_kernels.cuh) gives a block of threads to a channel, so that it reads
channels-last tensors with gaps, and which today's timm computes otherwise; and, in both layouts, sequencer
(LSTMs, whose steps wait for each other), MixNets (a kernel for each part of the channels) and CondConv
(weights of each sample's own).

"""
OTHER_CARDS = """One factor was fitted on them: that of depthwise convolutions in fp32, which the RTX 3090's
rows, in half precision, have none of. PyTorch computes them itself (aten's native/cuda/DepthwiseConv2d.cu;
those in fp16 or of channels-last tensors are cuDNN's, native/Convolution.cpp), and its gradient of a weight
reads the input once for each of the weight's values. By EfficientNets next to the other networks of the same
source and card they take {own:.2f} times as long as at the card's rates: {each}.
Here each source has the other's."""
MACHINES = """## Other machines, each left out

torchvision's networks on other people's machines: forward and backward at batches of 12 and 16 (torch 0.3 to
1.7, 2018 to 2021), where the host often rules, and ResNet-50 at full batches. The host's seconds per operator
and the factor of 3x3 convolutions in fp32 on cards without TF32 (Winograd's algorithm) are those of all other
machines. Shipped: Python calls an operator of a forward in {low} to {high} ms (middle {middle}); autograd
starts one in a {others:.0f}th of it, in half precision too. The spread of full cards is that above. Wanted:
80 % of the small batches of each machine in a range three times wide at most, 90 % of the others in one
of 2.4.

Both scripts wait for the GPU before each step (`torch.cuda.synchronize()`), as a trainer does that reads the
loss. So the GPU has nothing to do until the host has started a forward's first operators, and a step takes
the host's time of the forward and the kernels' of the backward where the one rules the first and the other
the second; the longer of the two sums alone was too short by a third for ResNets on a Titan RTX, and an
operator seemed to take 0.09 to 0.29 ms on one machine (0.10 to 0.16 but for ResNet-18 now). The seconds that
fit each machine best:

{hosts}

Where the source says how fast the host's cores are at most, it is 2.2 GHz (Titan RTX, Titan Xp; A100: 2.25
without boost), and eight processes copied images meanwhile. The Titan V, the GTX 1080 Ti and most of the
RTX 2080 Ti ran an earlier version of the script (674806e) without such processes; what their hosts are is not
said. The least and the most of the machines with cards of a generation, in ms:

{generations}

They overlap and neither script names its hosts' CPUs, so that a card says nothing of its host: the range is
one for all. A host of today, on which nothing is fitted, lies in its middle: on an H100 with torch 2.11
(`trainlint measure`, November 2026, bench/measured/h100-80gb.jsonl) an operator took {today:.3f} ms, and the
steps

{steps}

Your own machine narrows the range to {own:.2f} times and over (the setting `calibration`,
[measuring.md](measuring.md)).

### The host's shares

What the host takes for a backward's operator is fitted with the forward's, on the rows below, which have no
optimizer. An optimizer's share was measured on a CPU, next to a forward (`python -m bench host_costs`: tiny
tensors, one thread's own seconds, torch 2.13), in operators of that forward:

{shares}

A foreach or fused optimizer starts few operators, but Python gathers its tensors first: {walked:.2f} of a
forward's operator for each, the median, is what is taken. One that computes a tensor at a time starts as many
operators as it has to compute, for 0.10 to 0.18 each, where a {others:.0f}th is taken. What is measured here
for a backward has a CPU's kernels in it, which take longer than starting them on a GPU does: it bounds the
{others:.0f}th from above and decides nothing.

What DistributedDataParallel adds is counted in PyTorch's source (csrc/distributed/c10d/reducer.cpp,
comm.cpp): each gradient is divided into its bucket and copied back, each bucket is reduced, the buffers are
sent and copied back before a forward. torch's own reducer starts as many on a CPU (a test counts them). The
host takes for each what it takes for autograd's operators, by two processes on a CPU (gloo, in the table
above) as by that assumption; or nothing, at the low end: on one card a ViT-B at batch 1 took {ddp:.1f} ms
with it and {alone:.1f} without (the same H100). On several cards, lambdal's ResNet-50 (torch 1.4, aa5addb6;
with and without NVLink) took this much longer than on one. Nothing to "up to" is expected, link included:
{several}.

{several_table}

### Each machine by the factors of all others"""
REAL_RUNS = """## Real runs

Hours or seconds an iteration as authors posted them, with loading, DDP, validation, logging and saving. No
target here says how many cores its machine has, so that each range is of the GPU alone and of the host that
starts its kernels. What the loader takes is a second range (`trainlint explain`), which the cores would
narrow: a target of your own names them (`cpu_cores`). Nothing was fitted on these runs. Where a range cannot
decide between one session and two, 100 iterations and `--log` do."""


@dataclass(frozen=True)
class Sample:
    """A measured row and its work: seconds at the card's rates by class, and a microsecond per kernel."""

    model: str
    family: str
    layout: str
    seconds: float
    work: dict[str, float]


Pair = tuple[Sample, float]
"""A row and the seconds that are predicted for it."""
Judged = tuple[Sample, float, float]
"""The same with the spread of the prediction: the range is the seconds times and over it."""


def samples() -> tuple[list[Sample], list[Row]]:
    """Return the rows that were traced, and those that were not."""
    work = works("step_times")
    found: list[Sample] = []
    missing: list[Row] = []
    for row in rows():
        known = work.get(key_of_row(row))
        if known is None:
            missing.append(row)
        else:
            found.append(Sample(row.model, row.family, row.layout, row.seconds, known))
    return found, missing


def key_of_row(row: Row) -> tuple[str, ...]:
    """Return what names a row's work in a table."""
    return row.model, row.layout, row.gpu, str(row.batch)


def works(name: str) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the ideal seconds by class of a table's rows, and 1e-6 for each kernel."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for row in table(REPLAYED, name):
        work = {kind: float(row[kind]) for kind in CLASSES if row[kind]}
        found[row["model"], row["layout"], row["gpu"], row["batch"]] = {
            **work, KERNEL: 1e-6 * int(row["kernels"]), FORWARD: float(row["forward"]),
        }  # fmt: skip
    return found


def fit(chosen: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """Return the factor of each class: least mean absolute logarithm of the error, near the prior."""
    shares = np.array([[sample.work.get(name, 0) / sample.seconds for name in names] for sample in chosen])
    logs = start = np.log(np.array([2.5 if name == KERNEL else PRIOR for name in names]))
    for _ in range(200):  # iteratively reweighted Gauss-Newton
        terms = shares * np.exp(logs)
        total = terms.sum(1)
        error = np.log(total)
        slope = terms / total[:, None]
        weight = 1 / np.maximum(np.abs(error), 0.02) / len(chosen)
        ridge = WEIGHT / len(names) * (logs - start)
        normal = (slope * weight[:, None]).T @ slope + np.eye(len(names)) * WEIGHT / len(names)
        logs = logs - 0.5 * np.linalg.solve(normal, slope.T @ (weight * error) + ridge)
    return dict(zip(names, np.exp(logs), strict=True))


def names_of(found: Iterable[Sample]) -> list[str]:
    """Return the names of what is fitted."""
    return sorted({name for sample in found for name in sample.work} - {FORWARD})


def predicted(sample: Sample, factors: Mapping[str, float]) -> float:
    """Return the seconds that the factors give a row."""
    return sum(factors[name] * seconds for name, seconds in sample.work.items() if name != FORWARD)


def held_out(found: Collection[Sample], names: Sequence[str], groups: Callable[[str], str]) -> list[Pair]:
    """Return (sample, predicted seconds) of every group with factors fitted on the others."""
    pairs: list[Pair] = []
    for group in sorted({groups(sample.family) for sample in found}):
        factors = fit([sample for sample in found if groups(sample.family) != group], names)
        pairs += [(one, predicted(one, factors)) for one in found if groups(one.family) == group]
    return pairs


def quantile(values: Iterable[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def held_out_halves(found: Collection[Sample], names: Sequence[str]) -> list[Judged]:
    """Return (sample, predicted seconds, spread) of each half of the families; the other half decides both.

    The spread is what the other half's families, each left out of it in turn, need.
    """
    rows: list[Judged] = []
    for half in (0, 1):
        other = [sample for sample in found if half_of(sample.family) != half]
        spread, factors = spread_of_families(held_out(other, names, str)), fit(other, names)
        rows += [(one, predicted(one, factors), spread) for one in found if half_of(one.family) == half]
    return rows


def is_inside(one: Sample, guess: float, spread: float) -> bool:
    """Say whether a row lies in the range of its estimate."""
    return guess / spread <= one.seconds <= guess * spread


def line(name: str, pairs: Iterable[Pair], spread: float) -> str:
    """Return a table's row on predictions that share one spread."""
    return line_of(name, [(one, guess, spread) for one, guess in pairs])


def line_of(name: str, rows: Sequence[Judged]) -> str:
    """Return a table's row on judged predictions."""
    errors = [guess / one.seconds - 1 for one, guess, _ in rows]
    inside = [is_inside(*row) for row in rows]
    return (
        f"| {name} | {len(rows)} | {median(map(abs, errors)):.1%} | {quantile(map(abs, errors), 0.9):.1%} |"
        f" {median(errors):+.1%} | {sum(inside) / len(inside):.0%} |"
    )


def spread_of(pairs: Iterable[Pair]) -> float:
    """Return the factor within which INSIDE_SHARE of the rows lie."""
    return quantile([max(guess / one.seconds, one.seconds / guess) for one, guess in pairs], INSIDE_SHARE)


def spread_of_families(pairs: Sequence[Pair]) -> float:
    """Return the factor within which INSIDE_SHARE of the rows lie where every family weighs the same.

    What is estimated next is of a family of its own, and two of the 22 here have half of the rows.
    """
    sizes = Counter(one.family for one, _ in pairs)
    off = sorted((max(guess / one.seconds, one.seconds / guess), one.family) for one, guess in pairs)
    reached = 0.0
    for factor, family in off:
        reached += 1 / sizes[family] / len(sizes)
        if reached >= INSIDE_SHARE:
            return factor
    return off[-1][0]


def cards(hardware: Hardware, *, own: bool = True) -> dict[str, list[Pair]]:
    """Return (sample, predicted seconds) of other cards, by card and kind of run.

    Depthwise convolutions in fp32 have the factor of the other source. Without `own` a card's own shares of
    its rates are taken as unknown.
    """
    runs = other_runs(hardware)
    sources = {run.source for run in runs}
    depthwise = {
        source: depthwise_of([run for run in runs if run.source != source]) for source in sorted(sources)
    }
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    for run in runs:
        guess = run.predicted(depthwise[run.source], own=own)
        found[f"{run.gpu.name}, {run.kind}"].append((run.sample, guess))
    return found


@dataclass(frozen=True)
class OtherRun:
    """A measured step of another card; `kind` is its source, precision and layout."""

    source: str
    kind: str
    gpu: Gpu
    sample: Sample

    def predicted(self, depthwise: float, *, own: bool = True) -> float:
        """Return the seconds by the shipped factors but that of depthwise convolutions in fp32."""
        figures, work = factors(), self.sample.work
        card = self.gpu if own else replace(self.gpu, name="any")
        taken = sum(figures.of(kind, card) * work[kind] for kind in CLASSES if kind in work)
        more = depthwise / figures.classes[OWN_DEPTHWISE] - 1
        taken += more * figures.of(OWN_DEPTHWISE, card) * work.get(OWN_DEPTHWISE, 0.0)
        return taken + figures.kernel * 1e6 * work[KERNEL]


def other_runs(hardware: Hardware) -> list[OtherRun]:
    """Return the runs of other cards that were traced."""
    work, found = works("other_cards"), []
    for row in elsewhere():
        known = work.get(key_of_row(row))
        if known is not None:
            sample = Sample(row.model, row.family, row.layout, row.seconds, known)
            kind = f"{row.family}, {row.step.get('precision', 'fp32')} {row.layout}"
            found.append(OtherRun(row.family, kind, hardware.gpu(row.gpu), sample))
    return found


def depthwise_of(runs: Iterable[OtherRun]) -> float:
    """Return the factor of depthwise convolutions in fp32: the median of what the networks with them show.

    Each is held against the networks without them of its machine and kind of run, so that what the machine
    does to all kernels counts for nothing.
    """
    kinds: defaultdict[tuple[str, str], list[OtherRun]] = defaultdict(list)
    for run in runs:
        kinds[run.gpu.name, run.kind].append(run)
    shown = []
    for each in kinds.values():
        plain = [run for run in each if OWN_DEPTHWISE not in run.sample.work]
        machine = median(run.predicted(0.0) / run.sample.seconds for run in plain)
        for run in each:
            if OWN_DEPTHWISE in run.sample.work:
                seconds = run.sample.seconds * machine - run.predicted(0.0)
                own = factors().of(OWN_DEPTHWISE, run.gpu) / factors().classes[OWN_DEPTHWISE]
                shown.append(seconds / (own * run.sample.work[OWN_DEPTHWISE]))
    return median(shown)


def spreads(found: Sequence[Sample], hardware: Hardware) -> dict[str, float]:
    """Return [spread]: what families, and cards with and without shares of their own, need when left out."""
    known, unknown = (
        spread_of([pair for pairs in cards(hardware, own=own).values() for pair in pairs])
        for own in (True, False)
    )
    families = held_out(found, names_of(found), str)
    return {"reference": spread_of_families(families), "known": known, "other": max(known, unknown)}


def write(factors: Mapping[str, float], given: Mapping[str, float]) -> None:
    """Put what was fitted into factors.toml."""
    classes = {name: value for name, value in factors.items() if name != KERNEL}
    classes[OWN_DEPTHWISE] = depthwise_of(other_runs(load_hardware()))
    put("class", {f'"{name}"': f"{value:.2f}" for name, value in classes.items()})
    put("kernel", {"seconds": f"{factors[KERNEL] * 1e-6:.2e}"})
    put("spread", {name: f"{value:.2f}" for name, value in given.items()})


def coverage(found: Sequence[Sample], missing: Sequence[Row], halves: Sequence[Judged]) -> Iterator[str]:
    """Yield which rows have no trace, by layout, and what the figures are where each of those is a miss."""
    total = len(found) + len(missing)
    yield "| rows | measured | judged | not traced |\n|---|---|---|---|"
    for layout in ("nchw", "nhwc"):
        judged, none = (sum(row.layout == layout for row in each) for each in (found, missing))
        yield f"| {layout} | {judged + none} | {judged} | {none} |"
    inside = sum(is_inside(*row) for row in halves)
    errors = sorted(abs(guess / one.seconds - 1) for one, guess, _ in halves)
    middle = f"{errors[total // 2]:.1%}" if total // 2 < len(errors) else "that of a row without a trace"
    yield (
        f"\nWith every row that was not traced counted as a miss, the median error is {middle} and the range"
        f" holds {inside / total:.0%} of all {total}. Channels last takes a trace of its own; rows are traced"
        " in the order of a digest of the networks' names.\n"
    )


def widths(families: Sequence[Pair], halves: Iterable[Judged]) -> Iterator[str]:
    """Yield how wide the ranges are (high over low), and which rows make the shipped one as wide as it is."""
    rows = Counter(round(spread**2, 2) for *_, spread in halves)
    each = " and ".join(f"{width:.2f} ({rows[width]} rows)" for width in sorted(rows))
    alone = {
        layout: spread_of_families([pair for pair in families if pair[0].layout == layout]) ** 2
        for layout in ("nchw", "nhwc")
    }
    sizes = Counter(one.family for one, _ in families)
    out = Counter(one.family for one, guess in families if not is_inside(one, guess, SPREAD_OF_TWICE))
    held = 1 - sum(out[name] / sizes[name] for name in out) / len(sizes)
    worst = sorted(out, key=lambda name: -out[name] / sizes[name])[:3]
    named = ", ".join(f"{name} ({out[name]} of {sizes[name]})" for name in worst)
    middle, shipped = median(spread**2 for *_, spread in halves), spread_of_families(families) ** 2
    yield (
        f"The ranges of the two halves, each from the other, are {each} times wide (high over low), "
        f"{middle:.2f} in the median. The shipped range is {shipped:.2f} times wide, which all {len(sizes)} "
        f"families, each left out, decide: nchw alone needs {alone['nchw']:.2f}, and nhwc "
        f"{alone['nhwc']:.2f}. A range that is 2.00 times wide would hold {held:.0%} of them instead of "
        f"{INSIDE_SHARE:.0%}; what lies outside is mostly of {named}.\n"
    )


def tables(
    found: Sequence[Sample],
    missing: Sequence[Row],
    known: Mapping[str, Sequence[Pair]],
    spreads: Mapping[str, float],
    pairs: tuple[list[Judged], list[Pair], list[Pair]],
) -> Iterator[str]:
    """Return the page's tables."""
    halves, families, inside = pairs
    roofline = [(one, sum(one.work[name] for name in CLASSES if name in one.work)) for one in found]
    spread = spreads["reference"]
    networks = len({one.model for one in found})
    yield f"{len(found)} runs of {networks} networks.\n"
    if missing:
        yield from coverage(found, missing, halves)
    yield from widths(families, halves)
    yield HEAD
    yield line_of("each half of the families, middle and range from the other", halves)
    for layout in ("nchw", "nhwc"):
        yield line_of(f"of them {layout}", [row for row in halves if row[0].layout == layout])
    yield line("each family, fitted on all others", families, spread)
    for layout in ("nchw", "nhwc"):
        yield line(f"of them {layout}", [pair for pair in families if pair[0].layout == layout], spread)
    yield line("in sample", inside, spread)
    yield line("a plain roofline", roofline, spread)
    yield f"\n## Families, each fitted on all others\n\n{HEAD}"
    for family in sorted({sample.family for sample in found}):
        yield line(family, [pair for pair in families if pair[0].family == family], spread)
    yield f"\n## Other cards\n\n{other_cards_text(load_hardware())}\n\n{HEAD}"
    for name, group in sorted(known.items()):
        yield line(name, group, spreads["known"])
    yield from machines()


def other_cards_text(hardware: Hardware) -> str:
    """Say what was fitted on other cards, and by each source alone."""
    runs = other_runs(hardware)
    alone = {
        source: depthwise_of([run for run in runs if run.source == source])
        for source in sorted({run.source for run in runs})
    }
    each = ", ".join(f"{value:.2f} by {source} alone" for source, value in alone.items())
    return OTHER_CARDS.format(own=depthwise_of(runs), each=each)


def machines() -> Iterator[str]:
    """Yield the tables of machines that are left out in turn, and of real runs."""
    low, middle, high = (f"{1e3 * seconds:.2f}" for seconds in factors().forward)
    rows, own = independent.samples(), own_card.samples()
    winograd = independent.winograd_of(rows)
    with_ddp, alone = own_card.pair()
    text = MACHINES.format(
        low=low,
        middle=middle,
        high=high,
        others=independent.STARTED_PER_CALL,
        own=factors().own_host,
        hosts=independent.host_table(rows, winograd),
        generations="; ".join(independent.generation_lines(rows, winograd)),
        today=own_card.host(own),
        steps="\n".join([own_card.HEAD, *own_card.table_lines(own)]),
        shares="\n".join([host_shares.HEAD, *host_shares.table_lines()]),
        walked=host_shares.walked(),
        several=several_cards.words(),
        several_table="\n".join([several_cards.HEAD, *several_cards.table_lines()]),
        ddp=with_ddp,
        alone=alone,
    )
    yield f"\n{text}\n"
    yield independent.HEAD
    yield from independent.table_lines(independent.held_out(rows))
    yield f"\n{REAL_RUNS}\n\n{real_runs.HEAD}"
    yield from real_runs.table_lines()


def main() -> None:
    """Fit, print the tables, and write what is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    hardware = load_hardware()
    found, missing = samples()
    names = names_of(found)
    halves, families = held_out_halves(found, names), held_out(found, names, str)
    factors = fit(found, names)
    known, given = cards(hardware), spreads(found, hardware)
    inside = [(one, predicted(one, factors)) for one in found]
    text = "\n".join(tables(found, missing, known, given, (halves, families, inside)))
    print(text, {name: round(float(value), 2) for name, value in (factors | given).items()}, sep="\n\n")
    if options.write:
        write(factors, given)
    if options.page:
        shown = {name: f"{value:.2f}" for name, value in given.items()}
        page = INTRODUCTION.format(**shown) + text + "\n"
        options.page.write_text(page, encoding="utf-8")
