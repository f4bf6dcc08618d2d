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
    found = (*placed(report.results), *not_judged(report.results))
    return encoded([_issue(one, fingerprint) for one, fingerprint in fingerprints(found)])


def _issue(one: Placed, fingerprint: str) -> dict[str, Any]:
    return {
        "description": printable(one.message),
        "check_name": one.rule,
        "fingerprint": fingerprint,
        "severity": SEVERITIES[one.finding.level if one.finding is not None else None],
        "location": {
            "path": path_from_root(one.result.path),
            "lines": {"begin": one.line, "end": one.end_line},
        },
    }


FORMAT = Format(render)
