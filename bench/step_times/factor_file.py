# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Writing what was fitted into factors.toml, whose comments stay."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainlint.estimate.speed.rate_factors import FILE


def put(table: str, values: Mapping[str, str]) -> None:
    """Replace the value of each key of a table, key and value as TOML writes them."""
    text = FILE.read_text(encoding="utf-8")
    before, header, rest = text.partition(f"[{table}]\n")
    own, following, after = rest.partition("\n[")
    for key, value in values.items():
        own, count = re.subn(
            rf"^{re.escape(key)} = (\[[^]\n]*\]|[\d.e+-]+)", f"{key} = {value}", own, flags=re.MULTILINE
        )
        if count != 1:
            raise SystemExit(f"[{table}] in {FILE.name} has no {key}, or two")
    FILE.write_text(before + header + own + following + after, encoding="utf-8")
