# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Random numbers that a repository's code draws on the host, from Python's generator or numpy's.

torch's are tensors, whose values nothing may ask for while a step is traced. A branch on one of these is
taken unseen: blocks that are skipped at random would be missing on the tape.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from trainlint.errors import CannotTraceError
from trainlint.tape import Tape
from trainlint.tape.encoding import encode

FURTHER_TRACES: Final = 3
"""Further traces of a step that draws, each from another seed."""


class Chance:
    """All generators; `begin` is called before each step that is traced.

    Those that its code makes itself (`numpy.random.default_rng(0)`) are known if it does so in `watching`.
    """

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.seed: int | None = None
        self.before = self._state()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Keep the generators that are made inside; in a further trace they are seeded as the others."""
        try:
            numpy = importlib.import_module("numpy")
        except ImportError:
            yield
            return
        make: Any = numpy.random.default_rng

        def noting(*args: Any, **kwargs: Any) -> Any:
            self.made.append(make(*args, **kwargs) if self.seed is None else make(self.seed))
            return self.made[-1]

        with patch.object(numpy.random, "default_rng", noting):
            yield

    def begin(self) -> None:
        """Remember where both are: what was drawn until now, for weights, is no part of a step."""
        self.before = self._state()

    def settled(self, tape: Callable[[], Tape]) -> Tape:
        """Return the tape that every trace gives; CannotTraceError where they differ by what was drawn."""
        first = tape()
        if self._state() == self.before:
            return first
        for seed in range(FURTHER_TRACES):
            self._begin_at(seed)
            if encode(tape()) != encode(first):
                raise CannotTraceError(
                    "its code draws random numbers (random, numpy.random) that decide what a step keeps"
                )
        return first

    def _begin_at(self, seed: int) -> None:
        """Start every generator elsewhere, also those that are made from now on."""
        self.seed = seed
        random.seed(seed)
        if (numpy := sys.modules.get("numpy")) is not None:
            numpy.random.seed(seed)
        for generator in self.made:
            generator.bit_generator.state = type(generator.bit_generator)(seed).state

    def _state(self) -> tuple[Any, ...]:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return (random.getstate(),)
        kind, keys, *rest = numpy.random.get_state()
        own = tuple(str(generator.bit_generator.state) for generator in self.made)
        return random.getstate(), kind, keys.tobytes(), *rest, own
