"""A job's memory in words: does it fit, what takes it, how much more would fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.estimate.facts import GpuMemory, Image, Memory
from trainlint.hardware import Target
from trainlint.report.style import Style
from trainlint.report.units import GIB, gib

SMALL_PART = GIB / 100
"""Parts below what two decimals of a GiB show are added up as "other"."""

PHASES = {"train": "training", "validation": "validation", "val": "validation"}


def decisive(memory: Memory) -> tuple[int, GpuMemory]:
    """Return the GPU that decides: the one whose least need leaves the smallest margin."""
    margins = [gpu.least - gpu.capacity for gpu in memory.gpus]
    index = margins.index(max(margins))
    return index, memory.gpus[index]


def peak(memory: Memory) -> GpuMemory:
    """Return the figures of the run's peak: training, a later stage or validation, the largest."""
    candidates = [decisive(memory)[1], *(stage.memory for stage in memory.stages)]
    if memory.validation is not None:
        candidates.append(memory.validation)
    return max(candidates, key=lambda gpu: gpu.least - gpu.capacity)


def is_tight(memory: Memory) -> bool:
    """Tell whether memory may be a problem, so that its parts are worth listing."""
    gpu = peak(memory)
    return gpu.worst > gpu.capacity


def memory_line(memory: Memory) -> str:
    """Say it in one line, where memory is no problem."""
    gpu = peak(memory)
    return f"memory {gib(gpu.expect)} of {gib(gpu.capacity)} GiB"


def memory_block(memory: Memory, target: Target, style: Style) -> Iterator[str]:
    """Say it in full, where memory may be the problem."""
    index, gpu = decisive(memory)
    which = f"GPU {index} of {len(memory.gpus)}" if len(memory.gpus) > 1 else "the GPU"
    title = target.gpu.title if target.gpu else target.name
    figures = peak(memory)
    when = "" if memory.peak_phase == "train" else f" at {PHASES.get(memory.peak_phase, memory.peak_phase)}"
    yield f"memory on {which} ({title}): {_verdict(figures, style)}{when}"
    yield from _figures(figures, style)
    yield f"  {'tensors':<9}{gib(gpu.allocated):>7} GiB  {_parts(memory.belongings or memory.parts)}"
    if memory.belongings:
        yield f"  {'by kind':<20}  {_parts(memory.parts)}"
    yield from _elsewhere(memory)
    yield _largest(memory)


def _verdict(gpu: GpuMemory, style: Style) -> str:
    capacity = f"the {gib(gpu.capacity)} GiB that torch sees there"
    if gpu.least > gpu.capacity and gpu.expandable is not None:
        return style.paint("yellow", f"fits in {capacity}, if it does not fragment")
    if gpu.least > gpu.capacity:
        return style.paint("red", f"does not fit in {capacity}")
    if gpu.expect > gpu.capacity:
        return style.paint("yellow", f"fits in {capacity} only by flushing its cache again and again")
    if gpu.worst > gpu.capacity:
        return style.paint("yellow", f"fits in {capacity}, but a large cuDNN workspace could break it")
    return style.paint("green", f"fits in {capacity}")


def _figures(gpu: GpuMemory, style: Style) -> Iterator[str]:
    """Yield the figures of a whole process, context included, each with what it means."""
    meanings = (
        ("least", gpu.least, "the smallest card it can run on"),
        ("expect", gpu.expect, "what nvidia-smi will show"),
        ("worst", gpu.worst, "while cuDNN tries its algorithms"),
    )
    for name, size, meaning in meanings:
        figure = f"{gib(size):>7} GiB"
        yield f"  {name:<9}{style.paint('red', figure) if size > gpu.capacity else figure}  {meaning}"
    yield f"  {'context':<9}{gib(gpu.context):>7} GiB  CUDA's own, in each of the three"


def _parts(parts: Mapping[str, int]) -> str:
    """List the parts of the peak, largest first; what two decimals would not show is summed up."""
    shown = {name: size for name, size in parts.items() if size >= SMALL_PART}
    rest = sum(parts.values()) - sum(shown.values())
    if rest >= SMALL_PART / 2:
        shown["other"] = shown.get("other", 0) + rest
    ranked = sorted(shown.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name.replace('_', ' ')} {gib(size)}" for name, size in ranked)


def _elsewhere(memory: Memory) -> Iterator[str]:
    """Tell the other GPUs, stages and validation where there are any."""
    if len(memory.gpus) > 1:
        each = ", ".join(f"GPU {at} {gib(gpu.expect)}" for at, gpu in enumerate(memory.gpus))
        yield f"  {'GPUs':<9}expected on {each} GiB"
    for stage in memory.stages:
        title = f"stage {stage.number}"
        yield f"  {title:<9}{gib(stage.memory.expect):>7} GiB  crop {stage.crop}, batch {stage.batch}"
    if memory.validation is not None:
        size = gib(memory.validation.expect)
        yield f"  {'validate':<9}{size:>7} GiB  expected at validation{image_words(memory.image)}"


def image_words(image: Image | None) -> str:
    """Name the image that validation was worked out for, and how its size is known."""
    if image is None:
        return ""
    tiles = f" in tiles of {image.tile}" if image.tile else ""
    return f" of {image.width}x{image.height}{tiles} ({image.basis})"


def _largest(memory: Memory) -> str:
    if memory.largest_batch == 0:
        return "  not even one sample per GPU fits"
    return f"  largest batch that fits: {memory.largest_batch} per GPU"
