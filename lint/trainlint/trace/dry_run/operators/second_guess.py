# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Two more rounds of the same run, in which unknown values are others, show whether the steps take as much.

That spares a run of its own where every place that reads such a value is in each round. What happens in
these rounds changes nothing that is written by then: where they do not come to their end, nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.trace.dry_run.operators.guesses import Guess, Guesses
from trainlint.trace.dry_run.steps.rounds import Rounds

FURTHER_ROUNDS: Final = 2
"""Rounds with the other values: what one leaves behind is met in the next."""


class SecondGuess:
    """The trial of one run; `wanted` is the other guess, None where there is to be no trial."""

    def __init__(self, wanted: Mapping[str, Any] | None, guesses: Guesses, rounds: Rounds) -> None:
        self.wanted, self.guesses, self.rounds = wanted, guesses, rounds
        self.begun = False
        self._places: set[Guess] = set()
        self._before: set[Guess] = set()

    def round_over(self) -> None:
        """Keep what was read since the last round's first step: a round's end is noticed as late as there."""
        if not self.begun:
            self._places = self._before | self.guesses.recent
            self._before, self.guesses.recent = self.guesses.recent, set()

    def begin(self) -> bool:
        """Go on with the other guess, if all that was read is read in each round."""
        places = set(self.guesses.counts)
        if self.wanted is None or self.begun or not places or self._places != places:
            return False
        self.begun = True
        self.guesses.take(self.wanted)
        self.rounds.wanted = self.rounds.count + FURTHER_ROUNDS
        return True

    def peaks(self) -> list[int]:
        """Return the recorded round's peak and those of the trial; none if a place was not read again."""
        if not self.guesses.recent >= self._places:
            return []
        return [self.rounds.peaks[len(self.rounds.ended) - 1], *self.rounds.peaks[-FURTHER_ROUNDS:]]
