# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `fit --solve` and `fit --best` found for one job, target by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trainlint.model.document import Document
from trainlint.model.finding import Level, Outcome
from trainlint.model.result import Result
from trainlint.model.units import gib
from trainlint.report.aligned_columns import columns_of
from trainlint.report.memory.decisive_figure import peak
from trainlint.report.style import Style, printable
from trainlint.report.text.fit_text import markdown_table
from trainlint.solve import Best, Solved
from trainlint.solve.best_settings import Setting
from trainlint.solve.fits_target import TOO_LARGE

SOLVE_HEADINGS = ("target", "largest that fits", "now", "least", "expect", "card", "the next one")
BEST_HEADINGS = (
    "target",
    "batch",
    "accumulate",
    "effective",
    "precision",
    "crop",
    "least",
    "expect",
    "card",
    "change",
)
AS_IT_IS = "fits as it is"


def answers(
    document: Document, found: Sequence[Solved | Best], style: Style, *, markdown: bool = False
) -> Iterator[str]:
    """Yield a heading and the table of one job's targets."""
    place = f"{document.source.path}:{document.line}" if document.index else document.source.path
    keys = dict.fromkeys(one.key for one in found if isinstance(one, Solved) and one.key)
    solved = isinstance(found[0], Solved)
    what = f"largest {', '.join(keys) or 'value'}" if solved else "settings that fit, each judged"
    heading = printable(f"{place} ({what}; memory in GiB)")
    yield f"**{heading}**\n" if markdown else style.paint("bold", heading)
    rows = [SOLVE_HEADINGS if solved else BEST_HEADINGS, *(tuple(map(printable, _row(one))) for one in found)]
    if markdown:
        yield from markdown_table(rows)
        return
    head, *lines = columns_of([row[:-1] for row in rows])
    yield style.paint("bold", f"{head}  {rows[0][-1]}")
    for line, row, one in zip(lines, rows[1:], found, strict=True):
        outcome = Outcome.PASS if _fits(one) else Outcome.FAIL
        yield f"{style.outcome(outcome, line)}  {row[-1]}".rstrip()


def _row(one: Solved | Best) -> tuple[str, ...]:
    memory = _memory(one.results)
    if isinstance(one, Solved):
        return (one.target.name, str(one.value or "none"), str(one.now or ""), *memory, _next(one))
    settings = [_setting(each) for each in one.settings]
    cells = (" or ".join(dict.fromkeys(values)) for values in zip(*settings, strict=True))
    return (one.target.name, *cells, *memory, _change(one))


def _next(one: Solved) -> str:
    """Say what is above, or why nothing fits; and what is recommended where the job does not fit as it is."""
    return f"{_above(one)}; recommended: {one.advice}" if one.advice else _above(one)


def _above(one: Solved) -> str:
    tight = " (the largest is tight)" if one.tight else ""
    if not one.value:
        return f"{'none fits' if one.key else 'not looked for'}: {one.why}"
    if one.above is None:
        return f"larger ones were not tried{tight}"
    return f"{one.above}: {one.why}{tight}"


def _change(one: Best) -> str:
    """Say what is edited, and what is wrong then apart from memory."""
    if one.why:
        what = "no edit that was tried makes it fit" if one.why == TOO_LARGE else one.why
        return "; ".join((*one.changes, what))
    said = "; ".join(one.changes) or AS_IT_IS
    said += "" if one.kept else "; the effective batch changes"
    fails = dict.fromkeys(
        each.rule for result in one.results for each in result.findings if each.level is Level.FAIL
    )
    return f"{said}; still fails: {', '.join(fails)}" if fails else said


def _setting(setting: Setting) -> tuple[str, ...]:
    values = (setting.batch, setting.accumulate, setting.effective, setting.precision, setting.crop)
    return tuple("" if value is None else str(value) for value in values)


def _memory(results: Sequence[Result]) -> tuple[str, str, str]:
    """Return least, expect and capacity of the reading that needs the most."""
    known = [peak(one.facts.memory) for one in results if one.facts and one.facts.memory]
    if not known:
        return "", "", ""
    gpu = max(known, key=lambda each: each.least - each.capacity)
    return gib(gpu.least), gib(gpu.expect), gib(gpu.capacity)


def _fits(one: Solved | Best) -> bool:
    return bool(one.value) if isinstance(one, Solved) else not one.why


def as_dict(document: Document, found: Sequence[Solved | Best]) -> dict[str, Any]:
    """Return the same in JSON's types."""
    return {
        "path": document.source.path,
        "document": document.index,
        "line": document.line,
        "targets": [_solved(one) if isinstance(one, Solved) else _best(one) for one in found],
    }


def _solved(one: Solved) -> dict[str, Any]:
    return {
        "target": one.target.name,
        "key": one.key,
        "now": one.now or None,
        "value": one.value or None,
        "above": one.above,
        "why": one.why or None,
        "tight": one.tight,
        "recommended": one.advice or None,
        "readings": [_reading(result) for result in one.results],
    }


def _best(one: Best) -> dict[str, Any]:
    return {
        "target": one.target.name,
        "fits": not one.why,
        "why": one.why or None,
        "changes": list(one.changes),
        "effective_batch_kept": one.kept,
        "settings": [
            {
                "batch": each.batch,
                "accumulate": each.accumulate,
                "effective_batch": each.effective,
                "precision": each.precision,
                "crop": each.crop,
            }
            for each in one.settings
        ],
        "readings": [_reading(result) for result in one.results],
    }


def _reading(result: Result) -> dict[str, Any]:
    memory = result.facts.memory if result.facts is not None else None
    gpu = peak(memory) if memory is not None else None
    return {
        "variant": result.variant,
        "outcome": result.outcome.value,
        "least": gpu.least if gpu else None,
        "expect": gpu.expect if gpu else None,
        "capacity": gpu.capacity if gpu else None,
        "findings": [finding.rule for finding in result.findings],
    }
