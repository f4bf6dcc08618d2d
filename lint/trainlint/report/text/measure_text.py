# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measurement as a table: what the GPU showed next to the estimate, MiB as nvidia-smi counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.measuring.gpu_reading import OUT_OF_MEMORY, Reading
from trainlint.model.target import Context
from trainlint.model.units import MIB, gib, seconds
from trainlint.report.aligned_columns import columns_of
from trainlint.report.style import Style, printable

if TYPE_CHECKING:
    from trainlint.estimate.measurement import MeasuredFigure
    from trainlint.estimate.planned_run import MeasuredRun, PlannedRun

MEANINGS = {
    "allocated": "tensors alive, without workspaces",
    "with workspaces": "torch's peak: tensors, and workspaces while a call holds them",
    "reserved": "what torch's allocator holds after the last step",
    "context": "what the driver counts beyond it",
    "nvidia-smi": "after the last step; estimated as expect",
    "highest": "at any moment, cudnn.benchmark's trials included; should be below worst",
}
"""What the figures are, by a row's name."""


def render_outcome(planned: PlannedRun, outcome: MeasuredRun, style: Style) -> Iterator[str]:
    """Yield the lines of one measurement."""
    yield _machine(outcome)
    yield _run(planned, outcome)
    yield from (printable(f"note: {note}") for note in planned.notes)
    if outcome.missing is not None:
        yield f"no estimate: {printable(outcome.missing)}"
    yield ""
    if outcome.reading.outcome == OUT_OF_MEMORY:
        yield from _exhausted(outcome, style)
        return
    for index, gpu in enumerate(outcome.reading.gpus):
        if len(outcome.reading.gpus) > 1:
            yield style.paint("bold", f"GPU {index}")
        yield from _table(outcome.tables[index], style)
        yield f"nvidia-smi's figure is of the {gpu.smi_of}"


def render_context(reading: Reading, name: str, assumed: Context) -> Iterator[str]:
    """Yield the measured context of the first GPU, what was assumed, and the settings that keep it."""
    yield _named(reading)
    gpu = next(iter(reading.gpus), None)
    if gpu is None or gpu.context is None:
        yield "the driver does not say what the process holds: install 'trainlint[local]', or run nvidia-smi"
        return
    yield f"CUDA context: {_mib(gpu.context)} MiB (nvidia-smi's figure of the {gpu.smi_of}, less torch's own)"
    if gpu.smi_of != "process":
        yield "this is all of the device: stop what else runs there, a desktop among it, or it is counted too"
    yield printable(
        f"assumed until now: {_mib(assumed.size)} MiB, {_mib(assumed.low)} to {_mib(assumed.high)}"
        f" ({assumed.basis})"
    )
    yield "keep it in pyproject.toml, or without the first line in trainlint.toml under [context]:"
    yield "[tool.trainlint.context]"
    yield f'"{printable(name)}" = {round(gpu.context / MIB)}'


def _machine(outcome: MeasuredRun) -> str:
    return _named(outcome.reading)


def _named(reading: Reading) -> str:
    machine = reading.machine
    return printable(
        f"{machine.get('gpu')}, driver {machine.get('driver')}, torch {machine.get('torch')},"
        f" CUDA {machine.get('cuda')}, cuDNN {machine.get('cudnn')}"
    )


def _run(planned: PlannedRun, outcome: MeasuredRun) -> str:
    request, reading = planned.request, outcome.reading
    words = [
        f"batch {request.batch} per GPU",
        str(planned.spec.get("precision", "fp32")),
        f"cudnn.benchmark {'on' if request.benchmark else 'off'}",
        f"{request.steps} steps",
    ]
    if reading.seconds is not None:
        words.append(f"{seconds(reading.seconds)} a step")
    if reading.retries:
        words.append(f"the cache was emptied {reading.retries} times for want of memory")
    return printable(", ".join(words))


def _exhausted(outcome: MeasuredRun, style: Style) -> Iterator[str]:
    reading = outcome.reading
    where = f"step {reading.at_step}" if reading.at_step else "building the networks"
    phase = f" ({printable(reading.phase)})" if reading.phase else ""
    yield style.paint("red", f"out of memory at {where}{phase}")
    for estimate in outcome.estimates[:1]:
        verdict = "as estimated" if outcome.foreseen else "NOT foreseen"
        yield f"{verdict}: least {gib(estimate.least)} GiB, of {gib(estimate.capacity)} GiB"


def _table(figures: tuple[MeasuredFigure, ...], style: Style) -> Iterator[str]:
    cells = [("MiB", "measured", "estimate", "error")]
    cells += [(row.name, _mib(row.measured), _mib(row.estimated), _percent(row.error)) for row in figures]
    for number, line in enumerate(columns_of(cells)):
        if not number:
            yield style.paint("bold", line)
            continue
        meaning = style.paint("dim", MEANINGS[figures[number - 1].name])
        yield f"{line:<54}  {meaning}"


def _mib(size: int | None) -> str:
    return "-" if size is None else f"{size / MIB:,.1f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f} %"
