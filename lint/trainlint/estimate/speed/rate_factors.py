# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How far below a card's rates its kernels stay: measured figures, read from factors.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from trainlint.estimate.speed.kernel_class import COMPUTE, WINOGRAD
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.shipped import compiled
from trainlint.shipped.kept_data import FACTORS
from trainlint.shipped.resource_paths import PACKAGE

NAME: Final = "factors"
FILE: Final = PACKAGE / FACTORS


class LoadingFactors(Struct, frozen=True):
    """Figures of factors.toml's [loading], each of one core.

    `decode`: seconds of a megapixel by format, least and most, and of one that is `scaled`; `patch`:
    seconds of a sample of three GeoTIFF files, without and with masks; `file` and `lmdb`: seconds to get an
    image's bytes; `machines`: how many times as fast or as slow another machine's core may be; `further`:
    what each worker after the first adds, at the least; `largest`: pixels of the largest usual image.
    """

    decode: Mapping[str, tuple[float, float]]
    patch: Mapping[str, tuple[float, float]]
    file: float
    lmdb: float
    machines: float
    further: float
    largest: int


class SpeedFactors(Struct, frozen=True):
    """Figures of factors.toml, which says where each is from.

    `classes`: time taken over the time at the card's rates, by class; `kernel`: seconds a kernel takes
    at the least; `forward`: seconds in which Python calls and launches an operator of a forward; `other`:
    the same of all others, which autograd or an optimizer launches; `walked`: seconds in which Python
    gathers a tensor for an optimizer that computes many at a time; `own_host`: how far a step's may be from
    those of one machine, as a factor; `link`: bytes/s between two cards;
    `untuned`: how many times as long convolutions take without cudnn.benchmark; `compiled`: how many
    times as fast torch.compile may make a step; `compiling`: seconds of that at a start; `disk`:
    bytes/s at which a checkpoint is written; `loading`: those of the loader; `spread`: how far the
    truth lies from the middle, as a factor, by what is known of the card; `cards`: by GPU, its kernels'
    share of its rates next to the reference's, for compute and for memory.
    """

    classes: Mapping[str, float]
    kernel: float
    forward: Range
    other: Range
    walked: Range
    own_host: float
    link: Range
    untuned: Range
    compiled: float
    compiling: Range
    disk: Range
    spread: Mapping[str, float]
    reference: str
    loading: LoadingFactors
    cards: Mapping[str, tuple[float, float]]

    def of(self, kind: str, gpu: Gpu) -> float:
        """Return how many times as long as at the card's rates kernels of a class take (1 = at its rates)."""
        if kind == WINOGRAD and gpu.tf32:
            kind = "conv"
        compute, memory = self.cards.get(gpu.name, (1.0, 1.0))
        return self.classes[kind] / (compute if kind.split(maxsplit=1)[0] in COMPUTE else memory)

    def spread_of(self, gpu: Gpu) -> float:
        """Return the factor by which a step on this card may be slower or faster than the middle estimate."""
        if gpu.name == self.reference:
            return self.spread["reference"]
        return self.spread["known" if gpu.name in self.cards else "other"]


def shipped_factors() -> dict[str, Any]:
    """Return factors.toml as it is written."""
    import tomli  # noqa: PLC0415 - where they were not kept yet

    return tomli.loads(FILE.read_text(encoding="utf-8"))


@cache
def factors() -> SpeedFactors:
    """Return the figures of factors.toml."""
    table = compiled.data().tables.get(NAME) or shipped_factors()
    return SpeedFactors(
        classes=table["class"],
        kernel=table["kernel"]["seconds"],
        forward=_range(table["host"]["forward"]),
        other=_range(table["host"]["other"]),
        walked=_range(table["host"]["walked"]),
        own_host=table["host"]["own"],
        link=_range(table["link"]["bytes_per_second"]),
        untuned=_range(table["untuned"]["times_as_long"]),
        compiled=table["compiled"]["times_as_fast"],
        compiling=_range(table["compiled"]["seconds"]),
        disk=_range(table["disk"]["bytes_per_second"]),
        spread=table["spread"],
        reference=table["reference"]["gpu"],
        loading=_loading(table["loading"]),
        cards={name: (card["compute"], card["memory"]) for name, card in table["gpu"].items()},
    )


def _loading(table: Mapping[str, Any]) -> LoadingFactors:
    return LoadingFactors(
        decode={name: _ends(ends) for name, ends in table["decode"].items()},
        patch={name: _ends(ends) for name, ends in table["patch"].items()},
        file=table["file"],
        lmdb=table["lmdb"],
        machines=table["machines"],
        further=table["further"],
        largest=table["largest"],
    )


def _ends(values: list[float]) -> tuple[float, float]:
    least, most = values
    return least, most


def _range(values: list[float]) -> Range:
    low, middle, high = values
    return low, middle, high
