# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers beyond sense: a slip of the pen, with which nothing is worked out.

What no machine could hold is wrong; a run without an end is a remark, and the rest of its config is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.dialects.messages.value_wording import brief, dotted
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.spec import TrainSpec, Value

RULE: Final = "number-beyond-sense"

SAMPLES: Final = 10_000_000
"""Of 8 by 8 pixels they take 8 GB, and one layer of 64 channels over them 160: more than any card has."""

LARGEST_SIDE: Final = 100_000
"""Pixels: one image of that side takes 120 GB as float32."""

PROCESSES: Final = 4_194_304
"""Linux gives no process a higher number (PID_MAX_LIMIT)."""

MOST_STEPS: Final = 1_000_000_000_000
"""Steps: at a thousand a second they take 30 years."""

SIZES: Final[Mapping[str, tuple[int, str]]] = {
    **dict.fromkeys(("batch.per_gpu", "batch.per_process", "batch.total"), (SAMPLES, "samples")),
    "prefetch.batches": (SAMPLES, "batches"),
    "data.pool_size": (10 * SAMPLES, "samples"),
    **dict.fromkeys(
        (
            "crop.hr",
            "crop.lq",
            "crop.hr_width",
            "crop.lq_width",
            "image.side",
            "image.height",
            "image.width",
            "validation.height",
            "validation.width",
        ),
        (LARGEST_SIDE, "pixels"),
    ),
    "sequence.length": (SAMPLES, "tokens"),
    "adapter.rank": (LARGEST_SIDE, "directions"),
    "scale": (1_000, "times"),
    "frames": (LARGEST_SIDE, "frames"),
    "channels": (LARGEST_SIDE, "channels"),
    "gpus": (100_000, "GPUs"),
    **dict.fromkeys(("workers.per_gpu", "workers.per_process", "workers.total"), (PROCESSES, "processes")),
    "networks.generator.args": (SAMPLES, "of anything that a network is built of"),
    "networks.discriminator.args": (SAMPLES, "of anything that a network is built of"),
    "stages": (SAMPLES, "samples or pixels"),
}
"""The field of the spec -> the most of it that could be, and of what."""

DURATIONS: Final[Mapping[str, tuple[int, str]]] = {
    "duration.iterations": (MOST_STEPS, "iterations"),
    "duration.epochs": (MOST_STEPS, "epochs"),
    "data.images": (MOST_STEPS, "images"),
    "data.enlarge": (MOST_STEPS, "times the images"),
}


def in_sense(spec: TrainSpec, document: Document) -> tuple[TrainSpec, tuple[Problem, ...]]:
    """Return the spec without numbers beyond sense, and one problem for each place where one is written."""
    problems: dict[Path, Problem] = {}
    kept: dict[str, Value] = {}
    for name, value in spec.fields.items():
        most = SIZES.get(name) or DURATIONS.get(name)
        wrong = list(beyond(value.value, most[0])) if most else []
        if not wrong or name.endswith(".args"):  # without them the network would lack what it has
            kept[name] = value
        if most is None or not value.paths:
            continue
        for path, number in wrong:
            place = _written(document, value.paths[0], path)
            problems.setdefault(place, problem(place, number, most, harmless=name in DURATIONS))
    return TrainSpec(kept), tuple(problems.values())


def problem(path: Path, number: float, most: tuple[int, str], *, harmless: bool) -> Problem:
    """Return what is said of a number beyond sense."""
    end = "the duration is not estimated" if harmless else "nothing is estimated with it"
    message = (
        f'"{dotted(path)}" is {brief(number)}, and no run takes more than {most[0]:,} {most[1]}: '
        f"{end}; write the number that was meant"
    )
    return Problem(RULE, message, path, harmless=harmless)


def beyond(value: Any, most: int) -> Iterator[tuple[Path, float]]:
    """Yield (path, number) for the numbers in a value that are further from 0 than `most`."""
    todo: list[tuple[Path, Any]] = [((), value)]
    while todo:
        path, item = todo.pop()
        if isinstance(item, Mapping):
            todo.extend(((*path, key), part) for key, part in item.items())
        elif isinstance(item, list | tuple):
            todo.extend(((*path, index), part) for index, part in enumerate(item))
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) > most:
            yield path, item


def _written(document: Document, parent: Path, path: Path) -> Path:
    """Return the place of a part of a field's value, as far as the file has it there."""
    while path and (*parent, *path) not in document.places:
        path = path[:-1]
    return (*parent, *path)
