# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Draw the plots of docs/accuracy.md as small SVG files; needs matplotlib (pip install matplotlib)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from bench.accuracy.runs import Run

MIB, GB = 2**20, 1e9
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
VERDICTS = {"in": "#4477aa", "dangerous": "#cc3311", "annoying": "#ee9933"}
plt.rcParams.update({
    "svg.hashsalt": "trainlint", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
})  # fmt: skip


def save(figure: Figure, path: Path) -> None:
    """Write one file, the same bytes for the same figures."""
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def diagonal(axes: Axes, low: float, high: float, share: float = 0.05) -> None:
    """Draw the line of equal figures, and the band within a share of it."""
    axes.fill_between(
        [low, high], [low * (1 - share), high * (1 - share)], [low * (1 + share), high * (1 + share)],
        color="black", alpha=0.08, linewidth=0, label=f"within {share:.0%}",
    )  # fmt: skip
    axes.plot([low, high], [low, high], color="black", linewidth=0.6)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())


def gpumemnet(runs: Sequence[Run], path: Path) -> None:
    """Draw measured against expected memory of every run, GiB."""
    figure, axes = plt.subplots(figsize=(5.6, 5))
    diagonal(axes, 1.5, 45)
    for colour, kind in zip(COLOURS, sorted({run.kind for run in runs}), strict=False):
        own = [run for run in runs if run.kind == kind]
        axes.scatter(
            [run.measured / MIB / 1024 for run in own], [run.expect / MIB / 1024 for run in own],
            s=7, color=colour, alpha=0.7, linewidths=0, label=kind,
        )  # fmt: skip
    axes.set(
        xlabel="measured (nvidia-smi), GiB",
        ylabel="expect, GiB",
        title="GPUMemNet, A100-40, each family held out",
    )
    axes.set_xticks([2, 5, 10, 20, 40], ["2", "5", "10", "20", "40"])
    axes.set_yticks([2, 5, 10, 20, 40], ["2", "5", "10", "20", "40"])
    axes.legend(fontsize=7)
    save(figure, path)


def families(runs: Sequence[Run], path: Path) -> None:
    """Draw the errors of every family, worst last."""
    figure, axes = plt.subplots(figsize=(6.4, 5))
    groups = {
        name: [100 * run.error for run in runs if run.family == name] for name in {r.family for r in runs}
    }
    order = sorted(groups, key=lambda name: (max(map(abs, groups[name])), name))
    axes.axvspan(-5, 5, color="black", alpha=0.08, linewidth=0)
    axes.axvline(0, color="black", linewidth=0.6)
    for height, name in enumerate(order):
        axes.scatter(
            groups[name], [height] * len(groups[name]), s=7, color=COLOURS[0], alpha=0.5, linewidths=0
        )
    axes.set_yticks(range(len(order)), order, fontsize=7)
    axes.set(xlabel="error of expect, % (positive: too high)", title="GPUMemNet by family, each held out")
    save(figure, path)


def brackets(rows: Iterable[Mapping[str, Any]], room: int, path: Path) -> None:
    """Draw what `least` says of every model at the batch that ran and at the one that failed."""
    figure, axes = plt.subplots(figsize=(6.4, 4))
    judged = sorted(rows, key=lambda row: row["segments"][0])
    for says, colour in VERDICTS.items():
        own = [(at, row["segments"]) for at, row in enumerate(judged) if row["says"] == says]
        axes.vlines(
            [at for at, _ in own], [low / room for _, (low, _) in own], [high / room for _, (_, high) in own],
            color=colour, linewidth=0.9 if says == "in" else 1.5, label=f"{says} ({len(own)})",
        )  # fmt: skip
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(
        xlabel="models, by need at the batch that ran", ylabel="need as a share of the card",
        title="RTX 3090: from the batch that ran to the one that failed", ylim=(0.25, 2),
    )  # fmt: skip
    axes.legend(fontsize=7, loc="upper left")
    save(figure, path)


def peaks(points: Sequence[tuple[int, float]], path: Path) -> None:
    """Draw reference against traced peaks of training steps, GB; `points` are (reference, traced) bytes."""
    figure, axes = plt.subplots(figsize=(5.6, 5))
    low = 0.7 * min(reference for reference, _ in points) / GB
    high = 1.4 * max(reference for reference, _ in points) / GB
    diagonal(axes, low, high, 0.01)
    axes.scatter(
        [reference / GB for reference, _ in points], [traced / GB for _, traced in points],
        s=8, color=COLOURS[0], alpha=0.7, linewidths=0, label="a network at a batch",
    )  # fmt: skip
    axes.set(xlabel="original framework, GB", ylabel="allocated, GB", title="Reference peaks")
    axes.legend(fontsize=7)
    save(figure, path)
