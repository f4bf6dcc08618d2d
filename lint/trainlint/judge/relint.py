"""What trying an edit asks of the rest: to judge a text again, wholly or by the quick rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from trainlint.estimate.facts import Facts
from trainlint.judge.finding import Finding, Skip
from trainlint.read.document import Document


class Relinted(Protocol):
    """What judging an edited text gives back (a report's Result has it all)."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the edited text."""

    @property
    def skips(self) -> tuple[Skip, ...]:
        """What could not be judged in it."""

    @property
    def hidden(self) -> tuple[Finding, ...]:
        """What was found and is hidden by a comment."""

    @property
    def facts(self) -> Facts | None:
        """What the edited job would need."""

    @property
    def others(self) -> tuple[tuple[Finding, ...], ...]:
        """What was found in the job's other readings, in the order of Trying's `others`."""


Relint = Callable[[str], Relinted | None]
"""Judge an edited text in every reading of the same job, without fixes; None where it is no job now."""


Quick = Callable[[Document], tuple[Finding, ...] | None]
"""Judge an edited document by the rules that need no estimate; None where it is no job any more."""


@dataclass(frozen=True, slots=True)
class Trying:
    """How edited texts are judged again, and what was found in the job's other readings.

    `only`: the findings to fix, None: all. `larger` names the smallest card that would hold the job as it is,
    for where no edit does.
    """

    relint: Relint
    others: tuple[tuple[Finding, ...], ...] = ()
    only: tuple[Finding, ...] | None = None
    larger: Callable[[], str | None] | None = None
