# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How the training processes of a job are started, and how that is known."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from trainlint.model.target import Target

Basis = Literal["flag", "setting", "command", "config", "unknown"]
"""How a launcher is known; unknown: the input leaves it open."""

NO_LAUNCHER: Final = "none"
TORCHRUN: Final = "torchrun"
LAUNCHERS: Final = (NO_LAUNCHER, TORCHRUN, "slurm")
"""What --launcher takes, torchrun and slurm with ":N" processes."""

WITHOUT_LAUNCHER: Final = "without a launcher"
WITH_LAUNCHER: Final = "with a launcher"
"""What the readings of a job are called where nothing says how it is started."""


class Launcher(Struct, frozen=True):
    """A launcher ("none": just python), how it is known, the processes where they are given."""

    value: str = NO_LAUNCHER
    basis: Basis = "unknown"
    processes: int | None = None
    paired: bool = False
    """A command that names the config says so: what it asks for too much is said of the command."""

    @property
    def is_open(self) -> bool:
        """Return whether the number of processes follows from config and machine, not from a command."""
        return self.paired or self.basis in {"flag", "setting", "unknown"}

    @property
    def reading(self) -> str:
        """What the reading is called in which a job is started so."""
        return WITHOUT_LAUNCHER if self.value == NO_LAUNCHER else WITH_LAUNCHER

    def processes_on(self, named: int | None, target: Target | None) -> int | None:
        """Return how many processes are started: as given, else for the GPUs named, as many as there are."""
        there = target.gpu_count if target is not None else None
        if self.processes is not None:
            return min(self.processes, max(there, 1)) if self.paired and there is not None else self.processes
        return there if named is None else named if there is None else min(named, max(there, 1))


def parse_launcher(text: str, basis: Basis) -> Launcher:
    """Read "torchrun:4"; ValueError where it is none of LAUNCHERS or the number is not one above 0."""
    name, colon, number = text.partition(":")
    if name not in LAUNCHERS or (
        colon and (name == NO_LAUNCHER or not number.isdecimal() or not int(number))
    ):
        raise ValueError(text)
    return Launcher(name, basis, int(number) if colon else None)
