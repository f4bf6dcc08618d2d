# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where in the program something happens: the innermost frame that is neither torch's nor ours."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

SKIPPED_MODULES: Final = ("torch", "trainlint", "importlib", "contextlib", "functools", "threading")


CALLERS: Final = 5
"""Callers of a place that are told with it."""


class Place(NamedTuple):
    """A line of a function that runs."""

    file: str
    line: int
    function: str


@lru_cache(maxsize=64)
def tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file; an empty one where it is no Python that can be read."""
    try:
        return ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def place_of(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame from here on outward that belongs to the program or a library of its."""
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in SKIPPED_MODULES:
        frame = frame.f_back
    return frame


def places_of(frame: FrameType | None) -> tuple[Place, ...]:
    """Return a place of the program and its callers there, innermost first."""
    places: list[Place] = []
    while frame is not None and len(places) <= CALLERS:
        places.append(Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = place_of(frame.f_back)
    return tuple(places)
