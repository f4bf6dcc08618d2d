# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A line of thousands of flags is not gone through again for each that is written twice."""

from __future__ import annotations

import re

import pytest

from trainlint.dialects.check import validate
from trainlint.documents.file_format import read
from trainlint.model.document import Source

TWICE = 500


def test_a_long_line_is_not_gone_through_for_each_of_its_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "python train.py " + " ".join(f"--flag{number} 1 --flag{number} 2" for number in range(TWICE))
    (document,) = read(Source("train.sh", f"{text}\n"))
    looked: list[int] = []
    cut = re.sub

    def counted(pattern: str, new: str, rest: str) -> str:
        looked.append(len(rest))
        return cut(pattern, new, rest)

    monkeypatch.setattr(validate.re, "sub", counted)
    assert len([*validate._duplicates(document, "")]) == TWICE
    assert max(looked) <= validate.MOST_COMPARED
