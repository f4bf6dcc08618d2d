# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A start: the command by which a job is run, as far as it changes what the option file says."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from trainlint.read.document import Document
from trainlint.start.override import Override, debugging, override_of

if TYPE_CHECKING:
    from trainlint.job import Job

COMMAND: Final = "basicsr-command"
"""The dialect of the commands that name an option file."""

LONGEST: Final = 200
"""Characters of a command that are shown."""


@dataclass(frozen=True, slots=True)
class Start:
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
    runs: str = ""
    """The file of the script, where it lies around the command; "" where it was not found."""
    document: Document | None = field(default=None, compare=False, repr=False)

    @property
    def effect(self) -> tuple[Any, ...]:
        """What makes two starts of one trainer the same run."""
        changes = tuple((one.path, repr(one.value)) for one in self.overrides)
        return self.launcher, self.processes, self.visible, self.auto_resume, changes

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
            "force_yml": [*(one.text for one in self.overrides), *self.misread],
        }


def start_of(job: Job, place: str) -> Start | None:
    """Return the start that a command's job is; None where it names no option file, or not for certain."""
    options = job.spec.get("options") or {}
    document = job.document
    if job.dialect.id != COMMAND or not isinstance(options.get("opt"), str) or document.broken is not None:
        return None
    if {("opt",), ("launcher",)} & set(document.meta.get("unresolved", ())):
        return None
    words = document.value.get("force_yml") or []
    found = [(word, override_of(str(word))) for word in words]
    overrides = tuple(one for _, one in found if one is not None)
    launched = str(job.spec.get("launcher", "none"))
    from trainlint.start.accelerate import accelerated  # noqa: PLC0415 - of a command alone

    return Start(
        place,
        shown(document),
        str(document.meta.get("script") or ""),
        options["opt"],
        launched,
        (job.spec.get("gpus") or accelerated(document)) if launched != "none" else None,
        _visible(document),
        document.value.get("auto_resume") is True,
        overrides + (debugging() if document.value.get("debug") is True else ()),
        tuple(str(word) for word, one in found if one is None),
        document=document,
    )


def shown(document: Document) -> str:
    """Return a command on one line, cut where it is long."""
    span = document.places[()].value
    text = " ".join(re.sub(r"\\+\s*\n[>\s]*", " ", document.source.text[span.start : span.end]).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _visible(document: Document) -> int | None:
    """Return how many GPUs CUDA_VISIBLE_DEVICES lists; None where it is not set, or not known."""
    listed = document.meta.get("env", {}).get("CUDA_VISIBLE_DEVICES")
    if not isinstance(listed, str) or not re.fullmatch(r"\d+(,\d+)*", listed.replace(" ", "")):
        return None
    return len(set(listed.replace(" ", "").split(",")))
