# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What files import is parsed once and kept by their texts."""

from __future__ import annotations

import pytest

from trainlint.repository.imports import top_imports
from trainlint.repository.imports.top_imports import Import, TopImports
from trainlint.shipped import kept_data

TEXT = """import os, torch.nn as nn
from . import own
from ..nets.own import Own, build as made
try:
    import apex
except ImportError:
    pass
"""
IMPORTS = (
    Import(1, 0, "os"),
    Import(1, 0, "torch.nn"),
    Import(2, 1, "", ("own",)),
    Import(3, 2, "nets.own", ("Own", "build")),
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_data, "_folder", lambda: tmp_path)
    return tmp_path / top_imports.NAME


@pytest.mark.parametrize(("text", "imports"), [(TEXT, IMPORTS), ("def", None), ("", ())])
def test_a_text_is_parsed_once(cache, monkeypatch, text, imports):
    for _ in range(2):
        asked = TopImports()
        assert asked.of(text) == imports
        asked.keep()
        monkeypatch.setattr(top_imports, "parsed", None)


def test_what_was_asked_for_last_is_kept(cache, monkeypatch):
    monkeypatch.setattr(top_imports, "MOST_KEPT", 3)
    for names in ("ab", "cb", "d"):
        asked = TopImports()
        for name in names:
            asked.of(f"import {name}")
        asked.keep()
    known = TopImports()
    parsed = []
    monkeypatch.setattr(top_imports, "parsed", lambda text: parsed.append(text[-1]))
    for name in "abcd":
        known.of(f"import {name}")
    assert parsed == ["a"]


def test_what_is_damaged_is_parsed_again(cache):
    asked = TopImports()
    asked.of(TEXT)
    asked.keep()
    cache.write_bytes(cache.read_bytes()[:-1])
    assert TopImports().of(TEXT) == IMPORTS
