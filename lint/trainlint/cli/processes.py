# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files judged in several processes (--jobs): the results are those of one process, in the same order.

A process is started as the one that reads repositories is: with our own package on the path and never the
working folder, which multiprocessing's has first. It judges from stored profiles alone: what is traced is
shared by the files after it, in the order of the files.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from trainlint.cli.batch import Input, Judged, judged_here
from trainlint.cli.job_process import Answer, JudgingTask, read_message, write_message
from trainlint.errors import UsageError
from trainlint.estimate.tapes.source import TapeSource
from trainlint.pipeline import Pipeline

AHEAD: Final = 4
"""Files for each process that may be done before those in front of them are: results wait in memory."""
START: Final = "import sys; sys.path[:] = {path!r}; from trainlint.cli.job_process import main; main()"


class JobProcess:
    """A process that judges one file after the other; started when it gets its first."""

    def __init__(self, task: JudgingTask) -> None:
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def ask(self, item: Input) -> Answer:
        """Return what came of a file; OSError, EOFError or UnpicklingError where the process ended."""
        process = self._process = self._process or self._start()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        write_message(process.stdin, item)
        answer: Answer = read_message(process.stdout)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise EOFError
        flags = [
            "-P",
            *(["-E"] if sys.flags.ignore_environment else []),
            *(["-s"] if sys.flags.no_user_site else []),
        ]
        process = subprocess.Popen(  # noqa: S603 - our own interpreter on our own code
            [sys.executable, *flags, "-c", START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if process.stdin is not None:
            write_message(process.stdin, self._task)
        return process

    def close(self) -> None:
        """End the process, and start no other."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class JobProcesses:
    """Judges files in some processes, for `lint_all`; UsageError where a step might be traced."""

    def __init__(self, count: int, task: JudgingTask, tapes: TapeSource) -> None:
        if tapes.can_trace():
            raise UsageError("--jobs judges from stored profiles alone: expected --no-trace with it")
        self._processes = [JobProcess(task) for _ in range(count)]
        self._idle: SimpleQueue[JobProcess] = SimpleQueue()
        self._tapes = tapes

    def __call__(
        self, pipeline: Pipeline, inputs: Iterable[Input], progress: Callable[[str], None]
    ) -> Generator[tuple[Input, Judged], None, None]:
        """Yield what came of each file, in their order; a process is ahead of it by a few at most."""
        for process in self._processes:
            self._idle.put(process)
        pool = ThreadPoolExecutor(len(self._processes))
        waiting: deque[tuple[Input, Future[Answer | None]]] = deque()
        try:
            for item in inputs:
                waiting.append((item, pool.submit(self._ask, item)))
                if len(waiting) > len(self._processes) * AHEAD:
                    yield self._next(waiting, pipeline, progress)
            while waiting:
                yield self._next(waiting, pipeline, progress)
        finally:
            for process in self._processes:
                process.close()
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, item: Input) -> Answer | None:
        """Have a file judged by the process that has nothing to do; None where that process ended."""
        process = self._idle.get()
        try:
            return process.ask(item)
        except (OSError, EOFError, pickle.UnpicklingError):  # for want of memory, say
            process.close()
            return None
        finally:
            self._idle.put(process)

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
        if isinstance(answer.found, UsageError):
            raise answer.found
        self._tapes.note(answer.noted)
        found = answer.found
        return item, [pipeline.once(one) for one in found] if isinstance(found, list) else found
