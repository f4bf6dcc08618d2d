# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The runs that a verdict takes, and what they come to: one tape, or several where a guess decides.

The program is run with its own batch and with another one, so that the batch becomes a variable. Where it
read unknown values of the GPU, it is run again with others, and with the fewest and the most of
what follows from them: what does not change did not depend on them. A program of one sample takes two other
batches: these are run with the other values, and where they lead to the first run's peak, they are both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.dry_run.rehearsing.changed_options import ChangedOptions
from trainlint.dry_run.rehearsing.later_starts import StartedAtOnce, later_starts, started_at_once
from trainlint.dry_run.rehearsing.played_stages import PlayedStage, Stage, later_stages
from trainlint.dry_run.rehearsing.request import (
    ALL,
    FEWEST_ROUNDS,
    NONE,
    RAGGED,
    ROUNDS,
    Guess,
    Machine,
    Request,
)
from trainlint.dry_run.rehearsing.run_record import STEP, Died, Outcome
from trainlint.dry_run.rehearsing.run_remarks import end_of, guesses_of, notes_of, terms_of, unusable
from trainlint.dry_run.rehearsing.signs_of_life import UnderWay
from trainlint.dry_run.starting.varied_words import Varied, what_to_vary
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.model.facts import Uncounted
from trainlint.tape import Tape

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.dry_run.rehearsing.rehearsal import Rehearsal

Merge = Callable[[Sequence[Outcome]], Tape]
"""Makes one tape of the recordings of one program at several batches."""

USUAL_GUESS: Final = Guess()
OTHER_GUESS: Final = Guess(value=0, boolean=False, sizes="high")
NO_ZERO_GUESS: Final = replace(OTHER_GUESS, value=2)
"""Where a program cannot go on with a zero: on the real machine it would not go on either."""
ZERO_ERRORS: Final = ("ZeroDivisionError", "math domain error")
"""What Python calls a division by zero, and its logarithm."""
LEAST_GUESS: Final = Guess(value=1, boolean=True, sizes="low")
SAME_PEAK_SHARE: Final = 0.0005
"""Share by which two peaks may differ and are the same: what a program draws at random differs from run to
run."""
LARGER_BATCH: Final = 2.0
BATCHES_OF_ONE: Final = (2, 4)
"""Samples of the other batches of a program that takes one."""
WHERE_OTHERS: Final = "where unknown values are 0"
SAMPLES_THERE: Final = "that are there"
"""What the name of a way has that takes the data for all that there is."""


class Variant(Struct, frozen=True):
    """The tapes of one way to guess; `name` is "" where the guesses decide nothing."""

    name: str
    tapes: tuple[Tape, ...]

    @property
    def peak(self) -> Tape:
        """The tape of the program's own batch."""
        return self.tapes[0]


class Recorded(Struct, frozen=True):
    """What is known of a program on one kind of machine. `stopped` says why there is no tape."""

    machine: Machine
    outcome: Outcome
    variants: tuple[Variant, ...] = ()
    died: Died | None = None
    stopped: str | None = None
    notes: tuple[str, ...] = ()
    terms: tuple[Uncounted, ...] = ()
    world_size: int = 1
    stages: tuple[PlayedStage, ...] = ()
    """Those after the first of progressive training, all of them or none."""

    @property
    def batch(self) -> int | None:
        """Samples of a step in one process."""
        return self.outcome.batch


class Known(Struct):
    """What the runs of a program showed so far, for those that come."""

    runs: dict[tuple[float | None, Guess], Outcome] = field(default_factory=dict)
    """Those at other batches than the program's, and with other guesses at its own (None)."""
    rounds: int = ROUNDS
    """How many a run takes."""
    tapes: dict[tuple[tuple[Path, int | None], ...], Tape] = field(default_factory=dict)
    """What was merged, by the runs' folders and batches."""


