# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The side of a step's crop: which of its sizes follow it, and the same step at another side."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, lcm
from typing import Any, Final

from trainlint.tape.crops import input_shapes
from trainlint.tape.step import MODEL_CONFIG, key_of

WIDTH_FIELDS: Final = ("crop.lq_width", "crop.hr_width")
"""Widths of crops that are no squares, whose heights the fields of these names without the ending are."""

SIDE_FIELDS: Final = (
    *("crop.lq", "crop.hr", "sequence.length", "image.side", "image.height", "image.width"),
    *WIDTH_FIELDS,
)
"""Fields of a step that follow the side, which is the first one present; of text it is a sample's tokens."""

SIZE_WORDS: Final = ("size", "resolution")
"""Words in the name of an argument that gives an image's size: SwinIR keeps a mask for its img_size."""


class NotPolynomialError(Exception):
    """A tape at this side does not follow from those at others; the message says why."""


def side_of(step: Mapping[str, Any]) -> int:
    """Return the pixels of a crop's side; 0 where a step has none.

    Of an input that is written as a shape that is the first image's height.
    """
    if _options(step).get("input"):
        return next(iter(input_shapes.sizes(_options(step)).values()), 0)
    return next((int(step[name]) for name in SIDE_FIELDS if step.get(name)), 0)


def _options(step: Mapping[str, Any]) -> Mapping[str, Any]:
    options = step.get("options")
    return options if isinstance(options, Mapping) else {}


def crops_of(step: Mapping[str, Any]) -> list[int]:
    """Return all sizes of a step that follow its side."""
    written = input_shapes.sizes(_options(step)) if _options(step).get("input") else {}
    return [*(int(step[name]) for name in SIDE_FIELDS if name in step), *written.values()]


def at_side(step: Mapping[str, Any], side: int) -> dict[str, Any]:
    """Return a step at another side; NotPolynomialError where a crop is no whole multiple of it."""
    present, crops = side_of(step), {name: int(step[name]) for name in SIDE_FIELDS if name in step}
    if any(crop * side % present for crop in crops_of(step)):
        raise NotPolynomialError(f"crops of {sorted(crops_of(step))} pixels do not go with a side of {side}")
    resized = {**step, **{name: crop * side // present for name, crop in crops.items()}}
    if options := _options(step):
        sizes = input_shapes.sizes(options) if options.get("input") else {}
        changed = {place: size * side // present for place, size in sizes.items()}
        resized["options"] = input_shapes.resized(options, changed) if changed else options
    return resized


def grain_of(step: Mapping[str, Any]) -> int:
    """Return the least pixels by which a side grows so that its other sizes stay whole; 1 without one."""
    side = side_of(step)
    if not side:
        return 1
    return lcm(1, *(side // gcd(side, crop) for crop in crops_of(step)))


def family_key(step: Mapping[str, Any], period: int) -> str:
    """Return the key of all steps that are alike but for crops, whose sides are alike modulo a period."""
    crops = crops_of(step)
    shared = gcd(*crops)
    rest = {name: value for name, value in step.items() if name not in SIDE_FIELDS}
    if sizes := input_shapes.sizes(_options(step)):
        rest["options"] = input_shapes.resized(_options(step), dict.fromkeys(sizes, 0))
    if widths := [name for name in WIDTH_FIELDS if name in step]:
        rest["widths"] = widths
    return key_of(
        {**rest, "crops": [crop // shared for crop in crops], "side": [side_of(step) % period, period]}
    )


def names_side(step: Mapping[str, Any]) -> bool:
    """Return whether an argument of a step's networks gives the size of its crops: img_size, resolution.

    A language model's sizes are of vectors: one of 4096 features takes 4096 tokens like any other number.
    """
    return not named_sizes(step).isdisjoint(crops_of(step))


def named_sizes(step: Mapping[str, Any]) -> set[int]:
    """Return the sizes of images that arguments of a step's networks give."""
    return _sizes({name: value for name, value in step.items() if name != MODEL_CONFIG})


def _sizes(value: Any, name: str = "") -> set[int]:
    """Return the whole numbers that a step's arguments give as sizes of images: img_size, resolution."""
    if isinstance(value, Mapping):
        return set().union(*(_sizes(item, key) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return set().union(*(_sizes(item, name) for item in value))
    is_size = isinstance(value, int) and any(word in name for word in SIZE_WORDS)
    return {value} if is_size else set()
