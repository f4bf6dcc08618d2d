# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job's memory in words: does it fit, what takes it, how much more would fit."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.facts import GpuMemory, Image, Memory
from trainlint.model.target import Target
from trainlint.model.units import gib
from trainlint.report.memory.decisive_figure import (
    TEST,
    VALIDATION,
    decisive,
    needed,
    peak,
    takes_all,
    workloads_of,
)
from trainlint.report.style import Style, printable

UNEVEN_MEMORY = "memory does not grow evenly with the batch, so others may"
NONE_KNOWN = (
    "no batch is known to fit: memory does not grow evenly with it, and smaller ones could not be traced here"
)
"""Said where every batch needs a trace of its own."""
NCCL = "NCCL's own buffers come on top of expect: 544 MB a GPU were measured on two A100s"
"""They grow with NCCL's channels, so with the machine: NVIDIA/nccl#964, #864."""

PROJECT = "project"
SOURCES = {
    PROJECT: "by a profile that the project has stored",
    "cache": "by a profile in your cache",
}
"""Where a figure is from that another machine may not have, in words."""
LONGEST_BAR = 50
BAR_COLUMNS = 30
"""Columns of the bar that shows a card, and those next to it."""

FIGURE_MEANINGS = {
    "least": "the smallest card it can run on",
    "expect": "what nvidia-smi will show",
    "worst": "99 of 100 measured runs took no more",
    "allocated": "alive at the peak",
}
"""Figures of a GPU, each with what it means; all but the last are of a whole process."""
ALL_OF_IT = "what nvidia-smi would show of a larger card; of this one it takes all"


def memory_line(memory: Memory, *, drawn: bool = False) -> str:
    """Say it in one line, where memory is no problem; `drawn`: after a bar."""
    gpu = peak(memory)
    moment = {VALIDATION: " at validation", TEST: f" for {image_words(memory.image)}"}.get(
        memory.peak_phase, ""
    )
    taken = f"{_bar(gpu)} " if drawn else ""
    return f"{taken}memory {needed(memory)}{moment}{_beyond(memory)}"


def _bar(gpu: GpuMemory) -> str:
    from trainlint.report.memory.gauge import bar  # noqa: PLC0415 - on a terminal

    return bar(max(gpu.least, gpu.expect), gpu.capacity)


def _beyond(memory: Memory) -> str:
    """Say what the figures leave out, where they are from, and what of the user's own decides them."""
    return f"{_without(memory)}{library_words(memory)}{source_words(memory)}{measured_words(memory)}"


def _without(memory: Memory) -> str:
    """Name the terms that the figures leave out."""
    named = ", ".join(printable(term.what) for term in memory.uncounted)
    return f", not counting {named}" if named else ""


def library_words(memory: Memory) -> str:
    """Name the library that decided, and what the job's files ask for where that may be another version."""
    library = memory.library
    if library is None:
        return ""
    name = printable(f"{library.name} {library.version or 'of an unknown version'}")
    if not library.pin or library.agrees:
        return f", with {name}"
    return f", with {name} ({'though ' if library.agrees is False else ''}{printable(library.pin)})"


def source_words(memory: Memory) -> str:
    """Say where the figures are from, where that is neither a trace made now nor trainlint itself."""
    words = SOURCES.get(memory.source)
    return f", {words}" if words else ""


def measured_words(memory: Memory) -> str:
    """Say which of the user's own measurements decide."""
    return f", {memory.measured}" if memory.measured else ""


def memory_block(memory: Memory, target: Target, style: Style, reading: str = "") -> Iterator[str]:
    """Say what decides where memory may be the problem, and all of it to a verbose reader.

    `reading` names whose figures they are.
    """
    index, _ = decisive(memory)
    which = f"GPU {index} of {len(memory.gpus)}" if len(memory.gpus) > 1 else "the GPU"
    title = target.gpu.title if target.gpu else target.name
    how = f" {printable(reading)}" if reading else ""
    of = f"{which} ({printable(title)}){how}{_beyond(memory)}"
    yield f"memory on {of}: {_verdict(memory, style)}"
    if style.terminal:
        yield f"  {_drawn(peak(memory), style)}"
    yield from (f"  {line}" for line in _figures(memory, style))
    parts = _all_parts(memory) if style.verbose else _deciding(memory)
    yield from (f"  {line}" for line in parts)
    if memory.peak_phase != TEST:
        yield f"  {_most(memory)}"


def _drawn(gpu: GpuMemory, style: Style) -> str:
    """Draw what is needed against the card's end."""
    from trainlint.report.memory.gauge import gauge  # noqa: PLC0415 - on a terminal

    tight = gpu.least > gpu.capacity
    need = gpu.least if tight else min(gpu.expect, gpu.capacity)
    cells = max(10, min(LONGEST_BAR, style.width - BAR_COLUMNS))
    drawn = style.paint("red" if tight else "yellow", gauge(need, gpu.capacity, cells))
    return f"{drawn} {gib(need)} of {gib(gpu.capacity)} GiB"


def _deciding(memory: Memory) -> Iterator[str]:
    """Yield where memory runs out, and what the figure that decides is of."""
    from trainlint.report.memory.memory_parts import runs_out  # noqa: PLC0415 - where memory is tight

    yield from runs_out(memory)
    if memory.peak_phase in (VALIDATION, TEST):
        yield from _validated(memory)


