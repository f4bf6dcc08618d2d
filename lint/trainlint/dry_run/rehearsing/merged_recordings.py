# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Recordings of one program at several batches as one tape: the tracer's own work, which needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.dry_run.rehearsing.run_record import Outcome
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import OpenTapeError, check_closed
from trainlint.tape import Tape


def merged(outcomes: Sequence[Outcome]) -> Tape:
    """Return the tape of some recordings; CannotTraceError where they are not of one step."""
    from trainlint.trace.dry_run.program_tape import merge  # noqa: PLC0415 - where something was recorded

    counts = [outcome.batch or 0 for outcome in outcomes if outcome.tape is not None]
    tape = merge([outcome.tape for outcome in outcomes if outcome.tape is not None], counts=counts)
    try:
        check_closed(tape)
    except OpenTapeError as error:
        raise CannotTraceError(f"the recording is not of a steady step: {error}") from error
    return tape
