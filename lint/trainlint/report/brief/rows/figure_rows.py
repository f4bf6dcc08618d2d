# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run needs against what there is: memory, time and disk, a row each, of one reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from trainlint.model.result import Result
from trainlint.report.brief.missing import NOT_KNOWN, disk_wanted, memory_wanted, time_wanted, unknown_flags
from trainlint.report.brief.rows.disk_row import disk_of, disk_row
from trainlint.report.brief.rows.figure_row import Row, row_lines
from trainlint.report.brief.rows.memory_row import memory_row, model_row
from trainlint.report.brief.rows.time_row import time_row
from trainlint.report.brief.rows.version_rows import version_rows
from trainlint.report.job_block import JobBlock
from trainlint.report.style import Style, printable

THESE_LINES: Final = "these lines alone are"


def rows(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield the rows of what is known of a job on its target, and what is asked for where it is not."""
    result = block.result
    if result.target is None or result.facts is None:
        return
    unknown = {memory_wanted(result), time_wanted(result), disk_wanted(result)}
    if result.facts.memory is None and len(unknown) == 1 and (wanted := unknown.pop()):
        saving = _saving(block)
        names = "memory, time and disk" if saving is block else "memory and time"
        if (row := model_row(result)) is not None and not result.is_part:
            yield from row_lines([row], style)
            names = f"the whole step, {names.removeprefix('memory, ').removeprefix('memory and ')}"
        yield f"  {THESE_LINES if result.is_part else names} not judged: {printable(wanted)}"
        yield from () if saving is block else row_lines([disk_row(saving, apart=True)], style)
        return
    able = _able(block)
    apart = able is not block
    of_each = (
        memory_row(block),
        *version_rows(block),
        time_row(able, apart),
        disk_row(able, apart),
        _flags(result),
    )
    yield from row_lines(of_each, style)


def _flags(result: Result) -> Row | None:
    flags = unknown_flags(result)
    return Row("flags", NOT_KNOWN, printable(flags)) if flags else None


def _able(block: JobBlock) -> JobBlock:
    """Return a job as its readings that fit have it, where the one that is shown runs out of memory."""
    able = block.running
    return replace(block, result=able[0], readings=able) if able else block


def _saving(block: JobBlock) -> JobBlock:
    """Return a job as those of its readings have it whose size on disk is known; itself where none is."""
    known = tuple(reading for reading in block.readings if disk_of(reading))
    return replace(block, result=known[0], readings=known) if known else block