def _all_parts(memory: Memory) -> Iterator[str]:
    from trainlint.report.memory.memory_parts import made_of, pieces  # noqa: PLC0415 - for --verbose

    yield from pieces(memory)
    yield from _elsewhere(memory)
    yield from made_of(memory)


def _verdict(memory: Memory, style: Style) -> str:
    """Say what needs the largest card and whether it fits; and of training, where validation decides."""
    workloads = workloads_of(memory)
    gpu = peak(memory)
    name = next(name for name, figures in workloads.items() if figures == gpu)
    said = f"{name} {_words(gpu, style)}"
    rest = [figures for other, figures in workloads.items() if other != VALIDATION]
    if name != VALIDATION or gpu.least <= gpu.capacity:
        return said
    if all(figures.least <= figures.capacity for figures in rest):
        return f"training fits, {said}"
    return f"{said}, nor does training"


def _words(gpu: GpuMemory, style: Style) -> str:
    capacity = f"the {gib(gpu.capacity)} GiB that torch sees there"
    if gpu.least > gpu.capacity and gpu.expandable is not None:
        return style.paint("yellow", f"fits in {capacity}, if it does not fragment")
    if gpu.least > gpu.capacity:
        return style.paint("red", f"does not fit in {capacity}")
    if gpu.expect > gpu.capacity:
        return style.paint("yellow", f"fits in {capacity} only by flushing its cache again and again")
    if gpu.worst > gpu.capacity:
        return style.paint("yellow", f"fits in {capacity}, but a run may take all of it")
    return style.paint("green", f"fits in {capacity}")


def _figures(memory: Memory, style: Style) -> Iterator[str]:
    """Yield the figures with a column for each thing they are of."""
    from trainlint.report.aligned_columns import columns_of  # noqa: PLC0415 - where memory is tight

    workloads = workloads_of(memory)
    rows = [("GiB", *workloads)]
    shown = {name: FIGURE_MEANINGS[name] for name in (FIGURE_MEANINGS if style.verbose else _shown(memory))}
    for name in shown:
        label = "tensors" if name == "allocated" else name
        rows.append((label, *(gib(getattr(gpu, name)) for gpu in workloads.values())))
    capacity = peak(memory).capacity
    for line, (name, meaning) in zip(columns_of(rows), {"": "", **shown}.items(), strict=True):
        over = any(getattr(gpu, name) > capacity for gpu in workloads.values()) if name else False
        said = ALL_OF_IT if name == "expect" and any(map(takes_all, workloads.values())) else meaning
        yield f"{style.paint('red', line) if over else line}  {said}".rstrip()


def _shown(memory: Memory) -> tuple[str, ...]:
    """Return the figures that say whether it fits: what cuDNN adds only where the others fit."""
    gpu = peak(memory)
    return ("least", "expect") if max(gpu.least, gpu.expect) > gpu.capacity else ("least", "expect", "worst")


def _elsewhere(memory: Memory) -> Iterator[str]:
    """Describe the other GPUs, what the stages are and what is validated."""
    expected = [gib(gpu.expect) for gpu in memory.gpus]
    if len(set(expected)) > 1:
        yield f"expected on {', '.join(f'GPU {index} {size}' for index, size in enumerate(expected))} GiB"
    elif len(expected) > 1:
        yield f"the same on each of the {len(expected)} GPUs"
    if len(expected) > 1:
        yield NCCL
    if memory.stages:
        stages = (f"{stage.number} crop {stage.crop}, batch {stage.batch}" for stage in memory.stages)
        yield f"stages, with samples per GPU: {'; '.join(stages)}"
    yield from _validated(memory)


def _validated(memory: Memory) -> Iterator[str]:
    if memory.validation is not None:
        what = "the test" if memory.peak_phase == TEST else "validation"
        yield f"{what} is of {image_words(memory.image)}".rstrip()


def image_words(image: Image | None) -> str:
    """Name the image that validation was worked out for, and how its size is known."""
    if image is None:
        return "one image"
    tiles = f" in tiles of {image.tile}" if image.tile else ""
    return f"{image.width}x{image.height}{tiles} ({printable(image.basis)})"


def _most(memory: Memory) -> str:
    """Give the largest batch that fits in training and the largest safe one, as the config would write it."""
    if memory.largest_batch == 0:
        return NONE_KNOWN if memory.largest_open else "not even one sample per GPU fits"
    if memory.batch is not None and not memory.batch.value:
        more = f"it puts more than {memory.largest_batch} samples on one GPU"
        return f"not even {printable(memory.batch.key)} 1 fits: {more}"
    limit, words, shares = _limit(memory)
    safe = memory.safe.value if memory.safe is not None else memory.safe_batch
    if memory.largest_open:
        said = "" if safe == limit else f", {safe} is safe" if safe else ", which is tight"
        return f"{words} fits{shares}{said}; {UNEVEN_MEMORY}"
    said = "and safe" if safe == limit else f"{safe} is safe" if safe else "and tight"
    return f"{words} is the limit{shares}, {said}"


def _limit(memory: Memory) -> tuple[int, str, str]:
    """Return the largest batch at the config's own key, in words, and what that makes in all."""
    batch, most = memory.batch, memory.largest_batch
    if batch is None:
        return most, f"a batch of {most} per GPU", ""
    gpus = len(memory.gpus)
    where = f"up to {most} on each of {gpus} GPUs" if gpus > 1 else "all on one GPU"
    shares = f" ({batch.samples} samples a step, {where})" if batch.samples != batch.value or gpus > 1 else ""
    return batch.value, f"{printable(batch.key)} {batch.value}", shares
