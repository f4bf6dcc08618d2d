# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an editor shows where the mouse rests: a key's meaning, and the memory that batch or crop need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainlint.catalogue.signature import signature
from trainlint.dialects.messages.value_wording import dotted
from trainlint.dialects.schema.check_budget import start
from trainlint.dialects.schema.schema_walk import described
from trainlint.editor.schema_markdown import description_of, literal, markdown
from trainlint.model.document import Document, Path, Span
from trainlint.model.job import Job
from trainlint.model.result import Result, why_unjudged
from trainlint.model.spec import SHAPES_MEMORY
from trainlint.model.units import bytes_text, gib, machine
from trainlint.report.brief.batch_limits import largest
from trainlint.report.brief.calendar_time import run_hours
from trainlint.report.fit_word import state_of
from trainlint.report.job_block import blocks
from trainlint.report.memory.decisive_figure import need_words, peak

BATCH_PREFIX: Final = "batch."
"""What the fields of the batch begin with."""
SIZE_FIELDS: Final = (*SHAPES_MEMORY, "stages", "gpus", "data.pool_size", "batch.per_gpu", "batch.total")
"""Fields of which the memory of a step is a function."""


ROLES: Final = ("generator", "discriminator")
"""The networks whose arguments a spec has."""


def path_at(document: Document, offset: int) -> tuple[Path, Span] | None:
    """Return the innermost value whose key or text is at an offset, with the span that was met."""
    met = [
        (path, span)
        for path, place in document.places.items()
        for span in (place.key, place.value)
        if path and span is not None and span.start <= offset <= span.end
    ]
    return min(met, key=lambda entry: (entry[1].end - entry[1].start, -len(entry[0])), default=None)


def hover(document: Document, job: Job, results: Sequence[Result], path: Path) -> str:
    """Return Markdown about one value of a job; "" where there is nothing to say."""
    dialect = job.dialect
    start()
    parts = described(dialect.schema, document.value, path, dialect.valid)
    fields = [name for name in job.spec if path in job.spec.at(name)]
    words = [f"**{markdown(dotted(path))}**", description_of(parts), _argument(job, path)]
    words += [_field(job, name) for name in fields if not isinstance(job.spec[name], dict | list)]
    if any(name.startswith(BATCH_PREFIX) or name in SIZE_FIELDS for name in fields):
        of_batch = any(name.startswith(BATCH_PREFIX) for name in fields)
        words += [line for block in blocks(results) for line in _memory(block.result, of_batch=of_batch)]
    said = [word for word in words if word]
    return "\n\n".join(said) if len(said) > 1 else ""


def _argument(job: Job, path: Path) -> str:
    """Say what a network takes under a key, where its class is known."""
    role = next((role for role in ROLES if path[:-1] in job.spec.at(f"networks.{role}.args")), "")
    network = signature(job.dialect.id, str(job.spec.get(f"networks.{role}.arch"))) if role else None
    param = network.params.get(str(path[-1])) if network else None
    if network is None or param is None:
        return ""
    default = "" if param.required or not param.readable else f", default {literal(param.default)}"
    return markdown(f"argument of {network.arch}: {param.expected}{default}")


def _field(job: Job, name: str) -> str:
    origin = "" if job.spec.fields[name].origin == "written" else f" ({job.spec.fields[name].origin})"
    return f"`{name}` = {markdown(_value(job.spec[name]))}{origin}"


def _value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _memory(result: Result, *, of_batch: bool) -> Iterator[str]:
    """Say of one target what the step needs there, and how much a further sample is."""
    target = result.target
    if target is None:
        return
    name = f"**{markdown(target.name)}** ({markdown(machine(target))})"
    memory = result.facts.memory if result.facts else None
    if memory is None:
        yield f"{name}: memory is not judged: {markdown(why_unjudged(result) or 'no GPU to judge against')}"
        return
    gpu = peak(memory)
    _, verdict = state_of(gpu, result)
    yield (f"{name}: {need_words(gpu)}, {verdict} (tensors {gib(gpu.allocated)})")
    if memory.open:
        yield f"not counted: {markdown(', '.join(term.what for term in memory.open))}"
    if of_batch:
        yield f"a sample keeps {bytes_text(memory.saved_per_sample)}; {markdown(_most(memory))}"
    time = result.facts.time if result.facts else None
    if time is not None and time.total_hours is not None:
        yield run_hours(time.total_hours)


def _most(memory: Any) -> str:
    if not memory.largest_batch:
        return "no batch is known to fit" if memory.largest_open else "not even one sample fits"
    return largest(memory) or "no batch fits"
