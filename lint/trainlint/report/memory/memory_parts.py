# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run's memory is made of, in lines: tensors by owner and kind, what is beyond, single large ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainlint.model.facts import Memory
from trainlint.model.units import GIB, bytes_text, gib
from trainlint.report.memory.decisive_figure import VALIDATION
from trainlint.report.memory.kind_text import name_of
from trainlint.report.memory.moment_text import owner_words

SMALL_PART = GIB / 100
"""Parts below what two decimals of a GiB show are added up as "smaller"."""


def made_of(memory: Memory) -> Iterator[str]:
    """Say what the peak is made of: training's, and validation's where that is the larger."""
    number = f"stage {peak_stage(memory)}'s" if memory.stages else "training's"
    gpu = " on GPU 0" if len(memory.gpus) > 1 else ""
    if memory.belongings:
        yield f"{number} tensors{gpu}: {_parts(memory.belongings)}"
    yield f"{'by kind' if memory.belongings else f'{number} tensors{gpu}'}: {_parts(memory.parts)}"
    if memory.overhead:
        yield f"beyond tensors, up to expect: {_parts(memory.overhead)}"
    if memory.peak_phase == VALIDATION and memory.validation_parts:
        yield f"validation's tensors by kind: {_parts(memory.validation_parts)}"


def peak_stage(memory: Memory) -> int:
    """Return the number of the stage that needs the largest card."""
    return max(memory.stages, key=lambda stage: stage.memory.least).number


def pieces(memory: Memory) -> Iterator[str]:
    """Name the first tensor that finds no room, and the largest; of validation where that decides."""
    yield from runs_out(memory)
    largest = memory.validation_largest if memory.peak_phase == VALIDATION else memory.largest
    if largest is not None:
        name = f"{name_of(largest.kind)}, {owner_words(largest.owner)}"
        yield f"the largest tensor takes {bytes_text(largest.size)} ({name})"


def runs_out(memory: Memory) -> Iterator[str]:
    """Name the first tensor that finds no room, where there is one."""
    short = memory.validation_short if memory.peak_phase == VALIDATION else memory.short
    if short is not None:
        asked = f"{owner_words(short.owner)} asks for {bytes_text(short.size)}"
        yield f"out of memory at the latest where {asked}"


def _parts(parts: Mapping[str, int]) -> str:
    """List parts, largest first; what two decimals would not show is summed up."""
    shown = {name: size for name, size in parts.items() if size >= SMALL_PART}
    rest = sum(parts.values()) - sum(shown.values())
    if rest >= SMALL_PART / 2:
        shown["smaller"] = rest
    ranked = sorted(shown.items(), key=lambda item: (item[0] == "smaller", -item[1], item[0]))
    return ", ".join(f"{name_of(name)} {gib(size)}" for name, size in ranked)
