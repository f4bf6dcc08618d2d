# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How published trainers use each key of their options (published_uses.json, by bench/tables/key_uses.py)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

Table = Mapping[str, Mapping[str, Collection[str]]]
"""Dialect -> key -> digests of its uses."""


@cache
def published_uses() -> Table:
    """Return the digests, read once."""
    table: Table = json.loads(Path(__file__).with_name("published_uses.json").read_text(encoding="utf-8"))
    return {
        dialect: {key: frozenset(known) for key, known in keys.items()} for dialect, keys in table.items()
    }
