# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--target 48GiB`: a card of which only the memory is known."""

from __future__ import annotations

import re
from typing import Final

from trainlint.errors import UsageError
from trainlint.expressions.patterns import later
from trainlint.hardware.memory_seen_by_torch import MIB, torch_mib
from trainlint.hardware.unlisted_card import unlisted
from trainlint.model.target import Gpu

SIZE: Final = later(r"\s*([+-]?[\d.,]{1,20}(?:e[+-]?\d{1,4})?)\s*([kmgtp]i?b)\s*", re.IGNORECASE)
UNITS: Final = {"m": MIB, "g": 1024 * MIB}
"""What is sold as 24 GB has 24 x 2^30 bytes, of which the driver keeps some; 24GiB is what torch sees."""
LEAST_BYTES: Final = 1024 * MIB
LARGEST_MEMORY: Final = 1024 * 1024 * MIB
ASSUMED_CAPABILITY: Final = 8.6
"""Ampere as on desktops: FlashAttention in half precision, small tiles in memory-efficient attention, 8 MiB
for cuBLAS (32 from Hopper on), so that other generations need as much or more."""

SOURCE: Final = (
    "the size is what torch sees (1 to 11 % less than cards are sold with);"
    " judged as an Ampere card; time and disk are unknown"
)
SOLD: Final = "as sold, less what drivers keep of it; judged as an Ampere card; time and disk are unknown"
BASIS: Final = (
    "no context is known for a size alone: this is the RTX 5090's, its ends are the least and the most seen"
)


def card_of_size(name: str) -> Gpu | None:
    """Return a card of the size that a name is ("48GiB", "24576 MiB"); None where it is no size.

    Its rates are not known, so no time follows. Raises UsageError for a size that no card has.
    """
    match = SIZE.fullmatch(name)
    if match is None:
        return None
    number, unit = match[1], match[2][0].lower()
    try:
        size = round(float(number) * UNITS[unit])
    except (KeyError, ValueError):
        size = 0
    if not LEAST_BYTES <= size <= LARGEST_MEMORY:
        raise UsageError(
            f'target "{name.strip()}": expected a size from 1GiB to 1024GiB, as 48GiB or 24576MiB'
        )
    text = f"{size / UNITS['g']:g}"
    if match[2][1].lower() == "b":
        size = torch_mib(size // MIB) * MIB
        return unlisted(f"{text}GB", f"card of {text} GB", size, ASSUMED_CAPABILITY, source=SOLD, basis=BASIS)
    return unlisted(f"{text}GiB", f"card of {text} GiB", size, ASSUMED_CAPABILITY, source=SOURCE, basis=BASIS)
