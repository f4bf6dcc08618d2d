# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Replays how ai-toolkit loads image models, for the room in dialects/extract/loading_bytes.py.

    python -m bench image_loading [--only TEXT]

Prints what is reserved at the most while the denoiser is quantised and while the text encoders are, and
how far that is above the weights alone. Needs torch, diffusers and transformers; no GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from bench.commands import parser_of
from trainlint.catalogue.image_models import image_model
from trainlint.dialects.extract.loading_bytes import ROOM, loading_bytes
from trainlint.estimate.replay.allocator import CachingAllocator, Chunk

MODELS: Final = {
    "flux-dev": ("black-forest-labs/FLUX.1-dev", "flux"),
    "chroma": ("lodestones/Chroma1-HD", "chroma"),
    "sd3-medium": ("stabilityai/stable-diffusion-3-medium-diffusers", "sd3"),
    "sd35-medium": ("stabilityai/stable-diffusion-3.5-medium", "sd3"),
    "sd35-large": ("stabilityai/stable-diffusion-3.5-large", "sd3"),
}
KINDS: Final = {"qfloat8": 8.0, **{f"uint{bits}": bits + 0.375 for bits in range(2, 8)}, "": 16.0}
"""Kinds of weights -> bits of each, with its share of a scale and a zero point; "": not quantised."""
PLACES: Final = ("first", "card", "host", "plain")
GIB: Final = 1 << 30
GROUP: Final = 64
HALF: Final = 2


class Card(CachingAllocator):
    """The allocator, by sizes."""

    def put(self, size: int) -> Chunk:
        """Return a place for a tensor."""
        return self.malloc(size, self.pool(size))

    def quantised(self, net: Sequence[tuple[tuple[int, ...], bool]], kind: str) -> None:
        """Put a network here in 16 bits, then quantise each linear layer with the copies that it takes."""
        held = [(self.put(HALF * _numbers(shape)), shape, linear) for shape, linear in net]
        for weight, shape, linear in held:
            if not linear or not kind:
                continue
            copy = self.put(HALF * _numbers(shape))
            for _ in range(3):  # scaled, rounded, moved by the zero point, clamped: each from the one before
                copy, before = self.put(HALF * _numbers(shape)), copy
                self.free(before)
            for size in _stored(shape, kind):
                self.put(size)
            self.free(copy)
            self.free(weight)
        self.empty_cache()


def loading(
    net: Sequence[Any], encoders: Sequence[Sequence[Any]], kind: str, *, host: bool
) -> tuple[int, int]:
    """Return what is reserved at the most while the denoiser comes, and from then on."""
    card = Card()
    if kind and host:
        for shape, linear in net:
            for size in _stored(shape, kind) if linear else [HALF * _numbers(shape)]:
                card.put(size)
    else:
        card.quantised(net, kind)
    first, card.peak_reserved = card.peak_reserved, card.reserved
    *small, largest = encoders
    card.quantised(largest, kind)
    for encoder in small:
        card.quantised(encoder, "")
    return first, card.peak_reserved


def _stored(shape: tuple[int, ...], kind: str) -> Iterator[int]:
    """Yield the bytes of what a quantised weight is: quanto's, or ai-toolkit's packed ones."""
    weights = _numbers(shape)
    if kind == "qfloat8":
        yield from (weights, HALF * shape[0])
    elif shape[1] % GROUP:
        yield HALF * weights
    else:
        yield sum(-(-weights * part // 8) for part in (4, 2, 1) if int(kind[-1]) & part)
        yield from (HALF * weights // GROUP, weights // GROUP)


def _numbers(shape: tuple[int, ...]) -> int:
    numbers = 1
    for side in shape:
        numbers *= side
    return numbers


def _shapes(net: Any) -> list[tuple[tuple[int, ...], bool]]:
    """Return each parameter's shape, once, and whether it is the weight of a linear layer."""
    linear = {id(module.weight) for module in net.modules() if type(module).__name__ == "Linear"}
    return [(tuple(parameter.shape), id(parameter) in linear) for parameter in net.parameters()]


def main() -> None:
    """Replay each model at each kind, quantised on the host and on the card, and print the largest room."""
    import torch  # noqa: PLC0415 - the options are read without it

    from trainlint_zoo.diffusers.recipes.frozen_parts import built, text_encoder  # noqa: PLC0415

    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", metavar="TEXT")
    only, most = parser.parse_args().only, {family: dict.fromkeys(PLACES, 0.0) for family in ROOM}
    for name, (published, family) in MODELS.items():
        model = image_model(published, family)
        if only not in name or model is None:
            continue
        with torch.device("meta"):
            net = _shapes(built(model.config["network"]))
            encoders = [_shapes(text_encoder(part)) for part in model.config["text_encoders"]]
        for kind, bits in KINDS.items():
            for place in ("host", "card") if kind else ("plain",):
                first, later = loading(net, encoders, kind, host=place == "host")
                said = {"bits": bits, "first": 0, "encoders": "largest" if kind else "all"}
                room = {place: later - loading_bytes(said, model.config, family)[0]}
                if place == "card":
                    room["first"] = first - HALF * int(model.config["network"]["parameters"])
                for part, more in room.items():
                    most[family][part] = max(most[family][part], more / GIB)
                print(f"{name:12} {kind or '16 bits':8} {place:5} {first / GIB:6.2f} {later / GIB:6.2f}")
    for family, rooms in most.items():
        print(
            family, "measured", {part: round(room, 2) for part, room in rooms.items()}, "said", ROOM[family]
        )
