# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A process that judges files for another one, from stored profiles."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import Struct

from trainlint.child_processes import end_with_parent
from trainlint.cli.workers.worker_channel import answers_channel, read_message, write_message
from trainlint.errors import UsageError
from trainlint.estimate.tapes.tape_source import Noted
from trainlint.expressions.cel import engine
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import Judged, judged_here, slim
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.shipped.compiled import keep_noted


class JudgingTask(Struct, frozen=True):
    """What such a process has to know before its first file: as `pipeline_for` takes it."""

    settings: Settings
    linted: tuple[str, ...]
    data: Path | None = None


class Answer(Struct, frozen=True):
    """What came of one file, and what was newly noted of stored profiles meanwhile."""

    judged: Judged | UsageError
    noted: Noted


def main() -> None:
    """Judge files until there are no more."""
    end_with_parent()
    answers = answers_channel()
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
            judged: Judged | UsageError = judged_here(pipeline, item)
        except UsageError as error:
            judged = error
        if isinstance(judged, list) and task.settings.baseline is None:  # which compares values
            judged = [*slim(judged, {})]
        write_message(answers, Answer(judged, tapes.noted()))
        keep_noted(engine())  # it is killed in the end


def _silent(_task: str) -> None:
    """Show no progress."""
