# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that nobody wrote: damaged configs, and trees whose settings, rules and profiles are hostile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from bench.hostile.case import Case
from bench.hostile.damage import damaged
from bench.hostile.texts import Base, own_texts
from bench.hostile.trees import hostile_tree

NAMES = ("x.yml", "x.json", "x.toml", "x.sh", "x.md", "x.ipynb", "x", "\u202e\n::error::x.yml")
"""Other names for a file: as another format, or hostile."""


@st.composite
def spliced_file(draw: st.DrawFn, bases: Sequence[Base]) -> Case:
    """Draw one damaged file, at times with a piece of another in it, or under another's name."""
    name, data = draw(st.sampled_from(bases))
    if draw(st.integers(0, 9)) == 0:
        _, other = draw(st.sampled_from(bases))
        at, start = draw(st.integers(0, len(data))), draw(st.integers(0, len(other)))
        data = data[:at] + other[start : start + draw(st.sampled_from([20, 200, 2000]))] + data[at:]
    if draw(st.integers(0, 19)) == 0:
        name = draw(st.sampled_from(NAMES))
    return Case(((name, damaged(data, draw)),))


@st.composite
def cases(draw: st.DrawFn, bases: Sequence[Base], one_tree_in: int = 24) -> Case:
    """Draw a damaged file, or now and then a hostile tree."""
    tree = draw(st.integers(1, one_tree_in)) == 1
    return draw(hostile_tree(own_texts()) if tree else spliced_file(bases))


def kept(folder: Path) -> list[tuple[str, Case]]:
    """Return the cases that a folder keeps, by name."""
    return [(path.stem, Case.decoded(path.read_text("utf-8"))) for path in sorted(folder.glob("*.json"))]
