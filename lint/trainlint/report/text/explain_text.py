# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a GPU's peak goes, as a table of kinds and networks, and the largest tensors in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.model.units import bytes_text, plural
from trainlint.report.memory.kind_text import name_of
from trainlint.report.memory.memory_table import render_table, unit_of
from trainlint.report.memory.memory_text import image_words
from trainlint.report.memory.moment_text import moment_words, owner_words, tensor_words
from trainlint.report.style import Style, printable

if TYPE_CHECKING:
    from trainlint.estimate.explain.breakdown import Breakdown, LiveTensor
    from trainlint.estimate.memory.workload import Workload


def title_of(workload: Workload) -> str:
    """Name a workload: which GPU, with how many samples, or which image."""
    if workload.image is not None:
        return f"{'test' if workload.tests else 'validation'} of {image_words(workload.image)}"
    gpu = "GPU 0" if workload.device == 0 else "every other GPU"
    words = [gpu] if workload.tape.devices > 1 else []
    words += [f"stage {workload.stage}"] if workload.stage else []
    words += [f"{plural(workload.samples.batch, 'sample')} per step on this GPU"]
    return f"training, {', '.join(words)}"


def render_breakdown(parts: Breakdown, workload: Workload, style: Style) -> Iterator[str]:
    """Yield the lines for one workload."""
    unit = unit_of(workload)
    peak = f"{unit.text(unit.steps(parts.allocated))} {unit.name}"
    yield f"peak of live tensors: {peak}, {printable(moment_words(parts.moment))}"
    yield ""
    yield from render_table(parts, workload, style)
    yield ""
    yield f"the {len(parts.largest)} largest tensors at that moment:"
    yield from (line for tensor in parts.largest for line in _tensor(tensor, style))


def _tensor(tensor: LiveTensor, style: Style) -> Iterator[str]:
    """Yield a tensor's two lines: how large, what for and whose; what it is and how long it lives."""
    owner = "this GPU's copies" if tensor.is_replica else owner_words(tensor.owner)
    yield f"  {bytes_text(tensor.size):>9}  {name_of(tensor.kind):<20}  {owner}"
    yield style.paint("dim", f"{'':11}  {printable(tensor_words(tensor))}")
