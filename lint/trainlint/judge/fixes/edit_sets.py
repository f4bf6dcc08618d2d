# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which edits make a job fit together, where none does alone: the fewest of a rule's, the cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from msgspec import Struct

from trainlint.judge.fixes.proposal import Proposal, combined
from trainlint.judge.fixes.search import Attempt, nearest

MOST_EDITS = 8
"""Of one set: a rule has some six for one trainer."""

MOST_VALUES = 3
"""Values of a candidate that are asked of the light rules."""

Try = Callable[[Sequence[Proposal], int], Attempt]
"""Tries one of several proposals."""


class EditSets(Struct, frozen=True):
    """Candidates that can be made together, the cheapest first, each with its values from the nearest on."""

    candidates: Sequence[Sequence[Proposal]]

    @classmethod
    def of(cls, candidates: Iterator[Sequence[Proposal]], passes: Callable[[Proposal], bool]) -> EditSets:
        """Take those that can be made with the ones before; `passes` asks the rules that take no trace.

        Of many values the furthest that passes is the last, of the three furthest.
        """
        chosen: list[Sequence[Proposal]] = []
        for proposals in candidates:
            if len(chosen) == MOST_EDITS:
                break
            before = [values[-1] for values in chosen]
            for end in range(len(proposals), max(0, len(proposals) - MOST_VALUES), -1):
                together = _merged([*before, proposals[end - 1]])
                if together is not None and passes(together):
                    chosen.append(proposals[:end])
                    break
        return cls(tuple(chosen))

    def whole(self) -> Proposal | None:
        """Return all of them at once, each with its furthest value; None where there are none."""
        return _merged(self._furthest(range(len(self.candidates))))

    def smallest(self, tried: Try) -> Attempt:
        """Return the fix of which no edit can be left out, if all of them at once are one.

        The cheapest are taken until they are enough, then those that are not needed are given back, the
        costliest first; values come as near to the present ones as they may.
        """
        count = len(self.candidates)
        best = self._tried(tried, range(count))
        if best.fix is None:
            return Attempt()
        short, enough = 0, count
        while enough - short > 1:
            middle = (short + enough) // 2
            attempt = self._tried(tried, range(middle))
            short, enough, best = (short, middle, attempt) if attempt.fix else (middle, enough, best)
        kept = list(range(enough))
        for index in reversed(range(enough - 1)):
            fewer = [other for other in kept if other != index]
            attempt = self._tried(tried, fewer)
            kept, best = (fewer, attempt) if attempt.fix else (kept, best)
        return self._nearer(tried, kept, best)

    def _nearer(self, tried: Try, kept: Collection[int], best: Attempt) -> Attempt:
        """Return the fix with each value as near to the present one as it may be."""
        chosen = dict(zip(kept, self._furthest(kept), strict=True))
        for index in kept:
            values = self.candidates[index]
            merged = [_merged([*({**chosen, index: value}).values()]) for value in values[:-1]]
            proposals = [proposal for proposal in merged if proposal is not None]
            attempt = nearest(partial(tried, proposals), len(proposals), halving=True)
            if attempt.fix is not None:
                edits = {*attempt.fix.edits}
                same = [{*proposal.edits} == edits for proposal in proposals]
                chosen[index], best = values[same.index(True)], attempt
        return best

    def _tried(self, tried: Try, indices: Collection[int]) -> Attempt:
        proposal = _merged(self._furthest(indices))
        return Attempt() if proposal is None else tried((proposal,), 0)

    def _furthest(self, indices: Collection[int]) -> list[Proposal]:
        return [self.candidates[index][-1] for index in indices]


def _merged(proposals: Sequence[Proposal]) -> Proposal | None:
    """Return proposals as one; None where there are none, or two set the same key."""
    whole = proposals[0] if proposals else None
    for further in proposals[1:]:
        whole = None if whole is None else combined(whole, further)
    return whole
