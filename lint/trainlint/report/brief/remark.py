# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job's findings as the text says them: each once, in the words of the reading that is shown."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from trainlint.model.finding import Finding, key_of
from trainlint.report.brief.reading_names import either
from trainlint.report.brief.severity import Severity, severity_of
from trainlint.report.job_block import JobBlock

SEVERITY_ORDER = list(Severity)
FIRST_RULES = ("vram-budget", "vram-validation", "vram-fragmentation", "vram-tight", "vram-validation-tight")
"""Rules that come first of those of one severity."""
OF_MEMORY = ("vram-", "ram-")
"""How rules of memory begin, which speak of the reading whose memory is shown."""


class Remark(Struct, frozen=True):
    """A finding and how bad it is; `only` names the readings that have it, where not all of them do."""

    finding: Finding
    severity: Severity
    only: str = ""


def remarks_of(block: JobBlock) -> list[Remark]:
    """Return a job's findings, errors first, each as the reading that is shown has it."""
    shown = next(
        (reading for reading in block.readings if reading.variant == block.tightest), block.readings[0]
    )
    own = {key_of(finding): finding for finding in shown.findings}
    for reading in block.running[:1]:  # whose time and disk are shown
        own |= {
            key_of(finding): finding for finding in reading.findings if not finding.rule.startswith(OF_MEMORY)
        }
    remarks = []
    for merged in block.result.findings:
        finding = own.get(key_of(merged), merged) if len(block.readings) > 1 else merged
        if finding is merged and merged.holds_in:
            finding = next(_of_others(block, merged), merged)
        remarks.append(Remark(finding, severity_of(finding), _only(finding, block)))
    return sorted(remarks, key=_rank)


def _rank(remark: Remark) -> tuple[int, int, bool]:
    """Order what is said: errors first, then memory before time, then what an edit fixes."""
    rule = remark.finding.rule
    position = FIRST_RULES.index(rule) if rule in FIRST_RULES else len(FIRST_RULES)
    return SEVERITY_ORDER.index(remark.severity), position, not remark.finding.fixes


def _of_others(block: JobBlock, merged: Finding) -> Iterator[Finding]:
    for reading in block.readings:
        yield from (finding for finding in reading.findings if key_of(finding) == key_of(merged))


def _only(finding: Finding, block: JobBlock) -> str:
    if not finding.holds_in or len(finding.holds_in) == len(block.readings):
        return ""
    return either(finding.holds_in)
