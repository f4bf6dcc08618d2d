# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the readings that are not shown would say, in half a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainlint.model.result import Result
from trainlint.report.brief.reading_names import (
    IF_IT_IS,
    LAUNCHER_WORDS,
    either,
    reading_words,
    without_launcher,
)
from trainlint.report.job_block import JobBlock
from trainlint.report.memory.decisive_figure import figure_words, peak
from trainlint.report.style import printable


def others_in_brackets(
    block: JobBlock, figure: Callable[[Result], str], *, named: bool = False, apart: bool = False
) -> str:
    """Put the other readings' figures in half a line, those that differ.

    Where the version that is shown is `named` before them, and all others agree, they are not. It is named
    here where it is `apart` from the one whose memory is shown.
    """
    own = figure(block.result)
    names_by_state: dict[str, list[str]] = {}
    for reading in block.readings:
        value = figure(reading)
        if reading.facts is not block.result.facts and value not in ("", own):
            names_by_state.setdefault(value, []).append(reading.variant or "")
    said = [_said(value, names) for value, names in names_by_state.items()]
    if named and [len(names) for names in names_by_state.values()] == [len(block.readings) - 1]:
        said = [f"{value} if it is not" for value in names_by_state]
    said = [*([_shown_reading(block, figure)] if apart else ()), *said]
    return f" ({'; '.join(said)})" if any(said) else ""


def _shown_reading(block: JobBlock, figure: Callable[[Result], str]) -> str:
    """Name the reading that is shown, without how it is started where that makes no difference."""
    version, own = without_launcher(block.result.variant or ""), figure(block.result)
    names = [reading.variant or "" for reading in block.readings if figure(reading) == own]
    return printable(either([name for name in names if without_launcher(name) == version]))


def _said(value: str, names: Sequence[str]) -> str:
    words = printable(either(names))
    if any(words == started for started in LAUNCHER_WORDS.values()):
        return f"{words.removeprefix('with ')}: {value}"
    return f"{value} {words}"


def which_version(block: JobBlock) -> str:
    """Name the version whose figures are shown, where those of others differ."""
    name = reading_words(block.tightest)
    return f" {printable(name)}" if others_in_brackets(block, memory_of) and name.startswith(IF_IT_IS) else ""


def memory_of(result: Result) -> str:
    """Return what a step needs, as readings differ in it."""
    memory = result.facts.memory if result.facts is not None else None
    if memory is None:
        return "not judged"
    return figure_words(peak(memory))
