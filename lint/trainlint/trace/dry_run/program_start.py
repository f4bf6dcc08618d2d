# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The beginning: what a Python child of the dry run calls before the program's own code."""

from __future__ import annotations

import atexit
import os
import random
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.outcome import Outcome


def install(request: dict[str, Any]) -> None:
    """Imitate a GPU in this process as soon as it imports torch, and write how the program ends."""
    outcome = Outcome(Path(request["out"]))
    run = _Run(request, outcome)
    random.seed(0)  # two recordings are compared: the same draws in both
    sys.excepthook = run.failed
    threading.excepthook = run.failed_in_thread
    atexit.register(run.ended)
    run.arrivals.after("torch", run.begin)


class _Run:
    """The one run of this process."""

    def __init__(self, request: dict[str, Any], outcome: Outcome) -> None:
        self.request, self.outcome = request, outcome
        self.arrivals = Arrivals()
        self.imitation: Any = None
        self._process = os.getpid()
        self._thread_hook = threading.excepthook

    def begin(self, _torch: Any) -> None:
        """Put the imitation in place, if it is found right."""
        from trainlint.trace.dry_run.imitation import Imitation  # noqa: PLC0415 - it imports torch

        self.imitation = Imitation(self.request, self.outcome, self.arrivals, self.leave)
        self.outcome.facts["imitated"] = True
        if not self.imitation.begin():
            self.outcome.facts["status"] = "refused"
            self.leave()

    def leave(self) -> None:
        """Write all and end at once: the program's own cleaning up would run without a GPU."""
        self._write()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    def ended(self) -> None:
        """Write what is known when the program ends by itself."""
        if os.getpid() == self._process:
            self._write()

    def failed(self, kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        """Keep the exception that ends the program."""
        if os.getpid() == self._process:
            guessed = self.imitation.guesses.last_place if self.imitation else None
            self.outcome.crashed(error, place, guessed)
        sys.__excepthook__(kind, error, place)

    def failed_in_thread(self, found: Any) -> None:
        """Note an exception that ended a thread; the program may go on."""
        self.outcome.note(f"a thread ended with {found.exc_type.__name__}: {found.exc_value}")
        self._thread_hook(found)

    def _write(self) -> None:
        if self.imitation is not None:
            self.imitation.report()
        self.outcome.write()
