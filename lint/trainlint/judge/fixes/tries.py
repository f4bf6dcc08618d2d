# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trying an edit asks of the rest: to judge a text again, wholly or by the quick rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from trainlint.model.document import Document
from trainlint.model.facts import Facts
from trainlint.model.finding import Finding, Skip
from trainlint.model.spec import TrainSpec

if TYPE_CHECKING:
    from trainlint.judge.fixes.proposal import Proposal


class Relinted(Protocol):
    """What judging an edited text gives back, in the reading that is fixed and in the job's others.

    A reading is judged when it is asked for: most edits are refused by the first.
    """

    @property
    def skips(self) -> tuple[Skip, ...]:
        """What could not be judged in the reading that is fixed."""

    @property
    def unfinished(self) -> bool:
        """Whether a reading that was judged lacks memory, as no more may be traced for edits."""

    @property
    def hidden(self) -> tuple[Finding, ...]:
        """What was found in it and is hidden by a comment."""

    @property
    def facts(self) -> Facts | None:
        """What the edited job would need in it."""

    @property
    def exceeds(self) -> bool:
        """Whether live tensors of training alone are above the card in it, as is known before the rest."""

    def glances(self) -> Iterator[tuple[Finding, ...]]:
        """Yield what the rules that need no estimate find in each of Trying's `others`."""

    def by_itself(self) -> Iterator[tuple[Finding, ...]]:
        """Yield what each reading has by itself: the one that is fixed, then those of Trying's `others`."""

    def settled(self) -> Iterator[tuple[Finding, ...]]:
        """Yield the same once all of them are held against each other, which adds findings and takes none."""


Relint = Callable[[Document], Relinted | None]
"""Judge an edited document in every reading of its job, without fixes; None where it is no job now."""


class Glance(Struct, frozen=True):
    """What the rules that need no estimate find in an edited text, and what it trains, placed."""

    findings: tuple[Finding, ...]
    spec: TrainSpec

    @property
    def samples(self) -> int | None:
        """The samples on its fullest GPU."""
        samples: int | None = self.spec.get("batch.per_replica")
        return samples


class Screening(Struct, frozen=True):
    """What refuses an edit before it is judged wholly.

    `quick` judges an edited document by the rules that need no estimate; None where it is no job any more.
    `refuses` says whether a proposal adds what a network is sure to refuse.
    """

    quick: Callable[[Document], Glance | None]
    refuses: Callable[[Proposal], bool]


MOST_TRIES = 30
"""Edited texts that are read and judged again for the fixes of one file on one target, so that many findings
stay quick: one takes 40 ms on a page of 27 commands, and a published config asks for 12 at most."""

MOST_ON_PAGE = 256
"""The same of all commands of a page, each of which may have a file's: about ten seconds."""

TAKEN_AWAY = 4
"""What each command of a page takes away from these, since to judge a long one takes as long by itself."""

LEAST_TRIES = 8
"""What is left on a page of however many."""

CHARACTERS = 1_000_000
"""Of all these texts together, since each is read whole: about a second of reading."""

A_VALUE = 80
"""Characters that take as long as one value on top of its own: 20 µs (of YAML) to 90 µs (of a command) to
read, check and hold against what it was, next to 1 µs for a character, measured on files of 10,000 and 20,000
values. Of 743 published files the one with most values is left 14 tries."""

A_WORD = 20
"""The same of a word of shell, whatever it says: 20 µs to read, measured on a list of 40,000 commands."""

MOST_REPLAYED_EVENTS = 3_200_000
"""Events of the tapes that edits of one file ask for on one target: to read and replay one takes 0.5 µs, or
2 to 5 µs without compiled code. A step of an 8B model has 160,000 in each of up to three readings; the image
example with most fixes (realesrgan_x4) asks for 440,730. What the file as it is needs is not counted."""


MOST_TRACED_EVENTS = 600_000
"""Events of the tapes that are traced for them, since what is replayed was traced first where nothing is
stored. KAIR's VRT has 170,000 and took 13 minutes and more; tracing one takes 15 s on two idle cores."""


TRACED_FOR_SETS = 2_400_000
"""The same of image models, of which nothing but whole sets of edits is tried: some eight, of up to 300,000
events each (SDXL with its text encoders trained)."""


class Traced(Struct):
    """How many events may still be traced for the edits of one file on one target."""

    left: int = MOST_TRACED_EVENTS
    closed: bool = False
    """Nothing is traced now, whatever is left."""

    @property
    def used_up(self) -> bool:
        """Whether nothing is left for any edit."""
        return self.left <= 0 and not self.closed

    @contextmanager
    def none(self) -> Iterator[None]:
        """Let nothing be traced: what is tried now is worth no trace."""
        left, self.left, self.closed = self.left, 0, True
        try:
            yield
        finally:
            self.left, self.closed = left, False


class Tries(Struct):
    """How many edited texts of one file may still be judged."""

    left: int
    characters: int = CHARACTERS
    events: int = MOST_REPLAYED_EVENTS
    values: int = 0
    """Values of the file's largest document as it is: each edited text has about as many to check."""
    words: int = 0
    """Words of shell that are read again with each edited text."""
    traced: Traced = field(default_factory=Traced)
    _replayed: set[tuple[str, int]] = field(default_factory=set)

    @classmethod
    def of(cls, most: int = MOST_TRIES) -> Tries:
        """Return the tries for a file: `most` texts, and what they may cost in the same measure."""
        times = max(1, most // MOST_TRIES)
        return cls(most, characters=CHARACTERS * times, events=MOST_REPLAYED_EVENTS * times)

    @classmethod
    def on_page(cls, documents: int) -> Tries:
        """Return the tries for one target on a page of so many commands and configs."""
        together = max(LEAST_TRIES, MOST_ON_PAGE - TAKEN_AWAY * documents)
        return cls.of(min(MOST_TRIES * max(1, documents), together))

    @classmethod
    def per_document(cls, documents: int) -> Tries:
        """Return the tries of so many commands and configs, each with those of a file."""
        return cls.of(MOST_TRIES * max(1, documents))

    def take(self, text: str) -> bool:
        """Take one for an edited text; False where there are none left."""
        cost = len(text) + A_VALUE * self.values + A_WORD * self.words
        if self.left <= 0 or self.events < 0 or self.traced.used_up or self.characters < cost:
            return False
        self.left -= 1
        self.characters -= cost
        return True

    def replayed(self, facts: Facts | None, *, free: bool = False) -> None:
        """Count the tapes that facts were worked out from, each once; what the file needs itself is free."""
        if facts is not None and facts.memory is not None:
            self.read(facts.memory.replayed, free=free)

    def read(self, steps: Mapping[tuple[str, int], int], *, free: bool = False) -> None:
        """Count the events of tapes, each of them once."""
        if not free:
            self.events -= sum(events for step, events in steps.items() if step not in self._replayed)
        self._replayed |= steps.keys()


class Trying(Struct, frozen=True):
    """How edited texts are judged again, and what was found in the job's other readings.

    `tries` is the file's share, which its jobs have in common. `only`: the findings to fix, None: all.
    `larger` names the smallest card that would hold the job as it is, for where no edit does. `shorter`: an
    edit may shorten what is learned.
    """

    relint: Relint
    tries: Tries
    others: tuple[tuple[Finding, ...], ...] = ()
    only: tuple[Finding, ...] | None = None
    larger: Callable[[], str | None] | None = None
    shorter: bool = False
