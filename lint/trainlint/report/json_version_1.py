# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON, format 1: a contract. Fields may be added; renaming one needs a new number."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from trainlint import __version__
from trainlint.model.document import Source, Span
from trainlint.model.facts import (
    Disk,
    Facts,
    HostNeeds,
    Image,
    LargestBatch,
    Library,
    Memory,
    ModelBytes,
    NamedTensor,
    Time,
)
from trainlint.model.finding import Finding, Fix, Outcome
from trainlint.model.result import AppliedFix, Report, Result
from trainlint.model.start import Start
from trainlint.model.target import Context
from trainlint.model.trainer import Trainer
from trainlint.report.shown_place import shown
from trainlint.report.style import Style
from trainlint.report.unjudged_memory import jobs_of, unjudged

if TYPE_CHECKING:
    from trainlint.model.launcher import Launcher
    from trainlint.model.recommendation import Recommendation

FORMAT = 1

UNSAID = ("bound", "keeps")
"""Of an uncounted term, what is for the rules alone."""
FACT_FAMILIES = ("memory", "time", "disk", "host")
"""What is worked out for a job on a target."""


def render(report: Report, _style: Style) -> str:
    """Return the report as one JSON object."""
    return encoded(as_dict(report))


def encoded(value: Any) -> str:
    """Return JSON in ASCII, with nothing in a string that a terminal or a CI that logs it would obey."""
    text = json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False)
    return text.replace("##", "#\\u0023") + "\n"


def as_dict(report: Report) -> dict[str, Any]:
    """Return the report in JSON's types."""
    return {
        "format": FORMAT,
        "trainlint": __version__,
        "results": [_result(result) for result in report.results],
        "summary": _summary(report),
        "fixes": [_applied(fix) for fix in report.fixes],
        "files": report.files,
        "unrecognised": list(report.unrecognised),
        "programs": {program: list(paths) for program, paths in report.programs.items()},
        "notes": list(report.notes),
        "errors": [{"path": crash.path, "message": crash.message} for crash in report.crashes],
    }


def _applied(fix: AppliedFix) -> dict[str, Any]:
    return {
        "path": fix.path,
        "rules": list(fix.rules),
        "summary": fix.summary,
        "safe": fix.safe,
        "edits": [{"line": line, "old": old, "new": new} for line, old, new in fix.edits],
    }


def _summary(report: Report) -> dict[str, Any]:
    jobs = jobs_of(report)
    return {
        "jobs": dict(sorted(Counter(result.outcome.value for result in jobs).items())),
        "without_memory_verdict": dict(unjudged(jobs).most_common()),
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        "path": result.path,
        "document": result.document,
        "cell": result.cell,
        "line": result.line,
        "name": result.name,
        "dialect": result.dialect,
        "trainer": _trainer(result.trainer),
        "variant": result.variant,
        "target": result.target.name if result.target else None,
        "launcher": _launcher(result.launcher),
        "command": _command(result.start),
        "outcome": result.outcome.value,
        "verdicts": {family: verdict.value for family, verdict in result.verdicts.items()},
        "networks": [
            {"role": network.role, "arch": network.arch, "parameters": network.parameters}
            for network in result.networks
        ],
        "facts": _facts(result.facts or Facts()),
        "findings": [_finding(finding, result.source) for finding in result.findings],
        "recommended": _recommended(result.recommended),
        "skipped": [{"rule": rule, "reason": reason} for rule, reason in _skipped(result)],
    }


def _recommended(advice: Recommendation | None) -> dict[str, Any] | None:
    if advice is None:
        return None
    edits = [{"path": path, "line": line, "old": old, "new": new} for path, line, old, new in advice.edits]
    return {
        "summary": advice.summary,
        "edits": edits,
        "changes_training": advice.changes_training,
        "also_fixes": list(advice.also_fixes),
        "uncovers": list(advice.uncovers),
        "after": None if advice.after is None else to_builtins(advice.after),
    }


def _trainer(trainer: Trainer | None) -> dict[str, Any] | None:
    names = ("name", "version", "basis", "path")
    if trainer is None:
        return None
    return {
        **{name: getattr(trainer, name) for name in names},
        "own": list(trainer.own),
        "text": trainer.words,
    }


def _skipped(result: Result) -> Iterator[tuple[str, str]]:
    """Yield (rule, reason); a fact that no rule asked for in vain is listed as "facts.<name>"."""
    yield from ((skip.rule, skip.reason) for skip in result.skips)
    given = {skip.reason for skip in result.skips}
    for fact, reason in (result.facts or Facts()).missing.items():
        if reason not in given:
            yield f"facts.{fact}", reason
    if result.outcome is Outcome.UNREADABLE:
        reason = result.findings[0].message
        yield from ((f"facts.{fact}", reason) for fact in FACT_FAMILIES)


def _facts(facts: Facts) -> dict[str, Any]:
    return {
        "memory": _memory(facts.memory),
        "base_model": _base_model(facts.model),
        "time": _time(facts.time),
        "disk": _plain(facts.disk),
        "host": _plain(facts.host),
        "missing": dict(facts.missing),
    }


def _base_model(model: ModelBytes | None) -> dict[str, Any] | None:
    return None if model is None else {**to_builtins(model), "total": model.total}


