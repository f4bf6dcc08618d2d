# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Markdown that fits into a comment on a pull request."""

from __future__ import annotations

from typing import Final

from trainlint.model.result import Report
from trainlint.report.format import Format
from trainlint.report.markdown_text import document
from trainlint.report.style import Style

MOST_COMMENT_CHARACTERS: Final = 65_536
"""Characters that GitHub takes in one comment ("body is too long (maximum is 65536 characters)")."""


def render(report: Report, _style: Style) -> str:
    """Return the report as Markdown; bytes are counted, which are at least as many as characters."""
    return document(report, MOST_COMMENT_CHARACTERS)


FORMAT = Format(render, notes=True)
