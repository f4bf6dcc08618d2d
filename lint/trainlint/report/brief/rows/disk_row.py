# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run leaves on disk against what there is."""

from __future__ import annotations

from trainlint.model.result import Result
from trainlint.model.units import disk
from trainlint.model.verdict import Verdict
from trainlint.report.brief.figures import download_words
from trainlint.report.brief.missing import disk_wanted, time_wanted
from trainlint.report.brief.rows.figure_row import Row
from trainlint.report.brief.rows.other_readings import others_in_brackets
from trainlint.report.job_block import JobBlock
from trainlint.report.style import printable


def disk_row(block: JobBlock, apart: bool) -> Row | None:
    """Return the row of the disk, its reading named like that of time."""
    facts, target = block.result.facts, block.result.target
    if facts is None or target is None:
        return None
    if facts.disk is None:
        words = disk_wanted(block.result)
        if not words or words == time_wanted(block.result):
            return None
        others = others_in_brackets(block, disk_of, apart=apart)
        return Row("disk", "not judged", f"{printable(words)}{others}")
    size = disk(facts.disk.total)
    download = download_words(facts)
    others = others_in_brackets(block, disk_of, apart=apart) + (f", {download}" if download else "")
    if target.disk is None:
        return Row("disk", size, others.removeprefix(",").lstrip())
    failed = block.result.verdicts.get("disk") is Verdict.FAIL
    figure = f"{size.removesuffix(' GB')} of {disk(target.disk)}"
    fits = facts.disk.total <= target.disk
    words = "" if failed else "ok" if fits else "too much"
    return Row("disk", figure, f"{words}{others}".removeprefix(",").lstrip(), failed)


def disk_of(result: Result) -> str:
    """Return what a run leaves on disk; "" where that is not known."""
    facts = result.facts
    return "" if facts is None or facts.disk is None else disk(facts.disk.total)
