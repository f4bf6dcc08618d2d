# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program asserts of values that only the GPU knows: a run that goes well has it so.

`assert torch.all(overlaps >= 0)` says itself what is true; a guess against it would be of a run gone wrong.
So does torch of the parameters and samples of its distributions.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from types import FrameType
from typing import Final, NamedTuple

from trainlint.trace.dry_run.program_place import Place, tree_of

DISTRIBUTIONS: Final = "torch.distributions."
VALIDATE: Final = ("__init__", "_validate_sample")
"""Functions of a distribution that raise a ValueError where a condition does not hold."""
PASSED_THROUGH: Final = ("trainlint.", "torch.", "contextlib")
"""Modules between a read and who reads: a dispatch mode's."""


class _Asserted(NamedTuple):
    """Lines of an assertion, first and last, and what a condition in it has to be."""

    first: int
    last: int
    value: bool


def asserted(place: Place) -> bool | None:
    """Return what a condition that is read at a place has to be; None where no assertion says it."""
    for assertion in _assertions(place.file):
        if assertion.first <= place.line <= assertion.last:
            return assertion.value
    return None


def validates(frame: FrameType | None) -> bool:
    """Return whether torch's innermost function from a frame on outward validates a distribution."""
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith(DISTRIBUTIONS):
        if not str(frame.f_globals.get("__name__")).startswith(PASSED_THROUGH):
            return False
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name in VALIDATE


@lru_cache(maxsize=64)
def _assertions(file: str) -> tuple[_Asserted, ...]:
    """Return the assertions of a file that are plain enough; none where it is no Python that can be read."""
    return tuple(
        _Asserted(node.lineno, node.test.end_lineno or node.lineno, value)
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Assert) and (value := _wanted(node.test)) is not None
    )


def _wanted(test: ast.expr) -> bool | None:
    """Return what each condition in an assertion's test has to be; None where they may differ."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _wanted(test.operand)
        several = isinstance(test.operand, ast.BoolOp)
        return None if inner is None or several else not inner
    if isinstance(test, ast.BoolOp):
        wanted = {_wanted(part) for part in test.values}
        return wanted.pop() if isinstance(test.op, ast.And) and len(wanted) == 1 else None
    return True if isinstance(test, (ast.Call, ast.Compare, ast.Name, ast.Attribute, ast.Subscript)) else None
