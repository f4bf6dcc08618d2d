# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is said of a run: how it ended, what was guessed, what it does not count, why it is not believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.dry_run.rehearsing.run_record import Outcome
from trainlint.model.facts import Uncounted

MOST_NOTED: Final = 4
"""Guesses and shapes that a note names."""


def end_of(outcome: Outcome) -> str:
    """Say how a run ended that was not recorded."""
    if outcome.died is not None:
        kind, message = outcome.died.type.rpartition(".")[2], outcome.died.message.strip()
        return f"stops with {kind}{f' ({message.splitlines()[0]})' if message else ''}"
    refused = "; ".join(outcome.notes) if outcome.status == "refused" else ""
    return f"was not recorded ({refused or outcome.reason or 'it ended before a training step was done'})"


def unusable(outcome: Outcome) -> str | None:
    """Say why a recording is not believed; None where it is."""
    if outcome.self_check:
        return f"the recorder's own check fails in this environment: {outcome.self_check}"
    return None


def terms_of(outcome: Outcome) -> Iterator[Uncounted]:
    """Yield what a recording does not count."""
    if outcome.unseen:
        tensors = "a tensor" if outcome.unseen == 1 else f"{outcome.unseen} tensors"
        yield Uncounted(f"{tensors} that no operator was seen to make", "more")
    yield from outcome.terms


def notes_of(outcome: Outcome) -> Iterator[str]:
    """Yield what is to be known of a recording."""
    yield from outcome.notes
    if outcome.short is not None:
        samples, batch = outcome.short
        yield f"there are {samples} samples here, fewer than a batch of {batch}: they are repeated to fill it"
    if outcome.guesses:
        yield f"guessed, as only the GPU knows it: {guesses_of(outcome)}"
    if outcome.shapes:
        yield f"sizes that follow from the samples that came: {', '.join(outcome.shapes[:MOST_NOTED])}"


def guesses_of(outcome: Outcome) -> str:
    """Name the values that were guessed, and where."""
    named = [
        f"{guess.what}{f' at {_short(guess.where)}' if guess.where else ''}"
        for guess in outcome.guesses[:MOST_NOTED]
    ]
    more = len(outcome.guesses) - MOST_NOTED
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _short(where: str) -> str:
    """Return a place in an installed package without the folders that it is installed in."""
    return where.rpartition("-packages/")[2]
