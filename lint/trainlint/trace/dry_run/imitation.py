# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The imitation as a whole: what is replaced, in which order, and what is written at the end."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import partial, wraps
from types import MethodType
from typing import Any

import torch
from torch import nn

from trainlint.tape import VALIDATION
from trainlint.trace.dry_run import mapped_files, self_check
from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.doubts import Doubt
from trainlint.trace.dry_run.gpu import device_kernels, moves
from trainlint.trace.dry_run.gpu.built_operators import BuiltOperators
from trainlint.trace.dry_run.gpu.compilers import Compilers
from trainlint.trace.dry_run.gpu.cuda_module import CudaModule
from trainlint.trace.dry_run.gpu.default_type import DefaultType
from trainlint.trace.dry_run.gpu.device_identity import Identity
from trainlint.trace.dry_run.gpu.graph_writers import GraphWriters
from trainlint.trace.dry_run.gpu.imitated_processes import Processes, collective
from trainlint.trace.dry_run.opened_files import Files
from trainlint.trace.dry_run.operators.guesses import Guesses
from trainlint.trace.dry_run.operators.interception import Interceptor, is_strange
from trainlint.trace.dry_run.operators.second_guess import SecondGuess
from trainlint.trace.dry_run.outcome import Outcome
from trainlint.trace.dry_run.pulse import Pulse
from trainlint.trace.dry_run.repeated_forwards import RepeatedForwards
from trainlint.trace.dry_run.samples import loaders
from trainlint.trace.dry_run.samples.full_batches import LEAST, FullBatches
from trainlint.trace.dry_run.samples.known_datasets import KnownDatasets
from trainlint.trace.dry_run.samples.made_up_databases import MadeUpDatabases
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.steps.recorded_run import RecordedBlock, RecordedCost, RecordedRun, written
from trainlint.trace.dry_run.steps.roles import Roles
from trainlint.trace.dry_run.steps.rounds import RECORDED_ROUNDS, Rounds
from trainlint.trace.dry_run.torch_names import APPLY, is_meta
from trainlint.trace.dry_run.truth import told
from trainlint.trace.recording.storage_ledger import ALLOC, FREE, MARK, OP
from trainlint.trace.torch_private import address_of

TAPE = "recording.tape"
STEP = "step"
"""How far a run goes that is not to go on to a validation."""
NOTABLE_SHARE = 0.01
"""Share by which a step takes more than the recorded one and a verdict may be another."""
NEXT_BATCH: Any = {
    "what": "a batch that is loaded ahead: an epoch of the data here is over before the recorded steps are",
    "direction": "more",
}
"""Of a program that loads on a stream of its own: it may hold the next batch while a step runs."""


