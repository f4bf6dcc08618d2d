# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns that were kept are those that would have been compiled; what is no code is compiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint import pattern_store
from trainlint.pattern_store import _given, _handed, compiled
from trainlint.resources import PACKAGE

TEXTS = st.text(st.sampled_from("aB_-1 \n[]()'\"xy.=\u00e9"), max_size=20)


def _shipped() -> list[re.Pattern[str]]:
    """Return all patterns that modules hold for later."""
    files = [path for path in PACKAGE.rglob("*.py") if "= later(" in path.read_text("utf-8")]
    modules = [
        import_module(
            ".".join(
                part for part in path.relative_to(PACKAGE.parent).with_suffix("").parts if part != "__init__"
            )
        )
        for path in files
    ]
    values = [
        value for module in modules for value in vars(module).values() if type(value).__name__ == "_Later"
    ]
    return [re.compile(*value._written) for value in values]


SHIPPED = _shipped()


def _again(pattern: re.Pattern[str], flags: int = 0) -> re.Pattern[str]:
    return _given(pattern.pattern, *_handed((pattern.pattern, flags), pattern))


def test_each_shipped_pattern_comes_back_as_it_was() -> None:
    assert len(SHIPPED) > 150
    for pattern in SHIPPED:
        found = _again(pattern, pattern.flags)
        assert found == pattern  # of the same code, says Python
        assert (found.groups, found.groupindex, found.flags) == (
            pattern.groups,
            pattern.groupindex,
            pattern.flags,
        )


@given(st.sampled_from(SHIPPED), TEXTS)
def test_it_finds_the_same(pattern: re.Pattern[str], text: str) -> None:
    found = _again(pattern, pattern.flags)
    assert [match.span() for match in found.finditer(text)] == [
        match.span() for match in pattern.finditer(text)
    ]


@pytest.fixture
def kept(monkeypatch):
    """Say what is known, and see what is compiled."""
    seen: list[str] = []

    def compile_(text, flags=0):
        seen.append(text)
        return re.compile(text, flags)

    def know(found):
        monkeypatch.setattr(pattern_store, "_known", lambda: found)
        monkeypatch.setattr(pattern_store, "_missed", {"": None})
        monkeypatch.setattr(pattern_store, "_COMPILE", compile_)
        return seen

    return know


def test_a_known_pattern_is_not_compiled(kept) -> None:
    written = (r"a(?P<more>b+)", int(re.IGNORECASE))
    seen = kept({written: _handed(written, re.compile(*written))})
    assert compiled(r"a(?P<more>b+)", re.IGNORECASE).search("xABB")["more"] == "BB"
    assert seen == []
    assert compiled(r"a(?P<more>b+)").search("xABB") is None
    assert seen == [r"a(?P<more>b+)"]


@pytest.mark.parametrize(
    "handed",
    [
        (0, b"", 0, {}), (0, b"abc", 0, {}), (0, b"\xff" * 64, 0, {}), (0, "code", 0, {}),
        (0, b"\0" * 4, -1, {}), (0, b"\0" * 4, 1, {"a": 7}), (1 << 70, b"\0" * 4, 0, {}),
    ],
)  # fmt: skip
def test_what_is_no_code_is_compiled(kept, handed) -> None:
    seen = kept({("ab?", 0): handed})
    assert compiled("ab?").fullmatch("ab")
    assert seen == ["ab?"]


def test_a_wrong_pattern_raises_as_python_does(kept) -> None:
    kept({})
    with pytest.raises(re.error):
        compiled("(")


TWICE = """
import re, sys
from pathlib import Path
from trainlint import pattern_store, shipped
shipped._folders = lambda: iter((Path(sys.argv[1]),))
pattern_store._COMPILE = lambda *written: (print(*written), re.compile(*written))[1]
assert pattern_store.compiled("a(b)?c", 2).fullmatch("ABC")[1] == "B"
"""


def test_the_next_process_finds_what_one_compiled(tmp_path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def said() -> str:
        command = [sys.executable, "-c", TWICE, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert (said(), said()) == ("a(b)?c 2\n", "")
    kept = tmp_path / pattern_store.KEPT
    kept.write_bytes(kept.read_bytes()[:-3])
    assert (said(), said()) == ("a(b)?c 2\n", "")


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path) -> None:
    subprocess.run([sys.executable, "-B", "-c", TWICE, str(tmp_path)], capture_output=True, check=True)
    assert list(tmp_path.iterdir()) == []
