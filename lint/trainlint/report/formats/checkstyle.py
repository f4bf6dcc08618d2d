# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Checkstyle's XML, which review tools and CI servers read: the findings by file."""

from __future__ import annotations

from trainlint.model.finding import Level
from trainlint.model.result import Report
from trainlint.report.format import Format
from trainlint.report.placed_findings import Placed, not_judged, path_from_root, placed
from trainlint.report.style import Style
from trainlint.report.xml_text import element, xml

VERSION = "4.3"
"""The format's version that readers expect."""

SEVERITIES = {Level.FAIL: "error", Level.WARN: "warning", None: "info"}


def render(report: Report, _style: Style) -> str:
    """Return an element for each file that has something to report."""
    files: dict[str, list[Placed]] = {}
    for placed_finding in (*placed(report.results), *not_judged(report.results)):
        files.setdefault(path_from_root(placed_finding.result.path), []).append(placed_finding)
    root = element(None, "checkstyle", version=VERSION)
    for path in sorted(files):
        file = element(root, "file", name=path)
        for placed_finding in sorted(
            files[path],
            key=lambda placed_finding: (placed_finding.line, placed_finding.column, placed_finding.rule),
        ):
            element(
                file,
                "error",
                line=placed_finding.line,
                column=placed_finding.column,
                severity=SEVERITIES[
                    placed_finding.finding.level if placed_finding.finding is not None else None
                ],
                message=placed_finding.message,
                source=f"trainlint.{placed_finding.rule}",
            )
    return xml(root)


FORMAT = Format(render)