class Imitation:
    """One process's imitated GPU."""

    def __init__(
        self, request: dict[str, Any], outcome: Outcome, arrivals: Arrivals, leave: Callable[[], None]
    ) -> None:
        self.request, self.outcome, self.arrivals, self.leave = request, outcome, arrivals, leave
        self.ledger = LiveLedger()
        self.guesses = Guesses(request.get("guess") or {})
        self.mode = Interceptor(self.ledger, self.guesses)
        self.roles = Roles(self.ledger)
        until = request.get("until") or STEP
        wanted = int(request.get("rounds") or 3)
        self.rounds = Rounds(self.ledger, self.roles, wanted, until, self._steps_over)
        self.second = SecondGuess(request.get("other_guess"), self.guesses, self.rounds)
        scaled = request.get("batch") or {}
        self.full = FullBatches(
            request.get("fill") or "",
            self._trains,
            times=float(scaled.get("scale") or scaled.get("set") or 1),
            least=LEAST if request.get("made_up") else 0,
        )
        self.loaders = loaders.Loaders(request.get("batch"), self._give_up, self.full)
        self.loaders.is_recorded = lambda: self.rounds.count >= RECORDED_ROUNDS
        self.repeated = RepeatedForwards(self.ledger, self.mode)
        self.rounds.at_backward = self._begin_backward
        self.pulse = Pulse(outcome.folder)
        self.loaders.delivers, self.rounds.at_forward = self.pulse.batch, self.pulse.forward
        self.rounds.at_end, self.repeated.at_forward = self._round_over, self.pulse.forward
        self.files = Files(outcome.note, shapes_only=request.get("weights") == "shapes")
        self.files.on_saved = self.rounds.saved
        self.rounds.recorded = self._write_so_far
        self._kept: list[Any] = []

    def begin(self) -> bool:
        """Replace what has to be, check it, and record from here on."""
        identity = Identity(self.mode)
        gpu = self.request.get("gpu") or {}
        self.cuda = cuda = CudaModule(gpu, int(self.request.get("gpus") or 1), lambda: self.ledger)
        compilers = Compilers(self.outcome.note, cuda.capability)
        compilers.watch(self.arrivals)
        BuiltOperators(self.outcome.note).watch()
        GraphWriters(self.outcome.note).watch(self.arrivals)
        self.processes = processes = Processes(self.request, self.ledger)
        processes.watch(self.arrivals)
        self.files.watch(self.arrivals)
        KnownDatasets(self.outcome.note).watch(self.arrivals)
        MadeUpDatabases(self.request.get("made_up") or ()).watch(self.arrivals)
        self.mode.collective = collective(self.mode.values)
        self._kept += device_kernels.register(cuda.capability)
        for where, name, value in (
            *identity.replacements(), *moves.Moves(identity).replacements(), *cuda.replacements(),
            *DefaultType().replacements(),
            *mapped_files.replacements(), *compilers.replacements(),
            *processes.replacements(), *device_kernels.replacements(),
            *self.loaders.replacements(), *self.files.replacements(), *self.repeated.replacements(),
            (nn.Module, APPLY, self._applied(getattr(nn.Module, APPLY))),
            (threading.Thread, "start", self._in_mode(threading.Thread.start)),
        ):  # fmt: skip
            setattr(where, name, _function(value))
        self._kept.append(self.ledger.owners.watching())
        self._kept[-1].__enter__()
        self.mode.__enter__()
        if not self._is_sound():
            return False
        self.mode.written = self.rounds.wrote
        self.rounds.begin()
        gc.disable()
        return True

    def _is_sound(self) -> bool:
        """Check the imitation, and say what is wrong with it."""
        try:
            checked = self_check.check(self.mode)
        except Exception as error:  # noqa: BLE001 - whatever fails there, the imitation is not to be trusted
            checked = self_check.Checked(0, 0, (f"{type(error).__name__}: {error}",))
        self.guesses.forget()
        self.outcome.facts["self_check"] = {"expected": checked.expected, "seen": checked.seen}
        if checked.wrong:
            self.outcome.note(
                f"the self check failed with torch {torch.__version__}: {'; '.join(checked.wrong)}"
            )
        return not checked.wrong

    def doubts(self) -> list[Doubt]:
        """Return what a crash may come of that the real machine has not."""
        return [*self.guesses.doubts(), *self.files.doubts]

    def _applied(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        """Meet a network when it is moved: the outermost module on which `_apply` is called."""
        depth = threading.local()

        @wraps(truth)
        def apply(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            depth.now = getattr(depth, "now", 0) + 1
            try:
                result = truth(module, *args, **kwargs)
            finally:
                depth.now -= 1
            if not depth.now:
                self.roles.meet(module)
            return result

        return apply

    def _in_mode(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        """Record what the program's threads do: modes are per thread."""

        @wraps(truth)
        def start(thread: threading.Thread) -> None:
            thread.run = partial(self._entered, thread.run)  # type: ignore[method-assign]  # replaced on purpose
            truth(thread)

        return start

    def _entered(self, run: Callable[[], None]) -> None:
        with self.mode:
            run()

    def _round_over(self, count: int) -> None:
        self.pulse.round_over(count)
        self.second.round_over()

    def _steps_over(self) -> None:
        """End the run, or go on with the other guess: by then all is written."""
        if self.second.begin():
            self._write(last=True)
            self.outcome.is_settled = True
            return
        if self.second.begun:
            self.outcome.settle(tried=self.second.peaks())
        self.leave()

    def _begin_backward(self) -> None:
        self.repeated.end()
        self.loaders.begin_backward()

    def _trains(self) -> bool:
        """Return whether the program trains now, as far as its networks say it."""
        if not torch.is_grad_enabled():
            return False
        learning = [
            module for _, module in self.roles.alive() if any(p.requires_grad for p in module.parameters())
        ]
        return bool(learning) and all(module.training for module in learning)

    def _give_up(self, why: str) -> None:
        """End a program that would never come to a step."""
        self.outcome.facts["reason"] = why
        self.leave()

    def _write_so_far(self) -> None:
        self._write(last=False)

    def _write(self, *, last: bool) -> None:
        self.report(last=last)
        self.outcome.write()

    def report(self, *, last: bool = True) -> None:
        """Write the recording, and what is known of the run; it goes on unless it is the `last` time."""
        facts = self.outcome.facts
        with told():
            facts["batch"] = self.loaders.batch
            facts["short"] = self.full.short
            facts["shapes"] = self.loaders.varying()
            facts["rounds"], facts["optimizers"] = self.rounds.count, self.rounds.optimizers
            facts["standing"] = self.roles.standing()
            facts["guesses"] = self.guesses.report()
            facts["peaks"], facts["lives"] = self.rounds.peaks, self.rounds.lives
            if self.ledger.is_streamed and self.loaders.ended_early:
                self.outcome.note(NEXT_BATCH)
            self._say_what_changes()
            if last and self.repeated.left_out:
                self.outcome.note(self.repeated.remark)
            facts["asks_memory"] = self.cuda.asked
            self._forgive_what_is_guessed()
            facts["reached"] = self._reached()
            facts["image"] = self.rounds.image
            facts["unseen"] = self._unseen() if last else 0
            if self.rounds.count >= RECORDED_ROUNDS:
                (self.outcome.folder / TAPE).write_bytes(written(self._recording()))
                facts["tape"] = TAPE
                if facts["status"] == "ended":
                    facts["status"] = "recorded"

    def _forgive_what_is_guessed(self) -> None:
        """Let the steps stand where the program stops on the way to its validation, and a guess led to it."""
        facts, crash = self.outcome.facts, self.outcome.facts["crash"]
        on_the_way = self.rounds.until != STEP and self.rounds.count >= self.rounds.wanted
        if facts["status"] == "crashed" and on_the_way and crash["imitation"]:
            facts.update(status="ended", crash=None)
            facts["reason"] = f"it stops with {crash['type']} ({crash['message']}): {crash['reason']}"

    def _reached(self) -> str:
        """Return how far the run came: to its steps, to a validation's end, or to a file that it saved."""
        rounds = self.rounds
        whole = rounds.validating and not self.outcome.facts.get("reason")
        if self.outcome.facts["status"] == "crashed" or not (whole or rounds.has_saved):
            return STEP
        return rounds.until

    def _say_what_changes(self) -> None:
        """Say that steps are not alike; a clearly larger one than the recorded one is what lacks."""
        drawn = len(self.rounds.ended) > RECORDED_ROUNDS
        if self.rounds.larger > (0 if drawn else NOTABLE_SHARE):
            share = f"steps are not alike: one that was seen took {self.rounds.larger:.1%} more"
            lacks = {"what": share, "direction": "more", "share": self.rounds.larger}
            self.outcome.note(lacks if self.rounds.larger > NOTABLE_SHARE else share)

    def _unseen(self) -> int:
        """Count imitated tensors that live and were never recorded."""
        return sum(
            1 for candidate in gc.get_objects()
            if issubclass(type(candidate), torch.Tensor) and not is_strange(type(candidate))
            and is_meta(candidate) and candidate.layout is torch.strided
            and candidate.numel() and candidate.untyped_storage().nbytes()
            and address_of(candidate.untyped_storage()) not in self.mode.genuine
            and not self.ledger.knows(address_of(candidate.untyped_storage()))
        )  # fmt: skip

    def _recording(self) -> RecordedRun:
        tape = self.ledger.tape
        first, second = self.rounds.ended[-RECORDED_ROUNDS:]
        marks, events = list(tape.marks), list(tape.events[:second])
        if VALIDATION in marks and self._reached() != VALIDATION:
            del marks[marks.index(VALIDATION) :]
        marks.append(f"step {RECORDED_ROUNDS}")
        if VALIDATION in marks:
            events += _after(tape.events[second:], (MARK, marks.index(VALIDATION)))
        events.insert(first, (MARK, len(marks) - 1))
        blocks: dict[int, int] = {}
        ops: dict[int, int] = {}
        numbered = []
        for kind, index in events:
            if kind in (ALLOC, FREE):
                numbered.append((kind, blocks.setdefault(index, len(blocks))))
            elif kind == OP:
                numbered.append((kind, ops.setdefault(index, len(ops))))
            else:
                numbered.append((kind, index))
        return RecordedRun(
            events=numbered,
            blocks=[
                RecordedBlock(b.nbytes, b.kind, b.owner, b.device, b.stream)
                for b in map(tape.blocks.__getitem__, blocks)
            ],
            ops=[(RecordedCost(*tape.ops[index][0]), tape.ops[index][1]) for index in ops],
            marks=marks,
            notes=list(tape.notes),
            networks=[asdict(network) for network in self.roles.networks()],
            files={file.name: file.size for file in self.files.saved.values()},
            batch=-(-(self.loaders.batch or 0) // self.processes.replicas),
            made_with={"torch": torch.__version__, "python": sys.version.partition(" ")[0]},
        )


def _after(events: list[tuple[int, int]], validation: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the validation, and in it what is there since the recorded step and what is gone.

    What came and went in between is of a later step, and no validation's.
    """
    begins = events.index(validation)
    between = [event for event in events[:begins] if event[0] in (ALLOC, FREE)]
    passed = {index for kind, index in between if kind == ALLOC and (FREE, index) in set(between)}
    return [validation, *(event for event in between if event[1] not in passed), *events[begins + 1 :]]


def _function(value: Any) -> Any:
    """Return a method as a function: as a class's attribute it has to take the tensor first."""
    if not isinstance(value, MethodType):
        return value

    def function(*args: Any, **kwargs: Any) -> Any:
        return value(*args, **kwargs)

    return function
