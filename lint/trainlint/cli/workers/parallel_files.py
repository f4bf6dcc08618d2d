# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files judged in several processes (--jobs): the results are those of one process, in the same order.

They judge from stored profiles alone. Where a step may be traced, files are judged here and the processes
trace (tracing_ahead.py): what is traced is shared by the files after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from typing import Final

from trainlint.cli.workers.judging_process import Answer, JudgingTask
from trainlint.cli.workers.worker_processes import Workers
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.many_files import Input, Judged, judged_here

FILES_AHEAD: Final = 4
"""Files for each process that may be done before those in front of them are: results wait in memory."""


class JobProcesses:
    """Judges files in some processes, for `lint_all`."""

    def __init__(self, count: int, task: JudgingTask, tapes: TapeSource) -> None:
        self._count, self._task, self._tapes = count, task, tapes

    def __call__(
        self, pipeline: Pipeline, inputs: Iterable[Input], progress: Callable[[str], None]
    ) -> Generator[tuple[Input, Judged], None, None]:
        """Yield what came of each file, in their order; a process is ahead of it by a few at most."""
        workers = Workers(self._count, "trainlint.cli.workers.judging_process", self._task)
        waiting: deque[tuple[Input, Future[Answer | None]]] = deque()
        try:
            for item in inputs:
                waiting.append((item, workers.submit(item)))
                if len(waiting) > self._count * FILES_AHEAD:
                    yield self._next(waiting, pipeline, progress)
            while waiting:
                yield self._next(waiting, pipeline, progress)
        finally:
            workers.close()

    def _next(
        self,
        waiting: deque[tuple[Input, Future[Answer | None]]],
        pipeline: Pipeline,
        progress: Callable[[str], None],
    ) -> tuple[Input, Judged]:
        """Return what came of the first file that waits.

        It is judged here where its process ended, or where a profile was refused for a file before it: the
        message of a step without a profile names those.
        """
        item, future = waiting.popleft()
        progress(item.path)
        answer = None if self._tapes.has_refused() else future.result()
        if answer is None:
            return item, judged_here(pipeline, item)
        if isinstance(answer.judged, Exception):
            raise answer.judged
        self._tapes.note(answer.noted)
        judged = answer.judged
        return item, [pipeline.once(result) for result in judged] if isinstance(judged, list) else judged
