# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's Python without its comments is still the same program."""

from __future__ import annotations

import ast

import pytest

from trainlint.repository.trainer.python_texts import without_comments


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = 1\n# b = 2\n", "a = 1\n\n"),
        ("'''\nold = 1\n# ratio = 0.1'''\nlr = 1\n", "'''\nold = 1\n'''\nlr = 1\n"),
        ('"""Doc.\n\n  # of it"""; lr = 1\n', '"""Doc.\n\n"""; lr = 1\n'),
        ("# '''\nlr = 1\n# '''\n", "\nlr = 1\n\n"),
        ("x = '#\\''  # it's\n# don't '''\ny = \"'''\"\n", "x = '#\\''  # it's\n\ny = \"'''\"\n"),
    ],
)
def test_a_line_of_comment_in_a_string_may_end_it(text, left):
    assert without_comments(text) == left
    assert ast.parse(left)


def test_backslashes_in_a_string_that_never_ends_take_no_time() -> None:
    text = "'''" + "\\" * 5_000
    assert without_comments("# '''\n" + text) == "\n" + text
