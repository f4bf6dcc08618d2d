"""Fit how far below a card's rates its kernels stay, and report it on families that it was not fitted on.

    python bench/step_times.py TAPES MEASURED [--part dev] [--write] [--families]

TAPES is what bench/step_time_rows.py made. --write puts the fit on all families into factors.toml's [class],
[kernel] and spread.reference; the page's figures are those of the halves and of each family left out.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from step_time_rows import half_of, rows, tape_of

from trainlint.estimate.replay.ledger import Samples
from trainlint.estimate.speed.factors import FILE
from trainlint.estimate.speed.kernel import class_of, ideal_seconds, layout_of, step_ops
from trainlint.hardware import load_hardware

PRIOR = 1.5
"""A class that few rows have stays near it: kernels that reach two thirds of the card's rates."""
WEIGHT = 0.02
"""Of the prior, against the mean error of all rows."""
KERNEL = "kernel"
HELD = 0.8
"""Share of the rows that the range must hold."""


@dataclass(frozen=True)
class Sample:
    """A measured row and its work: seconds at the card's rates by class, and a microsecond per kernel."""

    model: str
    family: str
    layout: str
    seconds: float
    work: dict


def work_of(tape, batch, gpu):
    """Return the ideal seconds by class, and 1e-6 for each kernel."""
    found, ops = defaultdict(float), step_ops(tape)
    layout = layout_of(ops)
    for op, count in ops:
        found[class_of(op, layout)] += count * ideal_seconds(op, Samples(batch, batch), gpu, tf32=False)
        found[KERNEL] += count * 1e-6
    return dict(found)


def samples(tapes, measured, part, gpu):
    """Return the rows that have a tape, and how many have none."""
    found, missing = [], 0
    for row in rows(measured, part):
        tape = tape_of(row, tapes)
        if tape is None:
            missing += 1
            continue
        found.append(Sample(row.model, row.family, row.layout, row.seconds, work_of(tape, row.batch, gpu)))
    return found, missing


def fit(chosen, names):
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


def predicted(sample, factors):
    return sum(factors[name] * seconds for name, seconds in sample.work.items())


def held_out(found, names, groups):
    """Return (sample, predicted seconds) of every group with factors fitted on the others."""
    pairs = []
    for group in sorted({groups(sample.family) for sample in found}):
        factors = fit([sample for sample in found if groups(sample.family) != group], names)
        pairs += [(one, predicted(one, factors)) for one in found if groups(one.family) == group]
    return pairs


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def line(name, pairs, spread):
    errors = [guess / one.seconds - 1 for one, guess in pairs]
    inside = [guess / spread <= one.seconds <= guess * spread for one, guess in pairs]
    return (
        f"| {name} | {len(pairs)} | {median(map(abs, errors)):.1%} | {quantile(map(abs, errors), 0.9):.1%} |"
        f" {median(errors):+.1%} | {sum(inside) / len(inside):.0%} |"
    )


def spread_of(pairs):
    """Return the factor within which HELD of the rows lie."""
    return quantile([max(guess / one.seconds, one.seconds / guess) for one, guess in pairs], HELD)


def write(factors, spread):
    """Put what was fitted into factors.toml."""
    text = FILE.read_text(encoding="utf-8")
    for name, value in factors.items():
        key = "seconds" if name == KERNEL else f'"{name}"'
        number = f"{value * 1e-6:.2e}" if name == KERNEL else f"{value:.2f}"
        text, count = re.subn(
            rf"^{re.escape(key)} = [\d.e+-]+", f"{key} = {number}", text, flags=re.MULTILINE
        )
        if not count:
            raise SystemExit(f"{FILE.name} has no {key}")
    FILE.write_text(
        re.sub(r"^reference = [\d.]+", f"reference = {spread:.2f}", text, flags=re.MULTILINE),
        encoding="utf-8",
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tapes", type=Path)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--part", default="dev")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--families", action="store_true")
    options = parser.parse_args()
    found, missing = samples([options.tapes], options.measured, options.part, load_hardware().gpu("rtx-3090"))
    names = sorted({name for sample in found for name in sample.work})
    halves, families = held_out(found, names, half_of), held_out(found, names, str)
    factors, spread = fit(found, names), spread_of(families)
    roofline = [(one, sum(s for name, s in one.work.items() if name != KERNEL)) for one in found]
    print(f"{len(found)} rows, {missing} without a tape; the range is the middle x/÷ {spread:.2f}\n")
    print("| | rows | median error | p90 | bias | in the range |\n|---|---|---|---|---|---|")
    print(line("each half by the other", halves, spread))
    print(line("each family by the others", families, spread))
    for layout in ("nchw", "nhwc"):
        part = [pair for pair in families if pair[0].layout == layout]
        if part:
            print(line(f"of them {layout}", part, spread))
    print(line("in sample", [(one, predicted(one, factors)) for one in found], spread))
    print(line("a plain roofline", roofline, spread))
    if options.families:
        for family in sorted({sample.family for sample in found}):
            print(line(family, [pair for pair in families if pair[0].family == family], spread))
    print({name: round(float(value), 2) for name, value in factors.items()})
    if options.write:
        write(factors, spread)


if __name__ == "__main__":
    main()
