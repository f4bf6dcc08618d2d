# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the time of a step goes, class of kernels by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.model.facts import ASSUMED_IMAGES, Range, Time
from trainlint.model.units import seconds
from trainlint.report.aligned_columns import columns_of
from trainlint.report.brief.calendar_time import run_hours

CLASSES: Final[Mapping[str, str]] = {
    "conv": "dense convolutions",
    "conv winograd": "3x3 convolutions in fp32",
    "conv-grouped": "grouped convolutions",
    "conv-grouped 32": "grouped convolutions, 32 groups or a multiple",
    "conv-depthwise": "depthwise convolutions",
    "conv-depthwise fp32": "depthwise convolutions in fp32",
    "matmul": "products of matrices",
    "attention": "fused attention",
    "norm": "normalisation",
    "memory": "everything that moves bytes",
}
"""Classes of kernels in words; docs/step_times.md has their factors."""
CHANNELS_LAST: Final = " nhwc"
HOST: Final = (
    "the host's part is a range from ten machines of 2018 to 2021 (docs/step_times.md); "
    "calibration replaces it by yours"
)


def render_time(time: Time) -> Iterator[str]:
    """Yield the seconds of a step by class, the longest first, and what else the run's time is made of."""
    total = sum(time.classes.values())
    if not total:
        return
    yield f"a step takes {_range(time.step_seconds)}; its kernels on the slowest GPU, as estimated:"
    ranked = sorted(time.classes.items(), key=lambda entry: -entry[1])
    rows = [(_name(kind), seconds(taken), f"{taken / total:.0%}") for kind, taken in ranked]
    yield from (f"  {line}" for line in columns_of(rows))
    if time.host_bound:
        yield "starting the kernels takes longer than they run: a larger batch would cost little time"
        if not time.measured:
            yield HOST
    if time.loading is not None:
        yield f"loading takes {_range(time.loading.seconds)} a step, at the same time ({time.loading.basis})"
    if time.image_seconds is not None:
        yield f"the network takes {_range(time.image_seconds)} for a validation image"
    if time.validation_hours is not None:
        images = f" ({ASSUMED_IMAGES})" if time.validation_assumed else ""
        yield f"validation takes {run_hours(time.validation_hours)} of the run{images}, metrics not counted"
    if time.saving_hours is not None:
        yield f"writing checkpoints takes {run_hours(time.saving_hours)} of the run, by the disk's speed"
    if time.start_hours is not None:
        yield f"torch.compile takes {run_hours(time.start_hours)} of it, at every start"


def _name(kind: str) -> str:
    plain = kind.removesuffix(CHANNELS_LAST)
    return f"{CLASSES[plain]}{', channels last' if plain != kind else ''}"


def _range(values: Range) -> str:
    low, middle, high = (seconds(value) for value in values)
    return f"{middle} ({low} to {high})"
