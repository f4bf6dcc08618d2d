# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What was judged, family by family: an outcome alone hides that memory was not judged."""

from __future__ import annotations

from enum import StrEnum

FAMILIES = ("memory", "time", "disk", "host")
"""The families of facts, each with a verdict of its own."""


class Verdict(StrEnum):
    """What the rules of one family came to."""

    FAIL = "fail"
    WARN = "warn"
    NOT_JUDGED = "not-judged"
    PASS = "pass"  # noqa: S105  # a verdict, not a password
