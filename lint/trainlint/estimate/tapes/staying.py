# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a trace in this process must not do, whoever wrote the recipe: leave the process, or train nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from typing import Final

from trainlint.errors import CannotTraceError
from trainlint.tape import Tape

GRADIENTS: Final = "gradients"
"""What trace/optimizers.py calls them on a tape."""
TEST: Final = "Testing"
"""The recipe that plays a test, under its dialect's name (trainlint_zoo/basicsr/recipes/testing.py)."""


@contextmanager
def staying() -> Iterator[None]:
    """Turn a `sys.exit` of what runs inside into CannotTraceError with its file and line."""
    try:
        yield
    except SystemExit as error:
        frame, line = list(walk_tb(error.__traceback__))[-1]
        raise CannotTraceError(
            f"{frame.f_code.co_filename}:{line} ends the process (SystemExit: {error.code}), "
            "which a network or a recipe may not do"
        ) from error


def trained(tape: Tape) -> Tape:
    """Return a tape that has gradients, or is a test's, which has none.

    Raises CannotTraceError for any other: its peak would be that of half a step.
    """
    name = str(tape.step.get("recipe", ""))
    if any(block.kind == GRADIENTS for block in tape.blocks) or name.endswith(f".{TEST}"):
        return tape
    raise CannotTraceError(
        f'the recipe "{name}" trains nothing: no parameter gets a gradient; '
        "expected a loss's backward() and the optimizer's step() in train_step"
    )
