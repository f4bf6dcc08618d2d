# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a step needs against its card, and for which readings."""

from __future__ import annotations

from msgspec.structs import replace

from trainlint.model.facts import Memory
from trainlint.model.result import Result
from trainlint.model.units import gib
from trainlint.model.verdict import Verdict
from trainlint.report.brief.batch_limits import largest
from trainlint.report.brief.figures import beyond_words, project_words
from trainlint.report.brief.missing import memory_wanted
from trainlint.report.brief.reading_names import without_launcher
from trainlint.report.brief.rows.figure_row import Row
from trainlint.report.brief.rows.other_readings import memory_of, others_in_brackets, which_version
from trainlint.report.brief.rows.version_rows import are_versions, of_version, on_gpus
from trainlint.report.job_block import JobBlock, runs_out
from trainlint.report.memory.decisive_figure import TEST, VALIDATION, may_take_less, needed, peak
from trainlint.report.memory.memory_text import library_words, measured_words
from trainlint.report.style import printable


def memory_row(block: JobBlock) -> Row | None:
    """Return the row of memory, that of the version that needs most where versions differ."""
    memory = block.result.facts.memory if block.result.facts is not None else None
    if memory is None or memory_wanted(block.result):
        words = memory_wanted(block.result)
        if (row := model_row(block.result)) is not None:
            lacks = f"; not judged: {printable(words)}" if words else ""
            return replace(row, words=f"{row.words}{lacks}")
        known = needed(memory) if memory is not None and not _is_too_much(memory) else ""
        return Row("memory", known or "not judged", printable(words)) if words else None
    failed = _failed(block)
    which = which_version(block)
    if are_versions(block):
        name = without_launcher(block.tightest)
        others = others_in_brackets(of_version(block, name), memory_of)
        return Row(
            "memory",
            needed(memory),
            f"{printable(name)}{on_gpus(memory, block)}: {_state(memory, block, '')}{others}",
            failed,
        )
    state = _state(memory, block, which)
    if failed and not any(map(runs_out, block.readings)):  # by what comes before the step, or after it
        state = f"the step alone {'is ' if state.startswith('tight') else ''}{state}"
    words = f"{state}{others_in_brackets(block, memory_of, named=bool(which))}"
    return Row("memory", needed(memory), words, failed)


def model_row(result: Result) -> Row | None:
    """Return the row of what a base model alone takes; None where the step is known, or that is not."""
    facts, gpu = result.facts, result.target.gpu if result.target is not None else None
    if facts is None or facts.model is None or facts.model.parted or gpu is None:
        return None
    if facts.memory is not None and not _is_too_much(facts.memory):
        return None
    figure = f"at least {gib(facts.model.total)} of {gib(gpu.memory)} GiB"
    return Row("memory", figure, f"{facts.model.words} alone", result.verdicts.get("memory") is Verdict.FAIL)


def _is_too_much(memory: Memory) -> bool:
    """Return whether a step is beyond its card as far as it is counted, and something may save memory."""
    gpu = peak(memory)
    return may_take_less(memory) and gpu.least > gpu.capacity


def _failed(block: JobBlock) -> bool:
    """Return whether the reading that is shown fails: by its own figures, where another one does not."""
    if block.result.verdicts.get("memory") is Verdict.FAIL:
        return True
    return len(block.readings) > 1 and runs_out(block.result)


def _state(memory: Memory, block: JobBlock, which: str) -> str:
    gpu = peak(memory)
    moment = {VALIDATION: " at validation", TEST: ""}.get(memory.peak_phase, "") + which
    most = largest(memory)
    most = f", {most}" if most else ""
    unwritten = most if memory.batch is None else ""  # else it is said beneath the value
    if runs_out(block.result):
        origin = f"{library_words(memory)}{project_words(memory)}{measured_words(memory)}"
        return f"does not fit{moment}{unwritten}{origin}"
    if gpu.least > gpu.capacity:
        hedge = ", unless it fragments" if which else " if it does not fragment"
        said = f"fits{moment}{hedge}{unwritten}"
    elif gpu.expect > gpu.capacity:
        said = f"tight{moment}: it runs, flushing its cache, from {gib(gpu.least)} GiB on{unwritten}"
    elif gpu.worst > gpu.capacity:
        said = f"tight{moment}: a run may take all of it{unwritten}"
    else:
        said = f"fits{moment}{most}"
    return f"{said}{beyond_words(memory)}{measured_words(memory)}"
