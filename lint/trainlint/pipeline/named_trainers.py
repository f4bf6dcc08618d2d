# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trainings that a page of prose names, and the example of ours to start from."""

from __future__ import annotations

import re
from typing import Final

EXAMPLES: Final = {
    "Real-ESRGAN": ("realesrgan_x4.yml", r"Real-?ESRGAN"),
    "ESRGAN": ("esrgan_x4.yml", r"ESRGAN"),
    "SRGAN": ("srgan_x4.yml", r"SRGAN"),
    "EDSR": ("edsr_x2.yml", r"EDSR"),
}
"""What a page may speak of: a config in examples/, and how the name is written."""
MOST_READ: Final = 100_000
"""Characters of a page in which names are looked for."""


def start_from(text: str) -> str:
    """Say which training a page speaks of most, and which example to begin with; "" where it names none."""
    counts = {
        name: len(re.findall(rf"(?<![\w-]){pattern}(?!\w)", text[:MOST_READ], re.IGNORECASE))
        for name, (_, pattern) in EXAMPLES.items()
    }
    name = max(counts, key=lambda named: counts[named])
    if not counts[name]:
        return ""
    return f"it is about {name}: fill a copy of trainlint's examples/{EXAMPLES[name][0]}, and lint it"
