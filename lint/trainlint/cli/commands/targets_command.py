# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint targets`: the machines that --target takes."""

from __future__ import annotations

from pathlib import Path

import click

from trainlint.cli.console import say
from trainlint.hardware import load_hardware
from trainlint.model.target import Target
from trainlint.model.units import gib
from trainlint.report.style import printable
from trainlint.settings.settings_file import load_settings


@click.command("targets")
@click.argument("words", nargs=-1, metavar="[WORD...]")
@click.option("--gpus/--no-gpus", default=True, help="List single GPUs too.")
def targets_command(words: tuple[str, ...], *, gpus: bool) -> None:
    """List machines and GPUs, all or those whose name contains every WORD.

    A GPU's name is a target with one card; "4x:NAME" has four; "local" is this machine. Where no name
    contains them, a WORD is what --target takes.
    """
    hardware = load_hardware(load_settings(Path()).gpus)
    rows = [_row(target) for target in hardware.targets()]
    if gpus:
        rows += [(gpu.name, gpu.title, f"{gib(gpu.memory)} GiB", "") for gpu in hardware.gpus()]
    rows = [row for row in rows if all(word.lower() in " ".join(row).lower() for word in words)]
    if not rows:
        rows = [_row(hardware.target(word)) for word in words]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for name, cards, memory, limits in rows:
        row = f"{name:<{widths[0]}}  {cards:<{widths[1]}}  {memory:>{widths[2]}}  {limits}"
        say(printable(row.rstrip()))


def _row(target: Target) -> tuple[str, str, str, str]:
    if target.gpu is None:
        return target.name, "no GPU", "", _limits(target)
    cards = f"{target.gpu_count} x {target.gpu.title}"
    return target.name, cards, f"{gib(target.gpu.memory)} GiB", _limits(target)


def _session(limit: float, budget: float | None) -> str:
    """Say after how long the machine is taken away, and to how much of that a run is held."""
    held = "" if budget is None or budget >= limit else f" (runs are held to {budget:g} h)"
    return f"{limit:g} h sessions{held}"


def _limits(target: Target) -> str:
    """Say the machine's other limits in a few words."""
    parts = []
    if target.cpu_cores is not None:
        parts.append(f"{target.cpu_cores} cores")
    if target.ram is not None:
        parts.append(f"{gib(target.ram)} GiB RAM")
    if target.session_h is not None:
        parts.append(_session(target.session_h, target.session_budget_h))
    if target.broken:
        parts.append(f"broken: {target.broken}")
    return ", ".join(parts)