class Recording(Struct, frozen=True):
    """Runs a program on one kind of machine as often as it takes. `under_way` shows what is being done."""

    rehearsal: Rehearsal
    machine: Machine
    until: str
    merge: Merge
    varied: Varied | None = None
    guessing: bool = True
    """Whether other guesses are tried: where they changed nothing on one kind of machine, they are not on
    others."""
    under_way: UnderWay = field(default_factory=lambda: UnderWay(lambda _line: None))
    at_once: StartedAtOnce | None = None
    """The option file that every run has, where the user's starts something later."""
    known: Known = field(default_factory=Known)

    def made(self) -> Recorded:
        """Run the program, and say what came of it."""
        program, folder = self.rehearsal.program, self.rehearsal.folder
        at_once = None if later_stages(program, folder) else started_at_once(program, folder)
        if at_once is not None:
            whole = replace(self, at_once=at_once).made_as_is()
            if whole.variants and whole.stopped is None:
                return whole
        return self.made_as_is()

    def made_as_is(self) -> Recorded:
        """Run it with `at_once`, or the user's own file where that is None."""
        self.known.runs, self.known.rounds, self.known.tapes = {}, ROUNDS, {}
        first = self._run("")
        if first.status != "recorded":
            return self._unrecorded(first)
        if first.optimizers == 1 and self.until == STEP:
            self.known.rounds = FEWEST_ROUNDS
        guess = OTHER_GUESS if self._batches_settle(first) else USUAL_GUESS
        with ThreadPoolExecutor(2) as pool:  # each is a process of its own
            other = pool.submit(lambda: list(self._others(first, guess)) if self.guessing else [])
            try:
                tapes, notes = self._tapes(first, guess)
                others = other.result()
            except CannotTraceError as error:
                return Recorded(self.machine, first, stopped=error.reason, notes=first.notes)
        if first.batch == 1 and self.varied is None and all(tape.batches for tape in tapes):
            first = replace(first, batch=None)  # one that its data set may have made of several
        variants = [Variant("", tapes), *(other for other in others if isinstance(other, Variant))]
        stages, unplayed = self._stages() if len(variants) == 1 else ((), ())
        open_ends = [other for other in others if isinstance(other, Uncounted)]
        recorded = Recorded(
            self.machine, first, tuple(_named(variants)),
            notes=(*notes, *notes_of(first), *self._moved(), *self._unreached(first), *unplayed),
            terms=(*terms_of(first), *self._later(first), *open_ends),
            world_size=self._world_size(), stages=stages,
        )  # fmt: skip
        return replace(recorded, stopped=unusable(first))

    def _later(self, first: Outcome) -> Iterator[Uncounted]:
        if self.at_once is None:
            yield from later_starts(self.rehearsal.program, self.rehearsal.folder, first.rounds)

    def _stages(self) -> tuple[tuple[PlayedStage, ...], tuple[str, ...]]:
        """Return the later stages of progressive training; none, and why, where one of them is not known."""
        if self.machine.gpus > 1 and self.rehearsal.program.processes is None:
            return (), ()  # how a stage's batch is spread is the trainer's own way
        try:
            stages = later_stages(self.rehearsal.program, self.rehearsal.folder)
            return tuple(map(self._played, stages)), ()
        except CannotTraceError as error:
            return (), (error.reason,)

    def _played(self, stage: Stage) -> PlayedStage:
        again = self._run(f" at {stage.name}", stage=stage)
        if again.status != "recorded":
            raise CannotTraceError(f"{stage.name} is not known: the program {end_of(again)}")
        return PlayedStage(stage.crop, dataclasses.replace(self._tape([again]), batches=(stage.batch,)))

    def _moved(self) -> Iterator[str]:
        if self.at_once is not None:
            yield self.at_once.note

    def _unreached(self, first: Outcome) -> Iterator[str]:
        """Say that a run was to go on to a validation or a save, and did not."""
        if self.until not in (STEP, first.reached):
            why = first.reason or "it ended before"
            yield f"no {self.until} was seen to its end ({why}): its steps are judged without"

    def _world_size(self) -> int:
        program = self.rehearsal.program
        if program.processes is None:
            return 1
        return (program.processes or self.machine.gpus) * program.nodes

    def _run(
        self,
        what: str,
        guess: Guess = USUAL_GUESS,
        batch: Mapping[str, float] | None = None,
        *,
        choice: int = 0,
        fill: str = ALL,
        stage: Stage | None = None,
    ) -> Outcome:
        """Run it once; `choice` is the one of the two values of --vary."""
        name = self.rehearsal.program.name
        label = what.strip(" ()") or (
            f"running {name} as if on {self.machine.gpus} x {self.machine.gpu.title}"
        )
        if batch is None and choice == 0 and fill != NONE:
            fill = ALL if self.rehearsal.has_made_up_data else RAGGED
        other = OTHER_GUESS if not what and self.guessing and self.until == STEP else None
        until = self.until if stage is None else STEP
        rounds, processes = self.known.rounds, self._world_size()
        request = Request(self.machine, processes, until, batch, guess, rounds, fill=fill, other=other)
        words = None if self.varied is None else self.varied.words(choice)
        with self.under_way.run(label) as look:
            outcome = self.rehearsal.run(request, words, look, self._options(stage))
        return self._counted(outcome, choice)

    def _options(self, stage: Stage | None) -> ChangedOptions | None:
        if stage is not None:
            return stage.options
        return None if self.at_once is None else self.at_once.options

    def _unrecorded(self, first: Outcome) -> Recorded:
        """Say why there is no tape: what the program died of counts if it dies whatever is guessed."""
        died = first.died
        if died is None:
            refused = "; ".join(first.notes) if first.status == "refused" else ""
            why = refused or first.reason or "it ended before a training step was done"
            return Recorded(self.machine, first, stopped=why, notes=first.notes)
        if not died.imitation and first.guesses:
            other = self._run(" with other guesses", OTHER_GUESS)
            if other.died is None or other.died.type != died.type:
                guessed = guesses_of(first)
                why = f"it stops with {died.type} where {guessed} is guessed as 1, and not where it is 0"
                died = replace(died, imitation=True, reason=why)
        return Recorded(self.machine, first, died=died, notes=first.notes)

    def _tapes(self, first: Outcome, guess: Guess) -> tuple[tuple[Tape, ...], tuple[str, ...]]:
        """Return the tape of the program's own batch, and with it that of every batch where there is one."""
        exact = self._tape([first])
        try:
            if self.varied is not None:
                other = self._run(f" with {self.varied.named(1)}", guess, choice=1)
                return self._joined([first, other]), ()
            if first.batch is None:
                wanted = what_to_vary(self.rehearsal.program)
                return (exact,), (f"the samples of a step are not known: {wanted}",)
            if first.batch == 1:
                return (exact, self._pair(guess)), ()
            other = self._run(
                f" with {round(first.batch * LARGER_BATCH)} samples", guess, {"scale": LARGER_BATCH}
            )
            return self._joined([first, other]), ()
        except CannotTraceError as error:
            return (exact,), (f"other batches are not known: {error.reason}", *self._one_of_several(first))

    def _tape(self, outcomes: Sequence[Outcome]) -> Tape:
        """Return the tape of recordings, merged once."""
        runs = tuple((outcome.folder, outcome.batch) for outcome in outcomes)
        if runs not in self.known.tapes:
            self.known.tapes[runs] = self.merge(outcomes)
        return self.known.tapes[runs]

    def _pair(self, guess: Guess) -> Tape:
        """Return the tape of other batches than one: one sample has strides of its own."""
        pair = []
        for batch in BATCHES_OF_ONE:
            known = self.known.runs.get((batch, guess))
            pair.append(known or self._run(f" with {batch} samples", guess, {"set": batch}))
            self.known.runs[batch, guess] = pair[-1]
            if pair[-1].status != "recorded":
                break
        return self._joined(pair)[0]

    def _batches_settle(self, first: Outcome) -> bool:
        """Return whether other batches, recorded with other guesses, show that these decide nothing.

        They lead to the same peak at one sample, or a run of one with the other guess has it.
        """
        if first.batch != 1 or self.varied is not None or not (self.guessing and _is_open(first)):
            return False
        try:
            exact = self._tape([first])
            if _are_alike(self._pair(OTHER_GUESS), first, exact, first):
                return True
            alone = self.known.runs[None, OTHER_GUESS] = self._run(f" ({WHERE_OTHERS})", OTHER_GUESS)
            return alone.status == "recorded" and _are_alike(self._tape([alone]), alone, exact, first)
        except CannotTraceError:
            return False

    def _one_of_several(self, first: Outcome) -> Iterator[str]:
        """Say that the one sample of a loader may be a batch, made by its data set."""
        if first.batch == 1 and self.varied is None:
            wanted = what_to_vary(self.rehearsal.program)
            yield f"its loader gives one at a time, which may hold several: {wanted}"

    def _counted(self, outcome: Outcome, choice: int) -> Outcome:
        """Return a run of --vary with its number of samples, where the value is that and one GPU has them."""
        value = self.varied.number(choice) if self.varied is not None else None
        if outcome.batch is not None or not value or self._may_divide:
            return outcome
        return replace(outcome, batch=value)

    @property
    def _may_divide(self) -> bool:
        """Whether one process may spread its samples over several GPUs."""
        return self.machine.gpus > 1 and self.rehearsal.program.processes is None

    def _joined(self, outcomes: Sequence[Outcome]) -> tuple[Tape, ...]:
        for outcome in outcomes:
            if outcome.status != "recorded":
                why = outcome.died.message if outcome.died is not None else outcome.reason
                raise CannotTraceError(f"with {outcome.batch or 'more'} samples the program stops ({why})")
        if self._may_divide and outcomes[0].batch is None:
            raise CannotTraceError("how its samples are spread over the GPUs is not seen")
        if len({outcome.batch for outcome in outcomes}) < len(outcomes):
            raise CannotTraceError("the program takes the same batch, whatever it is given")
        tape = self._tape(outcomes)
        if tape.batches:
            raise CannotTraceError(f"memory does not grow evenly with the batch ({tape.affine})")
        if not any(block.size.batch or block.size.total for block in tape.blocks):
            raise CannotTraceError("its step takes as much with more samples: are there as many in its data?")
        return (tape,)

    def _others(self, first: Outcome, guess: Guess) -> Iterator[Variant | Uncounted]:
        """Yield the tapes of other guesses, where they are others; a term where that is not known.

        `guess` is the one that other batches were run with: the other guess, where it decides nothing. Where
        the data is the user's own and less than a batch, its real steps may be as small.
        """
        if first.short is not None and not self.rehearsal.has_made_up_data:
            name = f"with the {first.short[0]} samples {SAMPLES_THERE}"
            yield from self._differing(name, USUAL_GUESS, first, NONE)
        if _is_open(first) and guess != OTHER_GUESS:
            yield from self._differing(WHERE_OTHERS, OTHER_GUESS, first)
        if any(guess.shapes for guess in first.guesses):
            yield from self._differing("with the fewest that depend on values", LEAST_GUESS, first)

    def _differing(
        self, name: str, guess: Guess, first: Outcome, fill: str = ALL
    ) -> Iterator[Variant | Uncounted]:
        known = self.known.runs.get((None, guess))
        again = known or self._run(f" ({name})", guess, fill=fill)
        if guess == OTHER_GUESS and not first.tried and _needs_another_than_zero(again):
            name = f"where unknown values are {NO_ZERO_GUESS.value}"
            again = self._run(f" ({name})", NO_ZERO_GUESS, fill=fill)
        if again.status != "recorded":  # it may have needed more: no pass rests on the first guess alone
            yield Uncounted(f"the run {name}, which {end_of(again)}", "unknown")
            return
        if _are_alike(self._tape([again]), again, self._tape([first]), first):
            return
        tapes = (self._tape([again]),) if fill == NONE else self._tapes(again, guess)[0]
        yield Variant(name, tapes)


