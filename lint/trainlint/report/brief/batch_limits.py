# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How large the batch may be: up to where it is safe, and the limit, above which it does not fit.

What lies between is tight: it runs, and what measured runs took at most is more than the card.
"""

from __future__ import annotations

from trainlint.model.facts import LargestBatch, Memory
from trainlint.model.finding import Finding
from trainlint.report.style import printable

PER_GPU = "per_gpu"
"""What the name of a key holds whose batch is one GPU's."""


def largest(memory: Memory, *, named: bool = True) -> str:
    """Return how large the batch may be: "batch 15 is safe, 18 is the limit"; "" where none fits."""
    return ", ".join(batch_figures(memory, named=named))


def batch_figures(memory: Memory, *, named: bool = True) -> list[str]:
    """Return how large the batch may be, as the config writes it, and the limit where that is more.

    It is `named` by the config's key, or called a batch, which is shorter. This is by memory alone: rules
    may forbid a batch that fits.
    """
    limit, safe = _value(memory.batch, memory.largest_batch), _value(memory.safe, memory.safe_batch)
    if not limit:
        return []
    name = printable(memory.batch.key) if named and memory.batch is not None else "batch"
    per_gpu = _per_gpu(memory, safe or limit, named=named)
    most = f"{safe or limit}{per_gpu if named or not per_gpu.endswith(')') else ''}"
    if memory.largest_open:
        return [f"{name} of at least {most} {'is safe' if safe else 'fits, which is tight'}"]
    if not safe:
        return [f"{name} {most} is the limit, and tight"]
    return [f"{name} {most} is safe", *([f"{limit} is the limit"] if limit > safe else [])]


def limit_words(memory: Memory, advised: int = 0) -> str:
    """Say beneath a batch what it may be: "10 is the limit, 6 is safe"; "" where that is not known.

    What is `advised` was judged by every rule, and is what is safe.
    """
    limit = memory.batch.value if memory.batch is not None else 0
    if not limit or memory.largest_open:
        return ""
    safe = advised or _value(memory.safe, 0)
    if safe == limit:
        return f"{limit} is the limit, and safe"
    return f"{limit} is the limit, {f'{safe} is safe' if safe else 'and tight'}"


def advised_batch(finding: Finding) -> int:
    """Return what a finding's first fix makes of the batch that it is about; 0 where it leaves that."""
    edits = finding.fixes[0].edits if finding.fixes else ()
    values = (edit.text for edit in edits if edit.span == finding.spans[0] and edit.text.isdigit())
    return int(next(values, "0"))


def _value(batch: LargestBatch | None, samples: int) -> int:
    """Return a batch at the config's own key, or the samples of a GPU where nothing was written."""
    return batch.value if batch is not None else samples


def is_of_all_gpus(memory: Memory) -> bool:
    """Return whether the config's batch is that of several GPUs together."""
    batch = memory.batch
    return batch is not None and len(memory.gpus) > 1 and batch.value != memory.largest_batch


def _per_gpu(memory: Memory, value: int, *, named: bool) -> str:
    """Say how many samples on a GPU a value is, where there are several and its name does not say it."""
    if memory.batch is None:
        return " per GPU"
    if len(memory.gpus) < 2:  # noqa: PLR2004 - one GPU has them all
        return ""
    safe = memory.safe is not None and memory.safe.value == value
    samples = memory.safe_batch if safe else memory.largest_batch
    if samples != value:
        return f" ({samples} per GPU)"
    return "" if named and PER_GPU in memory.batch.key else " per GPU"
