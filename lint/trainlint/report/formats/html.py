# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One HTML file to look at: verdicts, targets, the run's plan, the config with its findings."""

from __future__ import annotations

from trainlint.model.result import Report
from trainlint.report.format import Format
from trainlint.report.page.html_page import document
from trainlint.report.style import Style


def render(report: Report, _style: Style) -> str:
    """Return the page, without the curves that `trainlint explain --html` draws."""
    return document(report)


FORMAT = Format(render, notes=True)
