# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lines of prompts with flags of their own: `a castle --w 1024 --h 768 --l 7.5`.

Read: kohya-ss/sd-scripts 48d368f, library/train_util.py (line_to_prompt_dict, load_prompts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from trainlint.expressions.patterns import later

BETWEEN_FLAGS: Final = " --"
FLAG: Final = later(r"([a-zA-Z]+) (\d+(?:\.\d*)?|\.\d+)")
WHOLE: Final = later(r"\d+")


def lines_of(text: str) -> Sequence[str]:
    """Return the prompts of a text, one a line; a line that begins with # is none."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def prompt_of(line: str, flags: Mapping[str, str]) -> dict[str, Any]:
    """Return what the flags of a line say, each under the name that `flags` has for it."""
    said: dict[str, Any] = {}
    for part in line.split(BETWEEN_FLAGS):
        match = FLAG.match(part)
        name = flags.get(match[1].lower()) if match is not None else None
        if match is not None and name is not None:
            said[name] = int(match[2]) if WHOLE.fullmatch(match[2]) else float(match[2])
    return said
