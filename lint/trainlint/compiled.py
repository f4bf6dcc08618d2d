# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules, schemas, hardware and expressions, read and compiled once for all later runs.

Rules, schemas and the tables of hardware are kept as JSON with a digest of their files' states, expressions
in the engine's own form under their whole text and the types of their variables: a text that was never kept
is compiled as any other.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any
from zlib import crc32

from trainlint import __version__
from trainlint.shipped import data_state, keep, kept

FORMAT = 3

DATA, EXPRESSIONS = "shipped-data.json", "shipped-expressions.txt"
ENTRY, FORM = "\x1e", "\x1f"
"""Signs between the entries of the expressions, and before an entry's form: no run asks for more than a few
of them, and JSON would have each looked at for escapes."""


@cache
def data() -> Mapping[str, Mapping[str, Any]]:
    """Return `rules`, `schemas` and `tables`, file's stem -> what is in it; empty before it is kept."""
    text = _body(DATA, data_state())
    return {"rules": {}, "schemas": {}, "tables": {}, **(json.loads(text) if text else {})}


def is_kept(engine: str) -> bool:
    """Say whether all of it is there, for this build of the engine."""
    return bool(data()["rules"]) and bool(_expressions(engine))


def expression(key: str, engine: str) -> bytes | None:
    """Return the compiled form of an expression, of this very build of the engine; None where it has none."""
    form = _expressions(engine).get(key)
    return None if form is None else b64decode(form)


@cache
def _expressions(engine: str) -> Mapping[str, str]:
    text = _body(EXPRESSIONS, engine)
    return dict(entry.split(FORM) for entry in text.split(ENTRY)) if text else {}


def keep_all(found: Mapping[str, Mapping[str, Any]], expressions: Mapping[str, bytes], engine: str) -> None:
    """Keep what was read and compiled; what JSON would not give back as it was is left out."""
    same = {
        kind: {name: value for name, value in entries.items() if json.loads(json.dumps(value)) == value}
        for kind, entries in found.items()
    }
    keep(DATA, _text(json.dumps(same), data_state()))
    forms = (
        f"{key}{FORM}{b64encode(form).decode()}"
        for key, form in expressions.items()
        if {ENTRY, FORM}.isdisjoint(key)
    )
    keep(EXPRESSIONS, _text(ENTRY.join(forms), engine))
    data.cache_clear()
    _expressions.cache_clear()


def _text(text: str, state: str) -> str:
    """Return a line that says what the rest was made of and what it hashes to, and the rest."""
    return f"{_head(text, state)}\n{text}"


def _body(name: str, state: str) -> str | None:
    """Return what was kept; None where it is of another state, or not as it was written."""
    head, _, text = (kept(name) or "").partition("\n")
    return text if head == _head(text, state) else None


def _head(text: str, state: str) -> str:
    return f"{FORMAT} {__version__} {state} {crc32(text.encode()):08x}"
