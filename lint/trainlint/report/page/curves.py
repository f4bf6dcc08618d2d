# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's timeline as the page's script reads it: KiB, so that numbers stay short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from trainlint.model.facts import Memory
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.report.brief.reading_names import reading_label
from trainlint.report.fit_word import state_of
from trainlint.report.memory.kind_text import MEANINGS, name_of
from trainlint.report.memory.moment_text import operator_words, owner_words, phase_words
from trainlint.report.style import harmless, printable
from trainlint.report.text.explain_text import title_of

if TYPE_CHECKING:
    from trainlint.estimate.explain.timeline import NamedBlock, Timeline
    from trainlint.estimate.memory.workload import Workload

KIB: Final = 1024


class Explained(Struct, frozen=True):
    """A job on a target, in one reading, with the workloads that explain its memory, and their curves."""

    result: Result
    workloads: tuple[tuple[Workload, Timeline], ...]


def curves(explained: Sequence[Explained]) -> list[dict[str, Any]]:
    """Return the workloads as plain data, each once with all targets that share it."""
    by_workload: dict[str, tuple[Workload, Timeline, list[Result]]] = {}
    for explanation in explained:
        for workload, curve in explanation.workloads:
            title = _title(explanation.result, workload)
            known = next(
                (
                    key
                    for key, (_, other, _) in by_workload.items()
                    if key.startswith(title) and other == curve
                ),
                None,
            )
            if known is not None:
                by_workload[known][2].append(explanation.result)
            else:
                by_workload[f"{title}\n{len(by_workload)}"] = (workload, curve, [explanation.result])
    return [_workload(key.partition("\n")[0], *drawn) for key, drawn in by_workload.items()]


def _memory(result: Result) -> Memory | None:
    return result.facts.memory if result.facts else None


def _title(result: Result, workload: Workload) -> str:
    return f"{reading_label(result.variant)}: {title_of(workload)}" if result.variant else title_of(workload)


def _workload(title: str, workload: Workload, curve: Timeline, results: Sequence[Result]) -> dict[str, Any]:
    numbers = {block: position for position, block in enumerate(curve.blocks)}
    fixed = bool(curve.batches) or workload.image is not None
    return {
        "title": _clean(title),
        "reading": _clean(results[0].variant or ""),
        "batch": curve.batch,
        "low": curve.batch if fixed else curve.lowest,
        "high": curve.batch if fixed else curve.furthest,
        "fixed": fixed,
        "phases": [[position, _clean(phase_words(name))] for position, name in curve.phases],
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
        "tensors": [_tensor(block) for block in curve.blocks.values()],
        "targets": [_target(result, workload) for result in results],
    }


def _tensor(block: NamedBlock) -> list[Any]:
    """Return a tensor's owner, what made it with its shape, KiB and KiB per sample."""
    op, line = block.op, block.line
    words = operator_words(op, backward=block.backward) if op else ""
    sizes = f"{' x '.join(map(str, block.shape))} {op.dtype}" if block.shape and op else ""
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
        "safe": memory.safe_batch if memory else 0,
        "open": bool(memory is None or memory.largest_open),
        "judged": state is not Outcome.SKIPPED,
        "state": state.value,
        "said": said,
    }


def _clean(value: str) -> str:
    return harmless(printable(value))
