# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What somebody may have meant: near names are found, and a word of any length is cheap."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from trainlint.errors import LONGEST_WORD, most_alike, words_alike


@pytest.mark.parametrize(("word", "near"), [("vea", "vae"), ("nope", None), ("", None)])
def test_most_alike(word: str, near: str | None) -> None:
    assert most_alike(word, ["vae", "ignore"]) == near


def test_the_likest_comes_first_and_no_more_than_asked_for() -> None:
    assert words_alike("gt_size", ["gt_sizes", "lq_size", "gt_sise"], 2) == ["gt_sizes", "gt_sise"]
    assert words_alike("gt_size", ["gt_sizes"], 0) == []


@pytest.mark.parametrize("extra", [0, 1])
def test_words_longer_than_any_name_are_not_compared(extra: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two words of 100,000 letters, as a hostile file may have them, would be compared for minutes."""
    seen: list[str] = []
    indexed = SequenceMatcher.set_seq2
    monkeypatch.setattr(SequenceMatcher, "set_seq2", lambda self, b: (seen.append(b), indexed(self, b))[1])
    long = "--data_pa" + "t" * (LONGEST_WORD - 9 + extra)
    assert most_alike(long, ["--data_path", long[:-1] + "h"]) == (None if extra else long[:-1] + "h")
    assert all(len(word) <= LONGEST_WORD for word in seen)