def _is_open(first: Outcome) -> bool:
    """Return whether values were guessed that its own further rounds did not show to decide nothing."""
    return bool(first.guesses) and not (first.tried and _is_one(first.tried))


def _needs_another_than_zero(outcome: Outcome) -> bool:
    died = outcome.died
    return died is not None and (died.type in ZERO_ERRORS or died.message in ZERO_ERRORS)


def _are_alike(first_tape: Tape, first: Outcome, other: Tape, second: Outcome) -> bool:
    """Return whether two tapes have the same peak, but for what chance does."""
    return _is_one([_peak(first_tape, first), _peak(other, second)])


def _is_one(peaks: Sequence[int]) -> bool:
    return max(peaks) - min(peaks) <= SAME_PEAK_SHARE * max(peaks)


def _peak(tape: Tape, outcome: Outcome) -> int:
    batch = next(iter(tape.batches), outcome.batch or 1)  # of one GPU
    return ledger(tape).peak(Samples(batch, batch * tape.devices, 0)).allocated


def _named(variants: Sequence[Variant]) -> Iterator[Variant]:
    """Name the first of several, too."""
    names = [variant.name for variant in variants]
    sizes = ["with full batches"] if any(SAMPLES_THERE in name for name in names) else []
    most = ["with the most that depend on values"] if len(names) > 1 + len(sizes) else []
    for variant in variants:
        yield replace(variant, name=variant.name or " and ".join(sizes + most))
