# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a job needs once an edit is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from trainlint.model.facts import Range, Sessions


class After(Struct, frozen=True):
    """What a job needs once it is edited: bytes of memory and disk, hours and sessions; None: not known.

    `samples`: what the whole run learns from then; `thousand_hours` are its hours with 1,000 of them, where
    their number is not known, and `named` what they are.
    """

    memory: tuple[int, int] | None = None  # least, expect
    hours: Range | None = None
    sessions: Sessions | None = None
    disk: int | None = None
    samples: int | None = None
    thousand_hours: Range | None = None
    named: str = "images"
