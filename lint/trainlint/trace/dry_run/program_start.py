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
from typing import Any, Final, NoReturn

from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.outcome import Outcome

USAGE: Final = 2
"""The status with which a parser refuses the words of a command."""
USUAL_TERMINAL: Final = (80, 24)


def install(request: dict[str, Any]) -> None:
    """Imitate a GPU in this process as soon as it imports torch, and write how the program ends."""
    outcome = Outcome(Path(request["out"]), request.get("made_up") or ())
    run = _Run(request, outcome)
    random.seed(0)  # two recordings are compared: the same draws in both
    os.get_terminal_size = _size_of_terminal  # what it prints to is none here
    sys.excepthook = run.failed
    sys.exit = run.exiting
    threading.excepthook = run.failed_in_thread
    atexit.register(run.ended)
    run.arrivals.after("torch", run.begin)


_terminal_size = os.get_terminal_size


def _size_of_terminal(*which: Any) -> os.terminal_size:
    """Return the size of a terminal, also where there is none."""
    try:
        return _terminal_size(*which)
    except OSError:
        return os.terminal_size(USUAL_TERMINAL)


class _Run:
    """The one run of this process."""

    def __init__(self, request: dict[str, Any], outcome: Outcome) -> None:
        self.request, self.outcome = request, outcome
        self.arrivals = Arrivals()
        self.imitation: Any = None
        self._process = os.getpid()
        self._thread_hook = threading.excepthook
        self._exit = sys.exit
        self._given_up: tuple[BaseException, TracebackType | None] | None = None

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
        """Write what is known when the program ends by itself: a hook of its own may have shown its error."""
        if os.getpid() != self._process:
            return
        error = getattr(sys, "last_value", None)
        if isinstance(error, BaseException):
            self._crashed(error, error.__traceback__)
        elif self._given_up is not None:
            self._crashed(*self._given_up)
        self._write()

    def failed(self, kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        """Keep the exception that ends the program."""
        if os.getpid() == self._process:
            self._crashed(error, place)
        sys.__excepthook__(kind, error, place)

    def exiting(self, status: Any = None) -> NoReturn:
        """Exit, and keep why: an error that is being handled, or a last word (no parser's)."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, SystemExit) and status not in (None, 0, USAGE):
            self._given_up = (error, error.__traceback__)
        elif isinstance(status, str):
            last = SystemExit(status)
            self._given_up = (last, None)
        self._exit(status)

    def _crashed(self, error: BaseException, place: TracebackType | None) -> None:
        if self.outcome.facts["crash"] is None and not self.outcome.is_settled:
            doubts = self.imitation.doubts() if self.imitation else []
            self.outcome.crashed(error, place, [*doubts, *self.outcome.doubts])

    def failed_in_thread(self, args: Any) -> None:
        """Note an exception that ended a thread; the program may go on."""
        self.outcome.note(f"a thread ended with {args.exc_type.__name__}: {args.exc_value}")
        self._thread_hook(args)

    def _write(self) -> None:
        if self.outcome.is_settled:
            return
        if self.imitation is not None:
            self.imitation.report()
        self.outcome.write()
