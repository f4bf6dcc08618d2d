# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps traced by other processes (--jobs) while their files wait for their turn.

Files are judged here, one after the other, as without other processes; only a trace is done elsewhere. While
one is waited for, the files behind are judged for the first step that each of them has to have traced, and
nothing else of that is kept: what is looked at ahead decides when a step is traced, not what is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, wait
from typing import Any, Final

from trainlint.cli.workers.worker_processes import Workers
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.tape_source import Step, TapeSource, Trace
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.many_files import Input, Judged, judged_here, results_of
from trainlint.session.toolbox import with_tapes
from trainlint.settings.settings import Settings
from trainlint.tape import Tape
from trainlint.tape.step import key_of

STEPS_AHEAD: Final = 2
"""Steps for each process that are traced or wait for it, at the most: one that is read of a file ahead may
turn out not to be needed."""
LOOK_S: Final = 1.0
"""Seconds after which a wait looks for an interrupt: on Windows none ends it."""

Asked = tuple[str, str]
"""A step's key, and how it is to be traced."""
Traced = Future[Tape | CannotTraceError | None]


class _WaitsError(Exception):
    """A file that is looked at ahead needs a step that is not traced yet (`asked`), or not there (None)."""

    def __init__(self, asked: Asked | None) -> None:
        super().__init__(asked)
        self.asked = asked


class TracingAhead:
    """Judges files here, for `lint_all`, and has other processes trace what they need.

    `tapes` is what the files' pipeline asks; `others` is equal to it, for the files that are looked at ahead.
    """

    def __init__(self, count: int, settings: Settings, tapes: TapeSource, others: TapeSource) -> None:
        self._count, self._settings, self._tapes, self._others = count, settings, tapes, others
        others.save_to = None  # it would be found there, and reports say where a tape is from
        self._traced: dict[Asked, Traced] = {}
        self._behind: deque[tuple[Input, Asked | None]] = deque()

    def __call__(
        self, pipeline: Pipeline, inputs: Iterable[Input], progress: Callable[[str], None]
    ) -> Generator[tuple[Input, Judged], None, None]:
        """Yield what came of each file, in their order."""
        files = [*inputs]
        self._behind.extend((item, None) for item in files)
        self._workers = Workers(self._count, "trainlint.cli.workers.trace_process")
        self._ahead = with_tapes(pipeline, self._others, self._settings)
        self._tapes.elsewhere, self._others.elsewhere = self._awaited, self._at_hand
        try:
            for item in files:
                if self._behind and self._behind[0][0] is item:
                    self._behind.popleft()
                progress(item.path)
                yield item, judged_here(pipeline, item)
        finally:
            self._tapes.elsewhere = None
            self._workers.close()

    def _awaited(self, here: Trace, step: Step, **options: Any) -> Tape:
        """Return a step's tape from another process, or from this one where that ended."""
        future = self._submitted(_asked(step, options), step, options)
        while not future.done():
            if not self._look():
                wait([future], LOOK_S)
        traced = future.result()
        if isinstance(traced, CannotTraceError):
            raise traced
        return here(step, **options) if traced is None else traced

    def _at_hand(self, _here: Trace, step: Step, **options: Any) -> Tape:
        """Return what was traced; what was not is begun, and the file that needs it waits."""
        asked = _asked(step, options)
        future = self._submitted(asked, step, options)
        if not future.done():
            raise _WaitsError(asked)
        traced = future.result()
        if traced is None:
            raise _WaitsError(None)
        if isinstance(traced, CannotTraceError):
            raise traced
        return traced

    def _submitted(self, asked: Asked, step: Step, options: dict[str, Any]) -> Traced:
        if asked not in self._traced:
            self._traced[asked] = self._workers.submit((dict(step), options))
        return self._traced[asked]

    def _look(self) -> bool:
        """Look at the next file behind that need not wait; whether there was one, and reason to."""
        busy = sum(not future.done() for future in self._traced.values())
        ready = (
            index
            for index, (_, asked) in enumerate(self._behind)
            if asked is None or self._traced[asked].done()
        )
        index = next(ready, None) if busy < self._count * STEPS_AHEAD else None
        if index is None:
            return False
        item, _ = self._behind[index]
        del self._behind[index]
        try:
            for _ in results_of(self._ahead, item):
                pass
        except _WaitsError as error:
            if error.asked is not None:
                self._behind.insert(index, (item, error.asked))
        except Exception:  # noqa: BLE001, S110 - it is reported when it is the file's turn
            pass
        return True


def _asked(step: Step, options: dict[str, Any]) -> Asked:
    return key_of(step), repr(sorted(options.items()))
