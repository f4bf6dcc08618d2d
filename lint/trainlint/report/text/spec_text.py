# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job's spec for its reader: every field with its value, where that is from, and the line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from trainlint.model.document import Path
from trainlint.model.job import Job
from trainlint.model.spec import Value
from trainlint.report.aligned_columns import columns_of
from trainlint.report.shown_place import shown

ORIGINS: Final = {
    "written": "written",
    "default": "default of the trainer",
    "derived": "derived",
}
"""Where a field's value is from (model/spec.py's `origin`), in words."""

MOST_VALUE_CHARACTERS: Final = 60
"""Characters of a value; the rest is in JSON."""


def lines(job: Job) -> Iterator[str]:
    """Yield a job's heading, then a line for each field: name, value, origin, places."""
    yield _heading(job)
    rows = [
        (f"  {name}", _value(value.value), ORIGINS[value.origin], ", ".join(_places(job, value)))
        for name, value in sorted(job.spec.fields.items())
        if name != "dialect"
    ]
    yield from columns_of(rows, len(rows[0])) if rows else ()


def as_data(job: Job) -> dict[str, Any]:
    """Return a job's spec as JSON has it."""
    target = job.placing.target if job.placing is not None else None
    return {
        "path": job.document.source.path,
        "line": job.document.line,
        "dialect": job.dialect.id,
        "variant": job.variant,
        "target": None if target is None else target.name,
        "fields": [
            {
                "field": name,
                "value": value.value,
                "origin": value.origin,
                "places": [_position(job, path) for path in value.paths],
            }
            for name, value in sorted(job.spec.fields.items())
        ],
    }


def _heading(job: Job) -> str:
    target = job.placing.target if job.placing is not None else None
    words = [job.dialect.title, job.reading or job.variant, None if target is None else f"on {target.name}"]
    return f"{job.document.source.path}:{job.document.line}: {', '.join(filter(None, words))}"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MOST_VALUE_CHARACTERS else f"{text[: MOST_VALUE_CHARACTERS - 1]}…"


def _places(job: Job, value: Value) -> list[str]:
    """Name where a value was read, each place once; a default has the mapping that lacks its key."""
    source, known = job.document.source, job.document.places
    spans = [place.key or place.value for path in value.paths if path for place in [known.get(path)] if place]
    places = [shown(source, [span]) for span in spans]
    return list(
        dict.fromkeys(start.place if start.cell else start.place.rpartition(":")[0] for start in places)
    )


def _position(job: Job, path: Path) -> dict[str, Any]:
    place = job.document.nearest(path)
    line, column = job.document.source.position((place.key or place.value).start)
    return {"key": ".".join(map(str, path)), "line": line, "column": column}
