# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A report as a notebook shows it under a cell: a table of the jobs, and the report for people as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.model.result import Report, Result
from trainlint.report.closing import NAMES, headline, place_of
from trainlint.report.formats.text import render
from trainlint.report.job_block import blocks
from trainlint.report.left_open import left_open
from trainlint.report.markdown_text import figures
from trainlint.report.style import ANSI_CODES, OUTCOMES, Style, harmless, printable

COLOURS: Final = {
    "red": "var(--jp-error-color1, #d33a2c)",
    "yellow": "var(--jp-warn-color0, #b07800)",
    "green": "var(--jp-success-color1, #2e8b3d)",
    "blue": "var(--jp-brand-color1, #2f7fd6)",
    "cyan": "var(--jp-info-color1, #168a9c)",
}
"""Colours by the names in CODES: JupyterLab's own, else ones to be read on white and on black (3.8:1)."""

_HEAD: Final = ("", "job", "memory", "", "time", "disk")
_MONO: Final = "font-family:var(--jp-code-font-family, monospace)"
_PRE: Final = f"{_MONO};white-space:pre-wrap;word-break:normal;overflow-wrap:break-word"
_CELL: Final = "text-align:left;padding:2px 12px 2px 0;border:0"


def _css(name: str) -> str:
    """Return how a colour of CODES is written in CSS."""
    if name in COLOURS:
        return f"color:{COLOURS[name]}"
    return {"bold": "font-weight:600", "dim": "opacity:.65"}[name]


_SPANS: Final = {f"\x1b[{code}m": f"<span style='{_css(name)}'>" for name, code in ANSI_CODES.items()} | {
    "\x1b[0m": "</span>"
}
_PAINT: Final = later("|".join(map(re.escape, _SPANS)))


def page(report: Report, style: Style) -> str:
    """Return HTML for a notebook's output; without the styles, which some viewers drop, it reads the same."""
    shown = [block.result for block in blocks(report.results)]
    table = _table(shown) if any(result.facts is not None for result in shown) else ""
    return f"{table}<pre style='{_PRE}'>{_painted(report, style)}</pre>"


def _painted(report: Report, style: Style) -> str:
    """Return the report for people with its colours as spans."""
    text = escape(harmless(render(report, Style(colour=True, width=style.width, verbose=style.verbose))))
    return _PAINT.sub(lambda match: _SPANS[match[0]], text)


def _table(results: list[Result]) -> str:
    head = "".join(f"<th style='{_CELL}'>{name}</th>" for name in _HEAD)
    rows = "".join(f"<tr>{''.join(_cells(result))}</tr>" for result in results)
    return f"<table style='border-collapse:collapse'><tr>{head}</tr>{rows}</table>"


def _cells(result: Result) -> Iterator[str]:
    outcome = headline(result)
    colour = COLOURS[OUTCOMES[outcome]]
    bar, *words = figures(result)
    memory = (bar, words[0]) if bar else ("", "; ".join(left_open(result)))
    yield f"<td style='{_CELL};color:{colour}'><b>{NAMES[outcome]}</b></td>"
    yield f"<td style='{_CELL}'>{_text(place_of(result))}</td>"
    yield f"<td style='{_CELL};color:{colour};{_MONO}'>{memory[0]}</td>"
    yield from (f"<td style='{_CELL}'>{_text(cell)}</td>" for cell in (memory[1], *words[1:]))


def _text(value: str) -> str:
    return escape(harmless(printable(value)))
