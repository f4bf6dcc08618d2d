# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long the host takes to prepare one step's samples: images fetched, decoded whole, and cut."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.decoded_files import SCALING_SETS, SHRINKING_SETS, decoded_by, frames_of
from trainlint.estimate.run.validation_image import known_set
from trainlint.estimate.speed.rate_factors import LoadingFactors, factors
from trainlint.model.facts import Loading
from trainlint.model.spec import TrainSpec, crop_pixels
from trainlint.model.target import Target

PATCHES: Final = {"aligneddataset": "plain", "aligneddataset with masks": "masked"}
"""GLF-CR's (codes/dataloader.py), by what they take (factors.toml); half of the workers are validation's."""

LMDB: Final = "lmdb"
"""How the folder of a database ends: BasicSR and traiNNer-redux insist on it, neosr takes it for one."""

MEGAPIXEL: Final = 1e6
FEWEST_CORES: Final = 2
"""Cores that come with each GPU at the least: those of Kaggle's and Colab's (gpus.toml)."""


class _Images(Struct, frozen=True):
    """The megapixels of a target, least and most, and how they and the format are known."""

    least: float
    most: float
    formats: frozenset[str]
    basis: str
    assumed: bool = False


def loading_of(spec: TrainSpec, target: Target, seen: Mapping[str, Any]) -> Loading:
    """Return how long the loader of a placed spec takes for one step, from page cache to crop.

    `seen` is what a look at the data found (--data). The workers run side by side on as many cores as
    there are, or FEWEST_CORES a GPU to a worker each where not said; without any the main process loads.
    The low end takes the fastest machine and the smallest images that are possible. Raises CannotTraceError
    where the workers or what is loaded is not known.
    """
    if "workers.total" not in spec or "batch.total" not in spec:
        raise CannotTraceError("the loader's workers or its batch are not known")
    (least, most), basis, assumed = _sample(spec, seen)
    rates, samples = factors().loading, int(spec["batch.total"]) * int(spec.get("accumulate") or 1)
    fewest = most_lanes = target.cpu_cores
    if target.cpu_cores is None:
        fewest = FEWEST_CORES * max(1, target.gpu_count)
        basis += f"; how many cores the machine has is not known: {fewest} or more"
    fast, slow = _lanes(spec, most_lanes), _lanes(spec, fewest)
    low = samples * least / rates.machines / fast
    high = samples * most * rates.machines / (1 + (slow - 1) * rates.further)
    return Loading((low, sqrt(low * high), high), basis, assumed, target.cpu_cores is not None)


def _sample(spec: TrainSpec, seen: Mapping[str, Any]) -> tuple[tuple[float, float], str, bool]:
    """Return the seconds of a core for one sample, least and most, how they are known, and if by a guess."""
    kind, rates = _kind(spec), factors().loading
    if kind in PATCHES:
        return rates.patch[PATCHES[kind]], "three GeoTIFF files of 256x256 a sample", False
    decoded = decoded_by(kind, spec.get("frames") or 1, max(1, int(spec.get("scale") or 1)))
    if decoded is None:
        named = f"of type {spec['data.kind']} " if "data.kind" in spec else ""
        raise CannotTraceError(f"what a data set {named}decodes is not known")
    images = _images(spec, seen)
    fetch = rates.lmdb if str(spec.get("data.root") or "").rstrip("/").endswith(LMDB) else rates.file
    least, most = (
        decoded.files * fetch + pixels * decoded.targets * rate
        for pixels, rate in zip((images.least, images.most), _decode(rates, images.formats), strict=True)
    )
    if kind in SHRINKING_SETS:
        quick, slow = rates.decode["shrunk"]
        least, most = least + images.least * quick, most + images.most * slow
    if kind in SCALING_SETS:  # a random crop of it may be tiny; a side that the network decides is left out
        side, (quick, slow) = crop_pixels(spec, "crop.lq") / MEGAPIXEL, rates.decode["scaled"]
        least, most = least + side * quick, most + max(side, images.most) * slow
    return (least, most), images.basis, images.assumed


def _kind(spec: TrainSpec) -> str:
    return str(spec.get("data.kind") or "").lower()


def decoded_pixels(spec: TrainSpec, seen: Mapping[str, Any]) -> tuple[float, float]:
    """Return the pixels that a worker holds decoded: of the largest image, of a sample's; 0 where not known.

    Of a pair one image is in memory at a time, of a clip all of its frames until they are cropped.
    """
    kind, frames = _kind(spec), int(spec.get("frames") or 1)
    decoded = decoded_by(kind, frames, max(1, int(spec.get("scale") or 1)))
    if decoded is None:
        return 0, 0
    try:
        largest = _images(spec, seen).most * MEGAPIXEL
    except CannotTraceError:
        return 0, 0
    return largest, largest if frames_of(kind, frames) is None else largest * decoded.targets


def _lanes(spec: TrainSpec, cores: int | None) -> int:
    """Return how many images are decoded at once: a worker each, or the processes where there is none.

    `cores` bounds them, None: nothing does.
    """
    processes = max(1, int(spec.get("gpus", 1))) if spec.get("parallel") == "ddp" else 1
    workers = int(spec["workers.total"]) // (2 if _kind(spec) in PATCHES else 1)
    lanes = workers or processes
    return max(1, lanes if cores is None else min(lanes, cores))


def _decode(rates: LoadingFactors, formats: frozenset[str]) -> tuple[float, float]:
    """Return the least and the most seconds of a megapixel in one of the formats."""
    ends = [rates.decode[name] for name in sorted(formats)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _images(spec: TrainSpec, seen: Mapping[str, Any]) -> _Images:
    """Return the images of the training set: those that were looked at, those of a known set, or a guess."""
    either = frozenset({"png", "jpeg"})
    if seen.get("pixels"):
        pixels, jpegs = seen["pixels"] / MEGAPIXEL, seen.get("jpegs", 0)
        formats = frozenset({"jpeg"} if jpegs == 1 else {"png"} if jpegs == 0 else either)
        return _Images(pixels, pixels, formats, f"images of {pixels:.2f} megapixels, looked at")
    known = known_set([{"name": "", "folders": spec.get("data.root")}])
    if known is not None:
        pixels = known.height * known.width / MEGAPIXEL
        basis = f"{known.title} has PNG images of {known.width}x{known.height}"
        return _Images(pixels, pixels, frozenset({"png"}), basis)
    if "crop.hr" not in spec or _kind(spec) in SCALING_SETS:
        raise CannotTraceError("the size of the training images is not known (--data ROOT looks at them)")
    largest = factors().loading.largest / MEGAPIXEL
    least = crop_pixels(spec, "crop.hr") / MEGAPIXEL
    basis = "assumed: images between the crop's size and DIV2K's; --data ROOT looks at yours"
    return _Images(least, max(least, largest), either, basis, assumed=True)
