# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The image of a validation: the config's, the setting's, or one that the named set is known to hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.run.benchmark_sets import BENCHMARKS, CUT_SET_WORDS, Benchmark
from trainlint.expressions.patterns import later
from trainlint.model.facts import Image
from trainlint.model.spec import TrainSpec

PARTS: Final = later(r"[\\/]+")
WORD_BREAKS: Final = later(r"[^a-z0-9]+")
MEASURE: Final = later(r"\d{2,}(x\d+)?")
"""A number among the words of a folder: images cut or scaled to it, or a range of them."""
SIZE_GIVEN: Final = "the size given"
SIZE_IN_CONFIG: Final = "the config's own size"
SIZE_FOUND_IN_DATA: Final = "the largest image that --data found"
UNKNOWN_SIZE: Final = "validation image size unknown: --validation-size HxW"
UNKNOWN_IMAGE_SIZE: Final = (
    "the size of the images is not known (--validation-size HxW, or --data FOLDER to look at them)"
)


AT_THE_END: Final = ("last", "last_text", "last_vae")
"""What a script loads for its last images, for the rule last-images-beyond-card: those are not traced."""

Size = tuple[int, int]
"""Height and width in pixels."""


def validation_image(spec: TrainSpec, given: Size | None, seen: Size | None = None) -> Image | None:
    """Return the network's input at validation; None: it does not validate, or the size is unknown.

    `given` is the user's own, `seen` that of the images themselves. A known set's are divided by the scale.
    """
    if "sampling" in spec:
        return _sampled(spec, given)
    if "validation.height" in spec and "validation.width" in spec:
        return Image(spec["validation.height"], spec["validation.width"], SIZE_IN_CONFIG, *_tiles(spec))
    tested = "validation.every" in spec or "validation_epochs" in spec.get("options", {})
    return _image(spec, given, seen) if tested else None


def _sampled(spec: TrainSpec, given: Size | None) -> Image | None:
    """Return the image that is sampled while a network is trained that denoises."""
    how = {key: value for key, value in spec["sampling"].items() if key not in AT_THE_END}
    if how.get("untraced"):
        return None
    basis = str(how.pop("size", SIZE_IN_CONFIG))
    written = spec.get("validation.height"), spec.get("validation.width")
    height, width = written if None not in written else given or (None, None)
    if height is None or width is None:
        return None
    basis = basis if None not in written else SIZE_GIVEN
    return Image(height, width, basis, sampled=tuple(sorted(how.items())))


def tested_image(spec: TrainSpec, given: Size | None, seen: Size | None) -> Image:
    """Return the network's input in a test, as at validation; CannotTraceError where its size is unknown."""
    image = _image(spec, given, seen)
    if image is None:
        raise CannotTraceError(UNKNOWN_IMAGE_SIZE)
    return image


def _tiles(spec: TrainSpec) -> tuple[int, int]:
    return spec.get("validation.tile", 0) or 0, spec.get("validation.overlap", 0) or 0


def _image(spec: TrainSpec, given: Size | None, seen: Size | None) -> Image | None:
    tile, overlap = _tiles(spec)
    if given is not None:
        return Image(*given, SIZE_GIVEN, tile, overlap)
    if seen is not None:
        return Image(*seen, SIZE_FOUND_IN_DATA, tile, overlap)
    scale = spec.get("scale") or 0
    benchmark = known_set(spec.get("validation.sets") or ())
    if benchmark is None or scale < 1 or spec.get("frames", 1) > 1:
        return None
    basis = f"{benchmark.title} has images of {benchmark.width}x{benchmark.height}" + (
        f", x{scale}" if scale > 1 else ""
    )
    return Image(benchmark.height // scale, benchmark.width // scale, basis, tile, overlap)


def written_pixels(spec: TrainSpec) -> int | None:
    """Return the pixels of all images that one validation makes; None where one of its sets is not known."""
    sets = [_recognised(dataset) for dataset in spec.get("validation.sets") or ()]
    pixels = [
        benchmark.images * benchmark.height * benchmark.width for benchmark in sets if benchmark is not None
    ]
    return sum(pixels) if sets and len(pixels) == len(sets) and all(pixels) else None


def known_set(sets: Iterable[Mapping[str, Any]]) -> Benchmark | None:
    """Return the known set of the largest images among a config's validation sets ({name, folders})."""
    benchmarks = [benchmark for dataset in sets if (benchmark := _recognised(dataset)) is not None]
    return max(benchmarks, key=lambda benchmark: benchmark.height * benchmark.width, default=None)


def _recognised(dataset: Mapping[str, Any]) -> Benchmark | None:
    """Return the set that the folders name, the deepest folder first; else the one that its name names."""
    name = _words(dataset.get("name"))
    for folder in _texts(dataset.get("folders")):
        deeper: set[str] = set()
        for part in reversed(PARTS.split(folder)):
            deeper |= _words(part)
            if (benchmark := _named(_words(part))) is not None:
                return None if _cut(deeper | name) else benchmark
    return None if _cut(name) else _named(name)


def _named(words: set[str]) -> Benchmark | None:
    return next((benchmark for benchmark in BENCHMARKS if benchmark.words & words), None)


def _cut(words: set[str]) -> bool:
    return bool(CUT_SET_WORDS & words) or any(MEASURE.fullmatch(word) for word in words)


def _words(text: Any) -> set[str]:
    return set(WORD_BREAKS.split(text.lower())) if isinstance(text, str) else set()


def _texts(folders: Any) -> Iterator[str]:
    """Yield the folders, which a config writes as one, as a list, or not at all."""
    for folder in folders if isinstance(folders, list | tuple) else (folders,):
        if isinstance(folder, str):
            yield folder
        elif isinstance(folder, list | tuple):
            yield from _texts(folder)
