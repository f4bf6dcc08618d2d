# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run's time is made of besides its steps: writing checkpoints, and compiling at each start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from trainlint.estimate.memory.card import BENCHMARKS
from trainlint.estimate.speed import Setup
from trainlint.estimate.speed.own_pace import ASSUMED, OwnPace
from trainlint.estimate.speed.rate_factors import factors
from trainlint.model.facts import Range
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec
from trainlint.tape import File

COMPILE_TERM: Final = "torch.compile"
"""How the term of a compiled network begins (x-uncounted): it makes a step faster, within known bounds."""


class Extra(Struct, frozen=True):
    """Seconds, low, middle and high: one checkpoint while training waits, and each start of the program."""

    save: Range = (0.0, 0.0, 0.0)
    start: Range = (0.0, 0.0, 0.0)


NO_EXTRA: Final = Extra()


def extra_of(spec: TrainSpec, files: Sequence[File]) -> Extra:
    """Return what comes on top of the steps of a run that writes `files` at each save.

    The rate is that of disks in general, from a cloud's to an NVMe drive: no target says its own. What a
    start takes besides (imports, reading the data set's list, cuDNN's trials) is not known and not in it.
    """
    slow, usual, fast = factors().disk
    size = sum(file.size for file in files)
    start = factors().compiling if compiled(spec) else NO_EXTRA.start
    return Extra((size / fast, size / usual, size / slow), start)


def compiled(spec: TrainSpec) -> bool:
    """Return whether torch.compile makes the network."""
    return bool(spec.get("compile")) or any(what.startswith(COMPILE_TERM) for what in untaped(spec))


def setup_of(spec: TrainSpec, own: OwnPace = ASSUMED) -> Setup:
    """Return what a spec says of how its kernels run, on a card of that pace."""
    tuned = bool(spec.get("cudnn_benchmark", BENCHMARKS))
    micro_batches = int(spec.get("accumulate") or 1)
    return Setup(bool(spec.get("tf32")), compiled(spec), tuned, own, micro_batches)


def untaped(spec: TrainSpec) -> list[str]:
    """Return what of its training a spec says that no tape holds and that may change a step's time."""
    terms = (term for term in spec.get(UNCOUNTED_FIELD, ()) if not (term.get("only") or term.get("bound")))
    return [str(term["what"]) for term in terms]
