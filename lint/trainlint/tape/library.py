# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The library that a tape's networks and sizes are of, where its version decides them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Library:
    """The library whose version decided networks and sizes; `pin` is what the files around the job ask for.

    `agrees` is False where that, or what is installed, is another version; None where none is asked for.
    """

    name: str
    version: str
    pin: str = ""
    agrees: bool | None = None
