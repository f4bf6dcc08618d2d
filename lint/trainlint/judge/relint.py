"""What trying an edit asks of the rest: to judge a text again, wholly or by the quick rules."""

from __future__ import annotations

from collections.abc import Callable
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


Relint = Callable[[str], Relinted | None]
"""Judge an edited text of the same job on the same target, without fixes; None where it is no job now."""


Quick = Callable[[Document], tuple[Finding, ...] | None]
"""Judge an edited document by the rules that need no estimate; None where it is no job any more."""
