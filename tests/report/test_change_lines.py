# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The lines that a fix takes out and puts in."""

from __future__ import annotations

from trainlint.model.document import Span
from trainlint.model.finding import Edit
from trainlint.report import change_lines
from trainlint.report.change_lines import changed_lines


def edit(text: str, old: str, new: str) -> Edit:
    start = text.index(old)
    return Edit(Span(start, start + len(old)), new)


def test_lines_are_numbered_before_and_after() -> None:
    text = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n"
    edits = [edit(text, "e: 5", "e: 6"), edit(text, "a: 1\n", ""), edit(text, "c: 3", "c: 3\nx: 0")]
    assert list(changed_lines(text, edits)) == [
        ("-", 1, "a: 1"),
        ("+", 3, "x: 0"),
        ("-", 5, "e: 5"),
        ("+", 5, "e: 6"),
    ]


def test_lines_next_to_each_other_are_one_change() -> None:
    text = "a: 1\nb: 2\nc: 3"
    edits = [edit(text, "b: 2", "b: 7"), edit(text, "c: 3", "c: 8")]
    assert [line for _, _, line in changed_lines(text, edits)] == ["b: 2", "c: 3", "b: 7", "c: 8"]


def test_what_lies_between_two_edits_is_compared_with_nothing(monkeypatch) -> None:
    compared = []
    real = change_lines.SequenceMatcher

    def matcher(_junk, old, new, **options):
        compared.append((len(old), len(new)))
        return real(None, old, new, **options)

    monkeypatch.setattr(change_lines, "SequenceMatcher", matcher)
    text = "a: 1\n" + "\n" * 1000 + "z: 2\n"
    edits = [edit(text, "a: 1", "a: 3"), edit(text, "z: 2", "z: 4")]
    assert list(changed_lines(text, edits)) == [
        ("-", 1, "a: 1"), ("+", 1, "a: 3"), ("-", 1002, "z: 2"), ("+", 1002, "z: 4"),
    ]  # fmt: skip
    assert compared == [(1, 1), (1, 1)]
