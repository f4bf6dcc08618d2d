# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What became of a slip."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A slip: where it was planted, what was done, by which rules it is found, and what else is new."""

    repository: str
    commit: str
    kind: str
    file: str
    done: str
    found: str
    elsewhere: str
