# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A config whose input is a shape, at another height: each number that follows is edited at its place."""

from __future__ import annotations

from trainlint.config.edit import apply_edits, set_value
from trainlint.config.value_by_path import dig
from trainlint.judge.fixes.proof import proven, written_values
from trainlint.model.document import Document, Path
from trainlint.model.job import Job
from trainlint.model.spec import TrainSpec
from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, grain_of
from trainlint.tape.crops.input_shapes import sizes


def has_shapes(spec: TrainSpec) -> bool:
    """Return whether a job's input is written as shapes, of which one is an image's."""
    return bool(sizes(spec.get("options") or {})) and bool(spec.at("options"))


def height_path(spec: TrainSpec) -> Path:
    """Return where the first image's height is written."""
    return next(iter(sizes(spec["options"])))


def grain(spec: TrainSpec) -> int:
    """Return the least pixels by which the height grows so that the other sizes stay whole."""
    return grain_of({"options": spec["options"]})


def at_height(job: Job, height: int) -> Document | None:
    """Return a job's document with an input of that height; None where that cannot be written."""
    document, options = job.document, job.spec["options"]
    try:
        resized = at_side({"options": options}, height)["options"]
    except NotPolynomialError:
        return None
    values = sizes(resized)
    changed = {path: value for path, value in values.items() if dig(document.value, path) != value}
    edits = [set_value(document, path, value) for path, value in changed.items()]
    if any(edit is None for edit in edits):
        return None
    text = apply_edits(document.source.text, tuple(edit for edit in edits if edit is not None))
    return proven(document, text, values, frozenset(), written_values(job.dialect))
