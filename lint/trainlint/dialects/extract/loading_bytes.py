# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is on the card while a trainer loads an image model: a moment of its own, before the first step.

The denoiser as it is stored and the text encoders are there at once, whatever is cached and taken away later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ENCODER_BITS: Final = 16
"""Of a weight: ai-toolkit's text encoders come onto the card in 16 bits, or in more."""
ROOM: Final[Mapping[str, Mapping[str, float]]] = {
    "flux": {"first": 0.65, "card": 1.1, "host": 1.25, "plain": 0.2},
    "chroma": {"first": 0.65, "card": 1.3, "host": 1.2, "plain": 0.2},
    "sd3": {"first": 0.9, "card": 1.9, "host": 0.8, "plain": 0.7},
}
"""GiB beyond the weights, by family: copies of a layer that is quantised, and what the allocator cannot use.

"first" is while the denoiser is quantised on the card, the others once the text encoders are there, by where
it was quantised: `python -m bench image_loading`, five models at eight kinds. The VAE (0.16) is in "plain".
"""
CONTEXT: Final = 552 << 20
"""Of CUDA, at the most that is known of a card (gpus.toml)."""
UNKNOWN_ROOM: Final = ROOM["sd3"]
"""Of the families that are not replayed, which are smaller."""


def loading_bytes(loading: Mapping[str, Any], config: Mapping[str, Any], family: str) -> tuple[int, int]:
    """Return the least and the most that loading takes.

    `loading` has the `bits` of a stored weight, those that it had `first` where it is quantised on the card
    (0 elsewhere), and which `encoders` are there together: "all" or the "largest", in 16 bits or in
    `encoder_bits`; where it hangs on transformers, in up to `most_encoder_bits`. `more` bytes may be there as
    well.
    """
    network, room = int(config["network"]["parameters"]), ROOM.get(family, UNKNOWN_ROOM)
    bits = int(loading.get("encoder_bits", ENCODER_BITS))
    encoders = [bits * int(part["parameters"]) // 8 for part in config["text_encoders"]]
    wider = int(loading.get("most_encoder_bits", bits)) / bits
    first, stored = network * int(loading["first"]) // 8, int(network * float(loading["bits"])) // 8
    text = sum(encoders) if loading["encoders"] == "all" else max(encoders)
    later = stored + text
    place = "card" if first else "plain" if loading["bits"] >= ENCODER_BITS else "host"
    most = max(
        first + _bytes(room["first"]) if first else 0, stored + int(text * wider) + _bytes(room[place])
    )
    return max(first, later), most + int(loading.get("more", 0)) + CONTEXT


def again_bytes(sampling: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    """Return what a script loads at the end that is not there for images between steps, at the least.

    `sampling` has the bits of a weight: `last` of the network, with those that it is converted to where it
    trained, `last_text` of the text encoders, `last_vae` of the VAE.
    """
    of = {"last": [config["network"]], "last_text": config["text_encoders"], "last_vae": [config["vae"]]}
    return sum(
        int(sampling.get(bits, 0)) * int(part["parameters"]) // 8
        for bits, parts in of.items()
        for part in parts
    )


def _bytes(gib: float) -> int:
    return int(gib * (1 << 30))
