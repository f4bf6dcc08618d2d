# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What became of a sweep: as text, as JSON, and each combination as a line of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainlint.model.units import plural
from trainlint.report.style import Style, printable
from trainlint.report.text.swept_ranges import Box, boxes, ranges
from trainlint.sweep.rule_table import Mark
from trainlint.sweep.sweep import Swept
from trainlint.sweep.swept_factors import Indices

MOST_RANGE_LINES: Final = 24
"""Lines of ranges that are printed of one rule; the other formats have all."""
MARK_WORDS: Final = {Mark.PASS: "pass", Mark.OPEN: "not judged", Mark.FAIL: "fail"}
CSV_CHUNK_ROWS: Final = 10_000
"""Rows of CSV that are written at a time."""


def render(swept: Swept, style: Style) -> Iterator[str]:
    """Yield the lines for one target."""
    failing, open_ = swept.count(Mark.FAIL), swept.count(Mark.OPEN)
    heading = f"{swept.base.path} on {swept.target.name}: {_times(swept)}"
    yield style.paint("bold", printable(heading))
    fit = swept.combinations - failing - open_
    parts = [f"{failing:,} fail", f"{fit:,} pass", *([f"{open_:,} not judged"] if open_ else [])]
    yield f"  {', '.join(parts)} ({plural(swept.steps, 'distinct step')})"
    for axis in swept.axes:
        if axis.note:
            yield printable(f"  {axis.key}: {axis.note}; what is between is not judged")
    for mark in (Mark.FAIL, Mark.OPEN):
        for name, keys in _by_rule(swept, mark).items():
            count = sum(swept.cells[key][0] for key in keys)
            yield style.paint("bold", f"  {name}: {count:,} {MARK_WORDS[mark]}")
            lines = [printable(_where(swept, box)) for box in boxes(swept, keys)]
            yield from (f"    {line}" for line in lines[:MOST_RANGE_LINES])
            if (more := len(lines) - MOST_RANGE_LINES) > 0:
                yield f"    and {plural(more, 'range')} more (--format json lists them)"
            yield from (f"    {printable(why)}" for why in _whys(swept, keys))
    for name, why in swept.unjudged.items():
        yield printable(f"  not judged: {name} ({why})")


def as_dict(swept: Swept) -> dict[str, Any]:
    """Return one target's answer for JSON."""
    marks = {MARK_WORDS[mark].replace(" ", "_"): swept.count(mark) for mark in Mark}
    return {
        "path": swept.base.path,
        "target": swept.target.name,
        "axes": [
            {"key": axis.key, "values": list(axis.values), "note": axis.note or None} for axis in swept.axes
        ],
        "combinations": swept.combinations,
        **marks,
        "distinct_steps": swept.steps,
        "failing": [_entry(swept, name, keys) for name, keys in _by_rule(swept, Mark.FAIL).items()],
        "unjudged": [
            {**_entry(swept, name, keys), "reasons": _whys(swept, keys)}
            for name, keys in _by_rule(swept, Mark.OPEN).items()
        ],
        "rules_not_judged": [{"rule": name, "reason": why} for name, why in swept.unjudged.items()],
    }


def rows(swept: Swept, *, header: bool) -> Iterator[str]:
    """Yield CSV: a column for each key, the target, what becomes of it, by which rules."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if header:
        writer.writerow([*(axis.key for axis in swept.axes), "target", "outcome", "rules"])
    for number, (combination, verdict) in enumerate(swept.every(), start=1):
        values = [axis.values[index] for axis, index in zip(swept.axes, combination, strict=True)]
        writer.writerow([*values, swept.target.name, MARK_WORDS[verdict.mark], " ".join(verdict.rules)])
        if number % CSV_CHUNK_ROWS == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _times(swept: Swept) -> str:
    sizes = " x ".join(f"{len(axis.values)} {axis.key}" for axis in swept.axes)
    return f"{plural(swept.combinations, 'combination')} ({sizes})"


def _by_rule(swept: Swept, mark: Mark) -> dict[str, list[Indices]]:
    """Return the combinations of classes that come to this, by each of the rules that say so."""
    by_rule: dict[str, list[Indices]] = {}
    for key, (_, verdict) in swept.cells.items():
        for name in verdict.rules if verdict.mark is mark else ():
            by_rule.setdefault(name, []).append(key)
    return dict(
        sorted(by_rule.items(), key=lambda entry: (-sum(swept.cells[key][0] for key in entry[1]), entry[0]))
    )


def _entry(swept: Swept, name: str, keys: Sequence[Indices]) -> dict[str, Any]:
    where = [
        {
            swept.axes[axis].key: [swept.axes[axis].values[index] for index in values]
            for axis, values in box.items()
        }
        for box in boxes(swept, keys)
    ]
    return {"rule": name, "combinations": sum(swept.cells[key][0] for key in keys), "where": where}


def _where(swept: Swept, box: Box) -> str:
    if not box:
        return "every combination"
    return "; ".join(
        f"{swept.axes[axis].key} {ranges(swept.axes[axis].values, box[axis])}" for axis in sorted(box)
    )


def _whys(swept: Swept, keys: Sequence[Indices]) -> list[str]:
    return list(dict.fromkeys(why for key in keys for why in swept.cells[key][1].why))
