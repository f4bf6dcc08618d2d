# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Stored profiles that were not used, said on standard error."""

from __future__ import annotations

from trainlint.cli.console import complain
from trainlint.estimate.tapes.tape_source import TapeSource


def report_refused(tapes: TapeSource) -> None:
    """Say on stderr which stored profiles were not used, and why."""
    for line in tapes.refused():
        complain(line)
