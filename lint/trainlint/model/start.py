# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A start: the command by which a job is run, as far as it changes what the option file says."""

from __future__ import annotations

import os
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from trainlint.model.document import Document, Path


class Override(Struct, frozen=True):
    """One value that a command sets; `text` is what the command says."""

    path: Path
    value: Any
    text: str
    may_miss: bool = False
    """Nothing happens where the option file has not the key."""
    unknown: bool = False
    """Only the shell knows the value; an empty path: which keys are set, too."""
    edits: bool = False
    """The text is a command that writes the option file."""

    def __hash__(self) -> int:
        """Leave out the value, which may be a list."""
        return hash((self.path, self.text))

    @property
    def shown(self) -> str:
        """Return what only the shell knows."""
        return f'what "{self.text}" makes of the file' if self.edits else f'"{self.text}"'


COMMAND: Final = "basicsr-command"
FINE_TUNING: Final = "finetune-command"
COMMANDS: Final = (COMMAND, FINE_TUNING)
"""The dialects of the commands that name an option file."""

DEBUG: Final = "--debug"
"""What tries a trainer out before its run."""


class Start(Struct, frozen=True):
    """A command that names an option file; `place` is where it is ("README.md:12"), `text` how it reads.

    `launcher` is what the trainer is given ("none", "pytorch", "slurm"); `processes` are those started, None
    where the command does not say; `visible` the GPUs that CUDA_VISIBLE_DEVICES leaves. `misread` are words
    of --force_yml that the trainer cannot read.
    """

    place: str
    text: str
    script: str
    opt: str
    launcher: str = "none"
    processes: int | None = None
    visible: int | None = None
    auto_resume: bool = False
    overrides: tuple[Override, ...] = ()
    misread: tuple[str, ...] = ()
    namesakes: tuple[str, ...] = ()
    """Other option files of the folder that would write into the same experiment's."""
    unheard: bool = False
    """The command goes on with arguments that only the shell knows: it is read as if there were none."""
    unseen: bool = False
    """Only the shell knows which GPUs CUDA_VISIBLE_DEVICES leaves."""
    allocator: str = ""
    """What it sets of torch's allocator."""
    runs: str = ""
    """The file of the script, where it lies around the command; "" where it was not found."""
    document: Document | None = None

    def __eq__(self, other: object) -> bool:
        """Compare all but the document."""
        return isinstance(other, Start) and astuple(self)[:-1] == astuple(other)[:-1]

    def __hash__(self) -> int:
        """Leave out the document."""
        return hash(astuple(self)[:-1])

    @property
    def effect(self) -> tuple[Any, ...]:
        """What makes two starts of one trainer the same run."""
        changes = tuple(
            (override.path, repr(override.value), override.text * override.unknown)
            for override in self.overrides
        )
        shell = self.unseen, self.unheard, self.allocator
        return self.launcher, self.processes, self.visible, self.auto_resume, changes, shell

    @property
    def tries(self) -> bool:
        """Return whether the command tries the trainer out: with --debug it saves every 8 iterations."""
        return any(override.text == DEBUG for override in self.overrides)

    @property
    def tried(self) -> Start:
        """The run that the command tries out: none is meant to write 50,000 checkpoints."""
        return replace(self, overrides=tuple(change for change in self.overrides if change.text != DEBUG))

    @property
    def open(self) -> bool:
        """Return whether the command sets something to what only the shell knows."""
        return self.unseen or any(override.unknown for override in self.overrides)

    @property
    def run(self) -> tuple[Any, ...]:
        """What makes two starts the same run: the script that they run may be another trainer's."""
        return self.effect, os.path.realpath(self.runs) if self.runs else ""

    @property
    def values(self) -> dict[str, Any]:
        """What rules see as `start.<name>`."""
        return {
            "place": self.place,
            "script": self.script,
            "opt": self.opt,
            "auto_resume": self.auto_resume,
            "namesakes": list(self.namesakes),
            "force_yml": [*(change.text for change in self.overrides if not change.edits), *self.misread],
        }
