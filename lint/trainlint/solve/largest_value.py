# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest value of one field with which a job fits a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from trainlint.config.edit import apply_edits
from trainlint.documents.file_format import read
from trainlint.estimate.larger_card import holds, share_of_card, share_with_room
from trainlint.estimate.memory.batch_key import key_of_path
from trainlint.estimate.memory.crop_fit import aspect_of
from trainlint.judge.fixes.edited_texts import is_language
from trainlint.judge.fixes.number_search import largest
from trainlint.judge.fixes.proof import proven, written_values
from trainlint.judge.fixes.proposal import proposal_of
from trainlint.judge.fixes.search import TRACED_TRIES
from trainlint.judge.fixes.tries import Tries
from trainlint.judge.key_of_name import SIDE, key_of
from trainlint.judge.recommended_edit import chosen_of_readings
from trainlint.judge.rule_scope import Scope, scope_of
from trainlint.model.document import Document, Source
from trainlint.model.facts import Facts
from trainlint.model.finding import OUT_OF_MEMORY, Fix
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.solve.fits_target import (
    TOO_LARGE,
    UNWRITTEN,
    failing,
    forbidden,
    is_tight,
    too_large,
    why_not,
)
from trainlint.solve.shape_edits import at_height, grain, has_shapes, height_path

if TYPE_CHECKING:
    from trainlint.pipeline.pipeline import Pipeline

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("batch.per_gpu", "batch.per_process", "batch.total"),
    "crop": ("crop.hr", "crop.lq"),
    "frames": ("frames",),
    "length": ("sequence.length",),
    "rank": ("adapter.rank",),
    "resolution": (SIDE,),
}
"""What can be solved for, and the fields of which one is written."""

HEIGHT: Final = "crop.lq"
"""Of an input that is written as a shape: its first image's height."""

MOST_TRIES: Final = 30
"""Of a batch, which needs no trace: enough to double up to a million and halve back."""
TOKENS: Final = 64
"""Lengths differ by so many tokens: fused kernels take them in such blocks."""
TRACED_TOKENS: Final = 128
"""The same of a step that has no blueprint: those between follow from few that are traced
(estimate/tapes/crop_source.py)."""
STEP: Final = 8
"""Crops differ by so many pixels of the network's input, as in the fixes of vram-budget."""
STEP_WITHOUT_SCALE: Final = 32
"""The same of networks that enlarge nothing."""
IMAGE_STEP: Final = 64
"""The same of images that are turned into latents: what buckets differ by."""
TRIED_BELOW: Final = 8
"""Values below one that another rule forbids (a crop that no window divides) that are tried in its place."""
TRIED_BELOW_BATCH: Final = 256
"""The same of a batch that is small enough for the card: none is traced, and one takes some 15 ms
(Real-ESRGAN, whose pool of 180 samples allows no batch between 90 and 180)."""

TRIED_SAFE: Final = 8
"""Values up to the limit that are tried for one that leaves room, where each may have to be traced."""
TIGHT: Final = "little to spare"
"""Why a value does not leave room."""

Refused = tuple[int | None, str]
"""A value that does not fit, and why; None where none was seen."""
ABSENT_VALUES: Final[Refused] = (None, "")
Guess = Callable[[Sequence[Job], Sequence[Result]], int | None]
"""Where to begin, from a placed job and its results."""


class Solved(Struct, frozen=True):
    """The largest value that fits, at the config's own key: 0 where none does, with `why`.

    `results` are the verdict on the text that has it. `safe` is the largest of those tried that leaves the
    card room, 0 where none does. `above` is the next one that was seen not to fit, and `why`; None where none
    was.
    """

    target: Target
    key: str
    now: int
    value: int
    results: tuple[Result, ...] = ()
    above: int | None = None
    why: str = ""
    edited: Document | None = None
    """The text with it; None where it is the present one."""
    advice: str = ""
    """What a report recommends for a job that does not fit as it is."""
    safe: int = 0
    aspect: Fraction = Fraction(1)
    """Of a height: what the width is of it."""
    open: bool = False
    """Whether the next one was not judged, so that larger ones may fit too."""
    unjudged: bool = False
    """Whether no reading's memory is known, so that nothing is said of larger or smaller values."""

    def words(self, value: int) -> str:
        """Say a value: 192, or 480x640 of an input that is no square (height and width)."""
        return str(value) if self.aspect == 1 else f"{value}x{int(value * self.aspect)}"

    @property
    def tight(self) -> bool:
        """Whether the card is almost full then."""
        return is_tight(self.results)


