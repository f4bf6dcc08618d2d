# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's timeline as the page's script reads it: KiB, so that numbers stay short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trainlint.estimate.facts import Memory
from trainlint.estimate.kind import MADE_BACKWARD, MEANINGS
from trainlint.estimate.maker import makers
from trainlint.estimate.shape import shape_of
from trainlint.estimate.timeline import BatchLine, Timeline, timeline
from trainlint.estimate.workload import Workload
from trainlint.judge.finding import Outcome
from trainlint.judge.result import Result
from trainlint.report.explain_text import title_of
from trainlint.report.fits import state_of
from trainlint.report.kind_text import name_of
from trainlint.report.moment_text import operator_words, owner_words, phase_words
from trainlint.report.style import harmless, printable
from trainlint.tape import EVERY_BATCH

KIB: Final = 1024
FURTHEST: Final = 4
"""How many times the config's batch the slider goes to at least, where every batch is known."""
MOST: Final = 4096
"""Where the slider ends: of a network so small, nobody looks for more."""


@dataclass(frozen=True)
class Explained:
    """A job on a target, in one reading, with the workloads that its memory is explained by."""

    result: Result
    workloads: tuple[Workload, ...]


def curves(explained: Sequence[Explained]) -> list[dict[str, Any]]:
    """Return the workloads as plain data, each once with all targets that share it."""
    most = [one.result.facts.memory.largest_batch for one in explained if _memory(one.result)]  # type: ignore[union-attr]
    found: dict[str, tuple[Workload, Timeline, list[Result]]] = {}
    for one in explained:
        for workload in one.workloads:
            curve = timeline(workload, _tried(workload, most))
            title = _title(one.result, workload)
            known = next(
                (key for key, (_, other, _) in found.items() if key.startswith(title) and other == curve),
                None,
            )
            if known is not None:
                found[known][2].append(one.result)
            else:
                found[f"{title}\n{len(found)}"] = (workload, curve, [one.result])
    return [_workload(key.partition("\n")[0], *each, most) for key, each in found.items()]


def _memory(result: Result) -> Memory | None:
    return result.facts.memory if result.facts else None


def _title(result: Result, workload: Workload) -> str:
    return f"{result.variant}: {title_of(workload)}" if result.variant else title_of(workload)


def _tried(workload: Workload, most: Iterable[int]) -> tuple[int, ...]:
    """Return further batches whose peaks are to be seen: the slider's ends."""
    return (EVERY_BATCH, _end(workload.samples.batch, most))


def _end(batch: int, most: Iterable[int]) -> int:
    return min(MOST, max([batch * FURTHEST, *(round(one * 1.25) for one in most)]))


def _workload(
    title: str, workload: Workload, curve: Timeline, results: Sequence[Result], most: Sequence[int]
) -> dict[str, Any]:
    numbers = {block: at for at, block in enumerate(curve.blocks)}
    fixed = bool(curve.batches) or workload.image is not None
    return {
        "title": _clean(title),
        "batch": curve.batch,
        "low": curve.batch if fixed else EVERY_BATCH,
        "high": curve.batch if fixed else _end(curve.batch, most),
        "fixed": fixed,
        "phases": [[at, _clean(phase_words(name))] for at, name in curve.phases],
        "bands": [
            {
                "kind": band.kind,
                "name": name_of(band.kind),
                "meaning": MEANINGS.get(band.kind, ""),
                "const": [round(line.const / KIB) for line in band.lines],
                "slope": [round(line.per_sample / KIB, 1) for line in band.lines],
                "top": [numbers.get(block, -1) for block in band.largest],
            }
            for band in curve.bands
        ],
        "made": [numbers.get(block, -1) for block in curve.made],
        "tensors": [_tensor(workload, block, line) for block, line in curve.blocks.items()],
        "targets": [_target(result, workload) for result in results],
    }


def _tensor(workload: Workload, index: int, line: BatchLine) -> list[Any]:
    """Return a tensor's owner, what made it with its shape, KiB and KiB per sample."""
    block, op = workload.book.blocks[index], makers(workload.book).get(index)
    words = operator_words(op, backward=block.kind in MADE_BACKWARD) if op else ""
    samples = workload.samples
    shape = shape_of(op, block.size.at(samples.batch, samples.total, samples.pool)) if op else ()
    sizes = f"{' x '.join(map(str, shape))} {op.dtype}" if shape and op else ""
    said = ", ".join(filter(None, (words, sizes)))
    return [_clean(owner_words(block.owner)), _clean(said), line.const / KIB, line.per_sample / KIB]


def _target(result: Result, workload: Workload) -> Mapping[str, Any]:
    """Return a target's room for tensors and the largest batch that the replay found to fit."""
    memory = _memory(result)
    gpu = workload.memory
    state, said = state_of(gpu, result)
    return {
        "name": _clean(result.target.name if result.target else ""),
        "room": (gpu.capacity - gpu.context) // KIB,
        "largest": memory.largest_batch if memory else 0,
        "open": bool(memory is None or memory.largest_open),
        "judged": state is not Outcome.SKIPPED,
        "state": state.value,
        "said": said,
    }


def _clean(value: str) -> str:
    return harmless(printable(value))
