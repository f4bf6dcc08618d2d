# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A process that judges files for another one: pickled messages on its standard input and output."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import warnings
from pathlib import Path
from typing import IO, Any, Final

from trainlint.cli.batch import Judged, judged_here, slim
from trainlint.cli.main import GARBAGE
from trainlint.cli.toolbox import pipeline_for, tapes_for
from trainlint.errors import UsageError
from trainlint.estimate.tapes.source import Noted
from trainlint.lean import dataclass
from trainlint.settings import Settings

HEAD: Final = struct.Struct("<Q")
"""Before each message: its length in bytes."""


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """What such a process has to know before its first file: as `pipeline_for` takes it."""

    settings: Settings
    linted: tuple[str, ...]
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one file, and what was newly noted of stored profiles meanwhile."""

    found: Judged | UsageError
    noted: Noted


def write_message(stream: IO[bytes], message: object) -> None:
    """Write an object."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Read an object that a process of ours wrote; EOFError where it ended."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    data = stream.read(HEAD.unpack(head)[0])
    return pickle.loads(data)  # noqa: S301 - from our own process, through a pipe that no other has


def main() -> None:
    """Judge files until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked says how far it came
    warnings.simplefilter("ignore")
    gc.set_threshold(GARBAGE)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else gets between the messages
    task: JudgingTask = read_message(sys.stdin.buffer)
    tapes = tapes_for(task.settings, _silent, may_trace=False)
    pipeline = pipeline_for(task.settings, tapes, task.linted, task.data)
    while True:
        try:
            item = read_message(sys.stdin.buffer)
        except EOFError:
            return
        pipeline.reported.clear()  # the process that asked leaves out what it said before
        try:
            found: Judged | UsageError = judged_here(pipeline, item)
        except UsageError as error:
            found = error
        if isinstance(found, list) and task.settings.baseline is None:  # which compares values
            found = [*slim(found, {})]
        write_message(answers, Answer(found, tapes.noted()))


def _silent(_task: str) -> None:
    """Show no progress."""
