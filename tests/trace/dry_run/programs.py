# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Small training programs, run by an interpreter of their own on a GPU that is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from trainlint.shipped.resource_paths import PACKAGE
from trainlint.tape import Event, Tape
from trainlint.trace.dry_run.program_tape import merge

STARTED = """
import json, os, sys
sys.path.insert(0, os.environ["TRAINLINT_DRY_RUN_PATH"])
from trainlint.trace.dry_run.program_start import install
with open(os.environ["TRAINLINT_DRY_RUN"], encoding="utf-8") as file:
    install(json.load(file))
"""
GPU = {"name": "NVIDIA GeForce RTX 3060", "memory": 12 * 2**30, "capability": [8, 6], "multiprocessors": 28}
BLOCK = 512


class Ran(NamedTuple):
    """How a program ended, where its recording is, and what it printed."""

    outcome: dict[str, Any]
    folder: Path
    printed: str

    @property
    def recording(self) -> Path:
        return self.folder / self.outcome["tape"]

    def tape(self, *others: Ran) -> Tape:
        return merge([self.recording, *(other.recording for other in others)])


def dry_run(folder: Path, program: str, name: str = "out", *, start: str = "", **request: Any) -> Ran:
    """Run a program to its end; `start` is what is done before the imitation is installed."""
    out, site = folder / name, folder / "site"
    out.mkdir()
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(STARTED.replace("with open", f"{start}\nwith open"))
    script = folder / "train.py"
    script.write_text(textwrap.dedent(program))
    wanted = {"out": str(out), "gpu": GPU, "gpus": 1, "rounds": 3, **request}
    (folder / "request.json").write_text(json.dumps(wanted))
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "TRAINLINT_DRY_RUN": str(folder / "request.json"),
        "TRAINLINT_DRY_RUN_PATH": str(PACKAGE.parent),
    }
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    outcome = json.loads((out / "outcome.json").read_text())
    return Ran(outcome, out, done.stdout + done.stderr)


def peak(tape: Tape, batch: int, mark: str = "step 2") -> int:
    """Return the most bytes that live after a mark, in the allocator's blocks."""
    live = most = 0
    begun = False
    for kind, index in tape.events:
        if kind == Event.MARK:
            begun = begun or tape.marks[index] == mark
            continue
        if kind in (Event.ALLOC, Event.FREE):
            size = -(-tape.blocks[index].size.at(batch, batch, 0) // BLOCK) * BLOCK
            live += size if kind == Event.ALLOC else -size
        most = max(most, live) if begun else live
    return most
