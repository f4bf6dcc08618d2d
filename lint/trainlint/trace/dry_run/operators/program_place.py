# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where in the program something happens: the innermost frame that is neither torch's nor ours."""

from __future__ import annotations

from types import FrameType
from typing import Final

OURS: Final = ("torch", "trainlint", "importlib", "contextlib", "functools", "threading")


def place_of(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame from here on outward that belongs to the program or a library of its."""
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in OURS:
        frame = frame.f_back
    return frame
