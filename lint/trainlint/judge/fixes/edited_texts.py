# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The texts that edits make of one job's file: each is read once, proven, and judged as far as is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from trainlint.config.edit import apply_edits
from trainlint.judge.fixes.proof import proven, written_values
from trainlint.judge.fixes.proposal import Proposal
from trainlint.judge.fixes.tries import Glance, Relint, Relinted
from trainlint.model.document import Document
from trainlint.model.job import Job
from trainlint.model.spec import SHAPES_MEMORY, TrainSpec
from trainlint.repository.environment import share_environment

MOST_TRACED_EDITS = 24
"""Edits for one job of what shapes the memory, each of which may take a trace: one of a large network takes
4 s (Restormer, measured). One candidate takes at most search.TRACED_TRIES."""


BLUEPRINT_FIELDS = frozenset({"spec.sequence.length", "spec.adapter.rank", "spec.accumulate"})
"""Numbers that the blueprint of a language model's step is for any of."""


class EditedTexts(Struct):
    """Edited texts of one job, as they were judged; several findings often ask for the same edit."""

    job: Job
    quick: Callable[[Document], Glance | None]
    relint: Relint
    _seen: dict[str, Relinted | None] = field(default_factory=dict)
    _glances: dict[str, tuple[Proposal, Document | None, Glance | None]] = field(default_factory=dict)
    _traced: int = 0

    def text_of(self, proposal: Proposal) -> str:
        """Return the file's text with a proposal's edits; ValueError where they cannot be made together."""
        return apply_edits(self.job.document.source.text, proposal.edits)

    def glanced(self, text: str, proposal: Proposal) -> tuple[Document | None, Glance | None]:
        """Return an edited text's document if it is as it should be, and what the light rules find in it."""
        known = self._glances.get(text)
        if known is None or (known[0].values, known[0].gone) != (proposal.values, proposal.gone):
            values = written_values(self.job.dialect)
            edited = proven(self.job.document, text, proposal.values, proposal.gone, values)
            if edited is not None:
                share_environment(edited, self.job.document)
            known = proposal, edited, self.quick(edited) if edited is not None else None
            self._glances[text] = known
        return known[1:]

    def relinted(self, text: str, edited: Document, proposal: Proposal) -> Relinted | None:
        """Return what all rules find in it; None where it is no job, or the job had its share of traces."""
        if text not in self._seen:
            self._seen[text] = self.relint(edited) if self._affords(proposal) else None
        return self._seen[text]

    def tried(self, proposal: Proposal) -> Relinted | None:
        """Return what was found in a proposal's text; None where it was not judged wholly."""
        return self._seen.get(self.text_of(proposal))

    def known(self, proposal: Proposal) -> Relinted | None:
        """Return what was found in a proposal's text, which was judged before."""
        return self._seen[self.text_of(proposal)]

    def _affords(self, proposal: Proposal) -> bool:
        """Count an edit that may take a trace; False where the job has had its share."""
        traced = needs_trace((proposal,), self.job.spec)
        self._traced += traced
        return self._traced <= MOST_TRACED_EDITS or not traced


def needs_trace(proposals: Sequence[Proposal], spec: TrainSpec) -> bool:
    """Say whether proposals change what shapes the memory, so that each may have to be traced."""
    shaping = {f"spec.{name}" for name in SHAPES_MEMORY}
    if is_language(spec):
        shaping -= BLUEPRINT_FIELDS
    return any(
        name in shaping or name.startswith("doc.") for proposal in proposals for name in proposal.fields
    )


def is_language(spec: TrainSpec) -> bool:
    """Say whether a job's step is one of those that blueprints are of."""
    if "model.config" not in spec:
        return False
    from trainlint.tape.blueprints.model_shape import RECIPES  # noqa: PLC0415 - of language models

    return str(spec.get("recipe")).startswith(RECIPES)
