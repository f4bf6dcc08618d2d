# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules, schemas and expressions as they were read and compiled once: no run does it again.

Rules and schemas are kept as JSON with a digest of their files' states, expressions in the engine's own form
under their whole text and the types of their variables: a text that was never kept is compiled as any other.
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

FORMAT = 2

DATA, EXPRESSIONS = "shipped-data.json", "shipped-expressions.json"


@cache
def data() -> Mapping[str, Mapping[str, Any]]:
    """Return `rules` and `schemas`, file's stem -> what is in it; both empty where they were not kept yet."""
    return _body(DATA, data_state()) or {"rules": {}, "schemas": {}}


def is_kept(engine: str) -> bool:
    """Say whether all of it is there, for this build of the engine."""
    return bool(data()["rules"]) and bool(_expressions(engine))


def expression(key: str, engine: str) -> bytes | None:
    """Return the compiled form of an expression, of this very build of the engine; None where it has none."""
    form = _expressions(engine).get(key)
    return None if form is None else b64decode(form)


@cache
def _expressions(engine: str) -> Mapping[str, str]:
    return _body(EXPRESSIONS, engine) or {}


def keep_all(found: Mapping[str, Mapping[str, Any]], expressions: Mapping[str, bytes], engine: str) -> None:
    """Keep what was read and compiled; what JSON would not give back as it was is left out."""
    same = {
        kind: {name: value for name, value in entries.items() if json.loads(json.dumps(value)) == value}
        for kind, entries in found.items()
    }
    keep(DATA, _text(same, data_state()))
    keep(EXPRESSIONS, _text({key: b64encode(form).decode() for key, form in expressions.items()}, engine))
    data.cache_clear()
    _expressions.cache_clear()


def _text(body: object, state: str) -> str:
    """Write a line that says what the rest was made of and what it hashes to, and the rest."""
    text = json.dumps(body)
    return f"{_head(text, state)}\n{text}"


def _body(name: str, state: str) -> Any:
    """Return what was kept; None where it is of another state, or not as it was written."""
    head, _, text = (kept(name) or "").partition("\n")
    return json.loads(text) if head == _head(text, state) else None


def _head(text: str, state: str) -> str:
    return f"{FORMAT} {__version__} {state} {crc32(text.encode()):08x}"
