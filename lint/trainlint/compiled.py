# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules, schemas, hardware and expressions, read and compiled once for all later runs.

Rules, schemas and the tables of hardware are kept with a digest of their files' states, expressions in the
engine's own form under their whole text and the types of their variables: a text that was never kept is
compiled as any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from trainlint.shipped import data_state, keep_value, kept_value

DATA, EXPRESSIONS = "shipped-data", "shipped-expressions"


@cache
def data() -> Mapping[str, Mapping[str, Any]]:
    """Return `rules`, `schemas` and `tables`, file's stem -> what is in it; empty before it is kept."""
    return {"rules": {}, "schemas": {}, "tables": {}, **(kept_value(DATA, data_state()) or {})}


def is_kept(engine: str) -> bool:
    """Say whether all of it is there, for this build of the engine."""
    return bool(data()["rules"]) and bool(_expressions(engine))


def expression(key: str, engine: str) -> bytes | None:
    """Return the compiled form of an expression, of this very build of the engine; None where it has none."""
    return _expressions(engine).get(key)


@cache
def _expressions(engine: str) -> Mapping[str, bytes]:
    return kept_value(EXPRESSIONS, engine) or {}


def keep_all(found: Mapping[str, Mapping[str, Any]], expressions: Mapping[str, bytes], engine: str) -> None:
    """Keep what was read and compiled; what is of other types than JSON's is left out."""
    same = {
        kind: {name: value for name, value in entries.items() if json.loads(json.dumps(value)) == value}
        for kind, entries in found.items()
    }
    keep_value(DATA, data_state(), same)
    keep_value(EXPRESSIONS, engine, dict(expressions))
    data.cache_clear()
    _expressions.cache_clear()
