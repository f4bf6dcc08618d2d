# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the process inside the program is told: which GPU to play, how far to run, what to guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from trainlint.model.target import Gpu, Target

ROUNDS: Final = 3
"""Optimizer rounds that are recorded: the second is the first steady one, the third shows that it is."""
FEWEST_ROUNDS: Final = 2
"""Those of a further run of a program with one optimizer: the first run showed that its rounds are steady,
and where one of them is not, more are recorded all the same."""
RAGGED: Final = "ragged"
"""The last batch of an epoch is filled with samples that came before."""
ALL: Final = "all"
"""So is one of a data set that has too few samples for a batch and drops a smaller one."""
NONE: Final = "none"
"""Batches are what the data gives."""
UNTIL_CHOICES: Final = ("step", "validation", "checkpoint")
MULTIPROCESSORS: Final = {
    "t4": 40, "v100": 80, "p100": 56, "a100": 108, "h100": 132, "rtx-3060": 28, "rtx-3090": 82,
    "rtx-4090": 128,
}  # fmt: skip
"""Of the cards that programs are most often started on, by NVIDIA's data sheets; programs ask for nothing by
it but the size of a launch."""
USUAL_MULTIPROCESSORS: Final = 64


class Guess(Struct, frozen=True):
    """What an unknown value of the GPU is taken for, and how large a size that depends on one is."""

    value: int = 1
    boolean: bool = True
    sizes: str = "high"


class Machine(Struct, frozen=True):
    """The GPUs that the program sees: so many of one kind."""

    gpu: Gpu
    gpus: int

    def words(self) -> dict[str, Any]:
        """Return it in the words of a request."""
        capability = self.gpu.compute_capability
        return {
            "name": self.gpu.title,
            "memory": self.gpu.memory,
            "capability": [int(capability), round(capability * 10) % 10],
            "multiprocessors": MULTIPROCESSORS.get(self.gpu.name, USUAL_MULTIPROCESSORS),
        }


class Request(Struct, frozen=True):
    """One run: `batch` is {"scale": 2.0}, {"set": 8} or None for the program's own.

    `fill` says which batches of few samples are filled: RAGGED, ALL or NONE.
    """

    machine: Machine
    world_size: int = 1
    until: str = "step"
    batch: Mapping[str, float] | None = None
    guess: Guess = Guess()
    rounds: int = ROUNDS
    fill: str = RAGGED
    other: Guess | None = None
    """The guess of two more rounds, after all is written."""

    def words(self, out: str, limits: Mapping[str, Any]) -> dict[str, Any]:
        """Return it as it is written down for the program's process."""
        return {
            "out": out, "gpu": self.machine.words(), "gpus": self.machine.gpus, "rank": 0,
            "world_size": self.world_size, "rounds": self.rounds,
            "batch": None if self.batch is None else dict(self.batch), "guess": asdict(self.guess),
            "other_guess": None if self.other is None else asdict(self.other), "until": self.until,
            "fill": self.fill, "limits": dict(limits), "weights": "shapes",
        }  # fmt: skip


Kind = tuple[int, int, int]
"""What makes a recording another one: GPUs of a machine, their generation, and where the program asks for it
their memory in bytes (else 0)."""


def kinds_of(target: Target) -> tuple[Kind, Kind]:
    """Return what a target is to a program that asks for no memory, and to one that does."""
    gpu = target.gpu
    generation = int(gpu.compute_capability) if gpu is not None else 0
    return (target.gpu_count, generation, 0), (
        target.gpu_count,
        generation,
        gpu.memory if gpu is not None else 0,
    )
