# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How bad a finding is, in the words of compilers: only the text speaks of errors, warnings and hints."""

from __future__ import annotations

from enum import StrEnum

from trainlint.model.finding import Finding, Level


class Severity(StrEnum):
    """The text's words for a level, the worst first."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.HINT: "cyan"}
"""The colour of each (a key of style.CODES)."""


def severity_of(finding: Finding) -> Severity:
    """Return an error for what fails, a hint for a warning on which no crash, memory or session hangs."""
    if finding.level is Level.FAIL:
        return Severity.ERROR
    return Severity.HINT if finding.hint else Severity.WARNING
