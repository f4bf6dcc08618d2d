# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How often a run validates, on how many images, and how many of them are computed at once."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.estimate.run.duration import epoch
from trainlint.estimate.run.validation_image import written_pixels
from trainlint.model.facts import Image, Range
from trainlint.model.spec import TrainSpec

UNKNOWN_NUMBER: Final = "how many images validation has is not known (--validation-images N)"
TRAINED_PER_VALIDATED: Final = 9
"""Training images of train_vae.py for each that it validates on: int(0.1 * all) of them (train_vae.py)."""
SPLIT_VALIDATION_DIALECT: Final = "glfcr"
"""The dialect whose validation runs under DataParallel too, in the first process alone under a launcher
(train_CR_kaggle.py)."""


class Validation(Struct, frozen=True):
    """One GPU computes `images` (low, middle, high) `every` so many iterations, `together` at once.

    `assumed`: how many there are is not said, and they are taken to be no more than the training images.
    """

    every: int
    images: Range
    together: int = 1
    assumed: bool = False

    def share(self, image: Range) -> Range:
        """Return the seconds of an iteration's share, by those of an image."""
        low, middle, high = (
            count * seconds_an_image / self.every
            for count, seconds_an_image in zip(self.images, image, strict=True)
        )
        return low, middle, high


def validates(spec: TrainSpec) -> bool:
    """Return whether a run validates at all."""
    return int(spec.get("validation.every") or 0) > 0 or _epochs(spec) > 0


def validation_of(spec: TrainSpec, image: Image, given: int | None) -> Validation | None:
    """Return the validation of a placed spec that validates on such images; None where it is not known.

    `given` is the user's own number of them. A known set may be there in part, and images of a given number
    may be smaller than the largest, and images of one batch share the reading of the weights, of which a tape
    of one image says nothing: the least is nothing, unless one image of one size is computed after the other.
    What comes with epochs is a part of the same data that is held out: no more than there is to train on.
    """
    if "sampling" in spec:  # an image takes as many passes as its sampler has steps
        return None
    if every := int(spec.get("validation.every") or 0):
        count = float(given) if given is not None else _alike(spec, image)
        return None if count is None or every < 1 else Validation(every, (0.0, count, count))
    try:
        every = _epochs(spec) * epoch(spec)
    except CannotTraceError:
        return None
    if every < 1:
        return None
    known = (given, given) if given is not None else _held_out(spec)
    least, middle, most = _on_one(spec, known or (0, int(spec["data.images"])))
    middle = middle if known else (least + most) / 2
    return Validation(every, (least, middle, most), together(spec), assumed=known is None)


def together(spec: TrainSpec) -> int:
    """Return how many images are computed at once: a batch where validation comes with epochs, else one."""
    return max(1, int(spec.get("batch.per_process") or 1)) if _epochs(spec) else 1


def _epochs(spec: TrainSpec) -> int:
    return int(spec.get("options", {}).get("validation_epochs") or 0)


def _on_one(spec: TrainSpec, ends: tuple[int, int]) -> Range:
    """Return how many images one GPU computes; replicas of DataParallel may well save nothing."""
    passes = int(spec.get("options", {}).get("validation_passes") or 1)
    least, most = (passes * count for count in ends)
    if together(spec) > 1:
        least = 0
    gpus, parallel = max(1, int(spec.get("gpus", 1))), spec.get("parallel")
    if parallel == "dp":
        return least / gpus, most / gpus, most
    shared = gpus if parallel == "ddp" and spec.get("dialect") != SPLIT_VALIDATION_DIALECT else 1
    return least / shared, most / shared, most / shared


def _held_out(spec: TrainSpec) -> tuple[int, int] | None:
    """Return the least and the most images that the trainer keeps of those it finds; None: it keeps none."""
    images = int(spec.get("data.images") or 0)
    return (
        ((images - 1) // TRAINED_PER_VALIDATED, images // TRAINED_PER_VALIDATED)
        if spec.get("dialect") == "vae"
        else None
    )


def _alike(spec: TrainSpec, image: Image) -> float | None:
    """Return how many such images have as many pixels as the known sets; None where one is not known."""
    pixels = written_pixels(spec)
    scale = max(1, spec.get("scale") or 1)
    return None if pixels is None else pixels / (image.height * image.width * scale**2)
