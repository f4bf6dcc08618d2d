# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text of the constructors that classes with as many fields share, and the module that has most of them.

Compiling one takes 0.25 ms, and what a passing file imports has 37 of them.
"""

from __future__ import annotations

from typing import Final

MOST: Final = 36
"""Fields of the largest class whose constructor is written ahead: the settings have 33."""

HEAD: Final = '''\
# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

# Written by docs/generate.py from lean_shapes.py.
# fmt: off
# mypy: ignore-errors

"""Constructors of so many fields, which `lean.py` gives the names and defaults of a class."""

set = object.__setattr__
MADE = {}

'''


def text(count: int, *, slots: bool, more: bool) -> str:
    """Return what makes the constructor of `count` fields: of `after` and each field's slot or name.

    With `more` it calls `after` with the instance at its end.
    """
    own, given = [f"p{at}" for at in range(count)], [f"f{at}" for at in range(count)]
    lines = [
        f"{put}(self, {value})" if slots else f"set(self, {put}, {value})"
        for put, value in zip(own, given, strict=True)
    ]
    lines += ["after(self)"] if more else []
    return (
        f"def make({', '.join(['after', *own])}):\n"
        f" def __init__({', '.join(['self', *given])}):\n"
        + "".join(f"  {line}\n" for line in lines or ["pass"])
        + " return __init__\n"
    )


def module() -> str:
    """Return the text of lean_constructors.py."""
    each = [(slots, more) for slots in (False, True) for more in (False, True)]
    made = (
        f"{text(count, slots=slots, more=more)}MADE[{count}, {slots}, {more}] = make\n"
        for count in range(MOST + 1)
        for slots, more in each
    )
    return HEAD + "".join(made)
