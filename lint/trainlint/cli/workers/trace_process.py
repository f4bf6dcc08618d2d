# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A process that traces steps for another one: torch is imported once in it, and for the first step alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from trainlint.child_processes import end_with_parent
from trainlint.cli.workers.worker_channel import answers_channel, read_message, write_message
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.tapes.tape_source import Step
from trainlint.estimate.tapes.trace_here import no_torch, trace_here
from trainlint.tape import Tape


def main() -> None:
    """Trace steps until there are no more."""
    end_with_parent()
    answers = answers_channel()
    while True:
        try:
            step, options = read_message(sys.stdin.buffer)
        except EOFError:
            return
        write_message(answers, traced(step, options))


def traced(step: Step, options: Mapping[str, Any]) -> Tape | CannotTraceError | None:
    """Return a step's tape, or why there is none; None: who asked has to see for itself."""
    try:
        return trace_here(no_torch(step), step, **options)
    except CannotTraceError as error:
        if isinstance(error, BadArgumentsError):
            return BadArgumentsError(error.reason, error.about)
        return error if type(error) is CannotTraceError else None
    except Exception:  # noqa: BLE001 - it is raised again where it is reported
        return None
