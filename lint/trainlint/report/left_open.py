# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What was not judged of a job, for formats that list findings: silence would pass for a verdict."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.finding import DATA_LOOK, Outcome
from trainlint.model.result import Result, why_unjudged
from trainlint.report.closing import is_half_known


def left_open(result: Result) -> Iterator[str]:
    """Yield "skipped: reason", one for each reason; for a job with a verdict, why its memory has none."""
    if result.outcome is Outcome.SKIPPED:
        said = "not judged" if is_half_known(result) else "skipped"
        decisive = [skip for skip in result.skips if skip.rule != DATA_LOOK] or result.skips
        for reason in dict.fromkeys(skip.reason for skip in decisive):
            yield f"{said}: {reason}"
    elif (why := why_unjudged(result)) is not None:
        yield f"memory not judged: {why}"
