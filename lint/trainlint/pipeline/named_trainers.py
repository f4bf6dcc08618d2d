# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trainings that a page of prose names, and the example of ours to start from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.documents.file_format import read
from trainlint.errors import TrainlintError
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Document, Path
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.shipped.resource_paths import resource

if TYPE_CHECKING:
    from trainlint.pipeline.pipeline import Pipeline

EXAMPLES: Final = {
    "Real-ESRGAN": ("realesrgan_x4.yml", r"Real-?ESRGAN"),
    "ESRGAN": ("esrgan_x4.yml", r"ESRGAN"),
    "SRGAN": ("srgan_x4.yml", r"SRGAN"),
    "EDSR": ("edsr_x2.yml", r"EDSR"),
    "ParagonSR2": ("trainers/paragonsr2_x2.yml", r"Paragon-?SR2"),
}
"""What a page may speak of: a config in examples/, and how the name is written."""
SIZES: Final = {
    "batch.per_gpu": "batch {}",
    "crop.hr": "crop {}",
    "duration.iterations": "{:,} iterations",
}
"""Fields of what is trained that a reader holds against a page's own."""
MOST_READ: Final = 100_000
"""Characters of a page in which names are looked for."""


def named_training(text: str) -> str:
    """Return which training a page speaks of most; "" where it names none that there is an example of."""
    counts = {
        name: len(re.findall(rf"(?<![\w-]){pattern}(?!\w)", text[:MOST_READ], re.IGNORECASE))
        for name, (_, pattern) in EXAMPLES.items()
    }
    name = max(counts, key=lambda named: counts[named])
    return name if counts[name] else ""


def start_from(text: str) -> str:
    """Say which training a page speaks of most, and which example to begin with; "" where it names none."""
    name = named_training(text)
    return f"it is about {name}: fill a copy of trainlint's {_shown(name)}, and lint it" if name else ""


def with_example(pipeline: Pipeline, result: Result, lines: Document | None = None) -> Result:
    """Return the result of prose with what our example of its training comes to on each target.

    `lines` of a page that are part of a config are put into it.
    """
    name = named_training(result.source.text)
    document = example_of(name, lines) if name else None
    jobs = pipeline.jobs(document) if document is not None else ()
    targets = pipeline.targets_of(result.path) if result.target is None else (result.target,)
    judged = [
        reading
        for target in targets
        if jobs
        for reading in pipeline.judge_all(jobs, target, tries=Tries.per_document(1))
    ]
    made = "as it is" if lines is None else "with these lines"
    title = f"{_shown(name)} {made} ({_sizes(jobs[0])})" if judged else ""
    return replace(result, example=tuple(judged), example_title=title)


def _sizes(job: Job) -> str:
    """Say what an example's figures hang on most: "batch 12, crop 256, 100,000 iterations"."""
    values = ((job.spec.get(field), words) for field, words in SIZES.items())
    return ", ".join(words.format(value) for value, words in values if value)


def _shown(name: str) -> str:
    """Return how the example of a training is called."""
    return f"examples/{EXAMPLES[name][0]}"


def example_of(name: str, lines: Document | None = None) -> Document | None:
    """Return the example of a training, with the lines of a page in it: a part of such a config.

    None where the example is not there, or is no config that has each of their keys once.
    """
    from trainlint.config.edit import apply_edits, set_value  # noqa: PLC0415 - for pages alone

    try:
        (document,) = read(load_source(str(resource("examples") / EXAMPLES[name][0])))
        if lines is None:
            return document
        edits = [
            set_value(document, path, value)
            for path, value in ((_place(document, path), value) for path, value in _leaves(lines.value))
            if path is not None
        ]
        if None in edits or len(edits) < len(list(_leaves(lines.value))):
            return None
        text = apply_edits(document.source.text, [edit for edit in edits if edit is not None])
        (edited,) = read(type(document.source)(document.source.path, text))
    except (TrainlintError, ValueError):
        return None
    return edited


def _leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    if isinstance(value, Mapping):
        return [leaf for key, item in value.items() for leaf in _leaves(item, (*path, key))]
    return [(path, value)]


def _place(document: Document, path: Path) -> Path | None:
    """Return where an example has a key of a part of a config; None where it has none, or several."""
    places = [whole for whole in document.places if whole[-len(path) :] == path]
    return places[0] if len(places) == 1 else None
