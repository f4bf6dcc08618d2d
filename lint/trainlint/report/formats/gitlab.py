# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GitLab's code quality report: findings in the changes of a merge request.

Source: docs.gitlab.com, "Code Quality", "Code Quality report format".
"""

from __future__ import annotations

from typing import Any

from trainlint.model.finding import Level
from trainlint.model.result import Report
from trainlint.report.fingerprint import fingerprints
from trainlint.report.format import Format
from trainlint.report.json_version_1 import encoded
from trainlint.report.placed_findings import Placed, not_judged, path_from_root, placed
from trainlint.report.style import Style, printable

SEVERITIES = {Level.FAIL: "critical", Level.WARN: "minor", None: "info"}


def render(report: Report, _style: Style) -> str:
    """Return one object for each finding, and one for each job that was not judged."""
    all_placed = (*placed(report.results), *not_judged(report.results))
    return encoded(
        [_issue(placed_finding, fingerprint) for placed_finding, fingerprint in fingerprints(all_placed)]
    )


def _issue(placed_finding: Placed, fingerprint: str) -> dict[str, Any]:
    return {
        "description": printable(placed_finding.message),
        "check_name": placed_finding.rule,
        "fingerprint": fingerprint,
        "severity": SEVERITIES[placed_finding.finding.level if placed_finding.finding is not None else None],
        "location": {
            "path": path_from_root(placed_finding.result.path),
            "lines": {"begin": placed_finding.line, "end": placed_finding.end_line},
        },
    }


FORMAT = Format(render)
