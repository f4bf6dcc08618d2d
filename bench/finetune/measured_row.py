# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measured run: its config, its card, and what was measured of its memory."""

from __future__ import annotations

from msgspec import Struct


class Row(Struct, frozen=True):
    """A measured run: its config, its card, and its peak (`measured`; None: it ran out of memory).

    `reserved`: the figure is of what the allocator had from the driver, or may be; otherwise of live bytes.
    """

    name: str
    table: str
    quantised: str
    config: str
    card: str
    measured: int | None
    reserved: bool = False
