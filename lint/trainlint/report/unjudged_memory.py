# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Jobs whose memory has no verdict: why, and what to do about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from trainlint.model.finding import PART_OF_CONFIG
from trainlint.model.result import Report, Result, why_unjudged
from trainlint.report.job_block import blocks

KINDS = (
    (r"^no torch and no stored profile", "no stored profile (install torch)"),
    (r"^no stored profile", "no stored profile (run trainlint trace)"),
    (r"^unknown network", "unknown network"),
    (r"^unknown training step", "unknown training step"),
    (r"batch size is not known", "no batch size"),
    (r"needs (spandrel|timm|torchvision)", "a library is not installed"),
    (r"; \S+ (is installed|made the stored profile)\b", "another version of a library is asked for"),
    (r" cannot be traced: ", "the step cannot be traced"),
    (r"is not counted and ", "some memory is not counted"),
    (r"^what is trained is in", "the option file is another file"),
)
"""How reasons are grouped; one that none matches counts under its own words."""


def kind_of(reason: str) -> str:
    """Return the group that a reason is counted in."""
    return next((kind for pattern, kind in KINDS if re.search(pattern, reason)), reason)


def jobs_of(report: Report) -> tuple[Result, ...]:
    """Return one result for each job and target, whatever its readings."""
    return tuple(block.result for block in blocks(report.results))


def unjudged(results: Iterable[Result]) -> Counter[str]:
    """Return how many jobs have no verdict on memory, by reason."""
    return Counter(
        PART_OF_CONFIG if result.is_part else kind_of(reason)
        for result in results
        if (reason := why_unjudged(result)) is not None
    )