def _memory(memory: Memory | None) -> dict[str, Any] | None:
    if memory is None:
        return None
    return {
        "gpus": [to_builtins(gpu) for gpu in memory.gpus],
        "parts": dict(memory.parts),
        "belongings": dict(memory.belongings),
        "overhead": dict(memory.overhead),
        "largest": _plain(memory.largest),
        "short": _plain(memory.short),
        "saved_per_sample": memory.saved_per_sample,
        "peak_phase": memory.peak_phase,
        "stages": [
            {"number": stage.number, "crop": stage.crop, "batch": stage.batch} | to_builtins(stage.memory)
            for stage in memory.stages
        ],
        "validation": memory.validation.allocated if memory.validation else None,
        "validation_gpu": to_builtins(memory.validation) if memory.validation else None,
        "validation_parts": dict(memory.validation_parts),
        "validation_largest": _plain(memory.validation_largest),
        "validation_short": _plain(memory.validation_short),
        "validation_image": _image(memory.image),
        "largest_batch": memory.largest_batch,
        "largest_batch_is_lower_bound": memory.largest_open,
        "safe_batch": memory.safe_batch,
        "batch": _plain(memory.batch),
        "safe": _plain(memory.safe),
        "uncounted": [
            {name: word for name, word in to_builtins(term).items() if word and name not in UNSAID}
            for term in memory.uncounted
        ],
        "library": _plain(memory.library),
        "source": memory.source,
        "context": _plain(memory.context),
        "measured": memory.measured or None,
    }


def _time(time: Time | None) -> dict[str, Any] | None:
    if time is None:
        return None
    return {
        "step_seconds": _finite(time.step_seconds),
        "total_hours": None if time.total_hours is None else _finite(time.total_hours),
        "sessions": None if time.sessions is None else list(time.sessions),
        "thousand_hours": None if time.thousand_hours is None else _finite(time.thousand_hours),
        "most_hours": time.most_hours,
        "basis": time.basis,
        "last_checkpoint": None if time.last_checkpoint is None else list(time.last_checkpoint),
        "data_seconds": time.data_seconds,
        "loading": None if time.loading is None else to_builtins(time.loading),
        "loading_hours": None if time.loading_hours is None else _finite(time.loading_hours),
        "lost_hours": None if time.lost_hours is None else _finite(time.lost_hours),
        "classes": dict(time.classes),
        "host_bound": time.host_bound,
        "measured": time.measured or None,
        "image_seconds": None if time.image_seconds is None else _finite(time.image_seconds),
        "validation_hours": None if time.validation_hours is None else _finite(time.validation_hours),
        "validation_assumed": time.validation_assumed,
        "saving_hours": None if time.saving_hours is None else _finite(time.saving_hours),
        "start_hours": None if time.start_hours is None else _finite(time.start_hours),
        "save_hours": None if time.save_hours is None else _finite(time.save_hours),
    }


def _finite(values: tuple[float, ...]) -> list[float | None]:
    """JSON knows no infinity; what is not a number is null."""
    return [value if math.isfinite(value) else None for value in values]


def _image(image: Image | None) -> dict[str, Any] | None:
    """Return an image's size, and how it is known."""
    if image is None:
        return None
    return {name: value for name, value in to_builtins(image).items() if name != "sampled"}


def _plain(
    fact: Disk | HostNeeds | NamedTensor | LargestBatch | Library | Context | None,
) -> Mapping[str, Any] | None:
    return None if fact is None else to_builtins(fact)


def _launcher(launcher: Launcher | None) -> dict[str, str] | None:
    return None if launcher is None else {"value": launcher.value, "basis": launcher.basis}


def _command(start: Start | None) -> dict[str, Any] | None:
    """Return the command under which an option file was judged."""
    if start is None:
        return None
    forced = {".".join(map(str, override.path)): override.text for override in start.overrides}
    return {
        "place": start.place,
        "text": start.text,
        "launcher": start.launcher,
        "processes": start.processes,
        "auto_resume": start.auto_resume,
        "overrides": forced,
    }


def _finding(finding: Finding, source: Source) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "message": finding.message,
        "holds_in": None if finding.holds_in is None else list(finding.holds_in),
        **_region(source, finding.spans[0]),
        **_in_cell(source, finding.spans[0]),
        "related": [_region(source, span) for span in finding.spans[1:]],
        "notes": list(finding.notes),
        "fixes": [_fix(fix, source) for fix in finding.fixes],
    }


def _in_cell(source: Source, span: Span) -> dict[str, int]:
    """Return the line of a notebook's cell, which people see, besides the file's."""
    seen = shown(source, (span,))
    return {} if seen.cell is None else {"cell_line": seen.source.position(seen.spans[0].start)[0]}


def _region(source: Source, span: Span) -> dict[str, int]:
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _fix(fix: Fix, source: Source) -> dict[str, Any]:
    """Edits count characters of the file decoded as UTF-8: a BOM, which Source.text lacks, is the first."""
    bom = int(source.bom)
    return {
        "summary": fix.summary,
        "verified": not fix.unknown,
        "unknown": fix.unknown or None,
        "safe": fix.safe,
        "rules": list(fix.rules),
        "edits": [
            {"start": edit.span.start + bom, "end": edit.span.end + bom, "text": edit.text}
            for edit in fix.edits
        ],
    }
