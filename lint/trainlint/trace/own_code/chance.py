# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Random numbers that a repository's code draws on the host, from Python's or numpy's generator.

torch's are tensors, whose values nothing may ask for while a step is traced. A branch on one of these is
taken unseen: blocks that are skipped at random would be missing on the tape.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.tape import Tape
from trainlint.tape.encoding import encode

AGAIN: Final = 3
"""Further traces of a step that draws, each from another seed."""


class Chance:
    """Both generators; `begin` is called before each step that is traced."""

    def __init__(self) -> None:
        self.before = self._state()

    def begin(self) -> None:
        """Remember where both are: what was drawn until now, for weights, is no part of a step."""
        self.before = self._state()

    def settled(self, tape: Callable[[], Tape]) -> Tape:
        """Return the tape that every trace gives; CannotTraceError where they differ by what was drawn."""
        found = tape()
        if self._state() == self.before:
            return found
        for seed in range(AGAIN):
            random.seed(seed)
            if (numpy := sys.modules.get("numpy")) is not None:
                numpy.random.seed(seed)
            if encode(tape()) != encode(found):
                raise CannotTraceError(
                    "its code draws random numbers (random, numpy.random) that decide what a step keeps"
                )
        return found

    @staticmethod
    def _state() -> tuple[Any, ...]:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return (random.getstate(),)
        kind, keys, *rest = numpy.random.get_state()
        return random.getstate(), kind, keys.tobytes(), *rest
