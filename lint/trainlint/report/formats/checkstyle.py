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
    for one in (*placed(report.results), *not_judged(report.results)):
        files.setdefault(path_from_root(one.result.path), []).append(one)
    root = element(None, "checkstyle", version=VERSION)
    for path in sorted(files):
        file = element(root, "file", name=path)
        for one in sorted(files[path], key=lambda each: (each.line, each.column, each.rule)):
            element(
                file,
                "error",
                line=one.line,
                column=one.column,
                severity=SEVERITIES[one.finding.level if one.finding is not None else None],
                message=one.message,
                source=f"trainlint.{one.rule}",
            )
    return xml(root)


FORMAT = Format(render)