def solve(pipeline: Pipeline, jobs: Sequence[Job], target: Target, what: str, guess: Guess) -> Solved:
    """Return the largest value of `what` (FIELDS) with which one document's jobs fit a target."""
    placed = pipeline.readings(jobs, target)
    results = pipeline.judge_all(jobs, target)
    chosen = None
    if too_large(results) == TOO_LARGE:
        results = pipeline.judge_all(jobs, target, tries=Tries.of())
        chosen = chosen_of_readings(results, OUT_OF_MEMORY)
    advice = chosen[1].summary if chosen is not None else ""
    job = placed[0]
    name = next((name for name in FIELDS[what] if _is_written(job, name)), None)
    if name is None and what == "crop" and has_shapes(job.spec) and HEIGHT in job.spec:
        name = HEIGHT
    if name is None or job.skip is not None:
        return Solved(target, "", 0, 0, why=job.skip or _unwritten(job.spec, what))
    now, aspect = int(job.spec[name]), aspect_of(job.spec, name) if what == "crop" else Fraction(1)
    grid = _Grid(pipeline, placed, target, name, _step(job, name), results)
    begin = guess(placed, results) or (now if all(_fits(result) for result in results) else max(1, now // 2))
    tried = (
        (MOST_TRIES, TRIED_BELOW_BATCH, TRIED_BELOW) if what == "batch" else (TRACED_TRIES, TRIED_BELOW, 0)
    )
    value, (above, why) = grid.largest(max(1, begin // grid.step), *tried)
    key = grid.key or what
    if chosen is not None and value < (stored_value := _value_after(pipeline, job, name, chosen[1])):
        value = (
            stored_value if not grid.why_not(stored_value) else value
        )  # of few that are stored the search meets none
        above, why = (above, why) if above is not None and above > value else ABSENT_VALUES
    if not value:
        why = grid.why.get(now // grid.step, ABSENT_VALUES)[1] or why_not(results, failing(results)) or why
        unjudged = all(result.facts is None or result.facts.memory is None for result in results)
        return Solved(
            target, key, now, 0, why=why or TOO_LARGE, advice=advice, aspect=aspect, unjudged=unjudged
        )
    safe = grid.safe(value // grid.step, _known_safe(results) if what == "batch" else None)
    results, edited = grid.judged(value), grid.edited(value)
    return Solved(
        target, key, now, value, results, above, why, edited, advice, safe, aspect, grid.is_open(above)
    )


def _unwritten(spec: TrainSpec, what: str) -> str:
    """Say why there is no number to edit."""
    derived = next((name for name in FIELDS[what] if name in spec), None)
    paths = spec.at(derived) if derived else ()
    if not paths:
        several = f"its {what} is worked out of several values or of a list: none is edited alone"
        is_derived = derived is not None and spec.fields[derived].origin == "derived"
        return several if is_derived else f"the config does not write its {what}"
    return f"its {what} follows from {key_of_path(paths, what)}, which is not a number by itself"


def _known_safe(results: Sequence[Result]) -> int | None:
    """Return the batch that is safe in every reading by memory alone; None where none is known.

    A reading whose largest batch is open bounds nothing where another one has a limit.
    """
    memories = [result.facts.memory for result in results if result.facts is not None and result.facts.memory]
    known = [memory for memory in memories if memory.safe is not None]
    if len(known) < len(results):
        return None
    bounded = [memory for memory in known if not memory.largest_open]
    return min(memory.safe.value for memory in bounded or known if memory.safe is not None)


def jobs_after(pipeline: Pipeline, document: Document, fix: Fix) -> tuple[Job, ...]:
    """Return the jobs of a document after a fix."""
    source = document.source
    text = apply_edits(source.text, fix.edits)
    after = read(Source(source.path, text, bom=source.bom))
    same = (
        candidate
        for candidate in after
        if (candidate.index, candidate.cell) == (document.index, document.cell)
    )
    mine = [candidate for candidate in same if document.cell is not None or candidate.line == document.line]
    return pipeline.jobs(mine[0]) if mine else ()


def _value_after(pipeline: Pipeline, job: Job, name: str, fix: Fix) -> int:
    """Return what a fix makes of a field; 0 where it leaves it as it is."""
    after = jobs_after(pipeline, job.document, fix)
    value = after[0].spec.get(name) if after else None
    return value if isinstance(value, int) and value != job.spec[name] else 0


def _is_written(job: Job, name: str) -> bool:
    """Return whether one value of the text is a field's: of images a side may be "512" or "512,512"."""
    spec = job.spec
    if name not in spec or not isinstance(spec[name], int):
        return False
    if spec.fields[name].origin != "derived":
        return True
    target = job.placing.target if job.placing else None
    return name == SIDE and key_of(job, scope_of(job, target), f"spec.{name}") is not None


def _fits(result: Result) -> bool:
    return result.facts is not None and holds(result.facts)


def _step(job: Job, name: str) -> int:
    spec = job.spec
    if name == "sequence.length":
        return TOKENS if is_language(spec) else TRACED_TOKENS
    if name == SIDE:
        return IMAGE_STEP
    if not name.startswith("crop."):
        return 1
    if not _is_written(job, name):
        return lcm(STEP, grain(spec))
    scale = spec.get("scale")
    if not isinstance(scale, int):
        return STEP_WITHOUT_SCALE
    return STEP * max(1, scale) if name == "crop.hr" else STEP


class _Grid(Struct):
    """A job's text with whole multiples of `step` as one field's value."""

    pipeline: Pipeline
    placed: Sequence[Job]
    target: Target
    name: str
    step: int
    results: tuple[Result, ...]
    key: str = ""
    why: dict[int, Refused] = field(default_factory=dict)
    _before: frozenset[str] = frozenset()
    _judged: dict[int, tuple[Result, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note what is wrong with the job as it is, and where its value is written."""
        self._before = failing(self.results)
        job = self.placed[0]
        if _is_written(job, self.name):
            path = key_of(job, scope_of(job, self.target), f"spec.{self.name}")
        else:
            path = height_path(job.spec)
        self.key = ".".join(map(str, path or ()))

    def largest(self, begin: int, tries: int, below: int, near: int) -> tuple[int, Refused]:
        """Return the largest value that fits, 0 where none does, and the next one that is seen not to.

        Memory grows with the value, but what rules forbid need not: a batch has to divide a pool. So the
        largest that is small enough is looked for, then the first of the `below` ones from there down that no
        rule forbids; where none of them is allowed, rules are taken to forbid all above some value, too. The
        next one is of those that no rule forbids where there is such a one among the `near` ones above.
        """
        held, above = self._most(self._too_large, begin, tries)
        lowest = max(0, held - below)
        for steps in range(held, lowest, -1):
            if not (why := self._why_not(steps)):
                return steps * self.step, self._allowed_above(steps, near) or above
            above = steps * self.step, why
        if lowest:
            held, above = self._most(self._why_not, lowest, tries)
        return (held * self.step if lowest else 0), above

    def safe(self, held: int, known: int | None) -> int:
        """Return the largest value up to what fits that leaves room; 0 where none is found in a few tries.

        Where to look is `known` of a batch, each of which is judged in a moment. What may need a trace each
        is looked for as the limit is.
        """
        if known is None:
            return self._most(self._why_tight, held, TRIED_SAFE, share_with_room, bad=held + 1)[0] * self.step
        begin = min(held, known)
        below = range(begin, max(0, begin - TRIED_BELOW_BATCH), -1)
        return next((steps for steps in below if not self._why_tight(steps)), 0) * self.step

    def _why_tight(self, steps: int) -> str:
        return self._why_not(steps) or (TIGHT if is_tight(self.judged(steps * self.step)) else "")

    def _allowed_above(self, steps: int, near: int) -> Refused | None:
        """Return the next value that no rule forbids, where it is near and too large."""
        allowed = (
            more_steps for more_steps in range(steps + 1, steps + 1 + near) if not self._forbidden(more_steps)
        )
        next_allowed = next(allowed, steps)
        why = self._too_large(next_allowed)
        return (next_allowed * self.step, why) if why else None

    def _most(
        self,
        why: Callable[[int], str],
        begin: int,
        tries: int,
        share: Callable[[Facts], float | None] = share_of_card,
        bad: int | None = None,
    ) -> tuple[int, Refused]:
        """Search by what `why` says of a value; below one that a rule forbids the next ones are tried.

        `share` is what grows to 1; `bad` is known not to pass.
        """
        lowest_of: dict[int, int] = {}

        def passes(steps: int) -> bool:
            reason, lower = TOO_LARGE, steps
            for lower in range(steps, max(0, steps - TRIED_BELOW), -1):
                if not (reason := why(lower)):
                    lowest_of[steps] = lower
                    return True
                if reason == TOO_LARGE or not (self._forbidden(lower) or self._is_not_stored(lower)):
                    break
            self.why[steps] = lower * self.step, reason
            return False

        def need(steps: int) -> float | None:
            tried = lowest_of.get(steps) or (self.why.get(steps, ABSENT_VALUES)[0] or 0) // self.step
            shares = [share(result.facts) for result in self.judged(tried * self.step) if result.facts]
            return max((known for known in shares if known is not None), default=None)

        good, above = largest(passes, begin, tries, None if self.name in FIELDS["batch"] else need, bad)
        return lowest_of.get(good, 0), self.why.get(above or 0, ABSENT_VALUES)

    def _too_large(self, steps: int) -> str:
        """Say that memory does not suffice, or why that is not known."""
        results = self.judged(steps * self.step)
        why = too_large(results) if results else UNWRITTEN
        return why if why in ("", TOO_LARGE) else self._forbidden(steps) or why

    def _is_not_stored(self, steps: int) -> bool:
        """Return whether nothing is known of images of a side, where those of a smaller one may be stored."""
        known = [result for result in self.judged(steps * self.step) if result.facts and result.facts.memory]
        return self.name == SIDE and not known

    def is_open(self, above: int | None) -> bool:
        """Return whether a value was refused for no more than that its memory is not judged."""
        results = () if above is None else self.judged(above)
        why = too_large(results) if results else ""
        return why not in ("", TOO_LARGE) and not forbidden(results, self._before)

    def _forbidden(self, steps: int) -> str:
        return forbidden(self.judged(steps * self.step), self._before)

    def _why_not(self, steps: int) -> str:
        return self.why_not(steps * self.step)

    def why_not(self, value: int) -> str:
        """Say why a value does not fit; "" where it does."""
        return why_not(self.judged(value), self._before)

    def judged(self, value: int) -> tuple[Result, ...]:
        """Judge the text with a value; () where the edit would not do that and nothing else."""
        if value == self.placed[0].spec[self.name]:
            return self.results
        if value not in self._judged:
            edited = self.edited(value)
            again = () if edited is None else self.pipeline.fixes.again(self.placed, self.target, edited)
            self._judged[value] = again
        return self._judged[value]

    def edited(self, value: int) -> Document | None:
        """Return the text with a value."""
        job = self.placed[0]
        if not _is_written(job, self.name):
            return at_height(job, value)
        return edited_with(job, scope_of(job, self.target), {f"spec.{self.name}": value})


def edited_with(job: Job, scope: Scope, sets: Mapping[str, int]) -> Document | None:
    """Return a job's document with fields set; None where that cannot be written."""
    proposal = proposal_of(job, scope, sets)
    if proposal is None:
        return None
    text = apply_edits(job.document.source.text, proposal.edits)
    return proven(job.document, text, proposal.values, proposal.gone, written_values(job.dialect))
