# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns of .gitignore: git's meaning, and never more than a moment."""

from __future__ import annotations

import inspect
import sys
from fnmatch import fnmatch
from pathlib import Path, PurePath
from time import process_time

import pytest

from trainlint.documents.discover import discover
from trainlint.errors import UsageError
from trainlint.files.glob_patterns import (
    MOST_PATTERN_CHARACTERS,
    _compiled,
    ending_of,
    matches_name,
    pattern_of,
)
from trainlint.files.read_limits import IGNORE_BYTES, IGNORE_LINES

STARS = "*a" * 60 + "b"
"""Splitting 200 a's between 60 stars has more ways than there are atoms."""

SECONDS = 3
"""Ten patterns of the greatest length take half a second; ten that are searched for each bracket took six."""


@pytest.mark.parametrize(
    ("line", "path", "folder", "expected"),
    [
        ("a.yml", "x/a.yml", False, True),
        ("/a.yml", "x/a.yml", False, False),
        ("x/a.yml", "y/x/a.yml", False, False),
        ("**/x/a.yml", "y/x/a.yml", False, True),
        ("out/", "out", False, False),
        ("out/", "y/out", True, True),
        ("*.tmp.*", "y/a.tmp.yml", False, True),
        ("a/**/b", "a/b", False, True),
        ("a/**/b", "a/x/y/b", False, True),
        ("a/**/b/**/c", "a/b/x/b/y/c", False, True),
        ("a/**", "a", True, False),
        ("a/**", "a/x/y", False, True),
        ("***/b", "x/y/b", False, True),
        ("a*c", "a/c", False, False),
        ("x/?", "x/y", False, True),
        ("[!a-c]x", "dx", False, True),
        ("[!a-c]x", "bx", False, False),
        ("[[:digit:]].yml", "7.yml", False, True),
        ("\\#a", "#a", False, True),
        ("\\!a", "!a", False, True),
        ("a\\*", "ab", False, False),
        ("a\\ ", "a ", False, True),
        ("a  ", "a", False, True),
        ("\\[a", "[a", False, True),
        ("[]a]b", "]b", False, True),
        ("*a*b", "xaxb", False, True),
        ("*a*b", "xaxbx", False, False),
    ],
)
def test_a_line_means_what_it_means_to_git(line: str, path: str, folder: bool, expected: bool) -> None:
    found = pattern_of(line)
    assert found is not None
    assert found.matches(path, folder=folder) is expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ",
        "# a comment",
        "/",
        "a" * (MOST_PATTERN_CHARACTERS + 1),
        "[z-a]",
        "[a",
        "x/[a",
        "[\\]",
        "*[",
        "[" * 9,
    ],
)
def test_a_line_that_can_match_nothing_is_none(line: str) -> None:
    assert pattern_of(line) is None


def test_a_negation_says_so() -> None:
    found = pattern_of("!keep.yml")
    assert found is not None
    assert not found.ignores
    assert found.matches("keep.yml", folder=False)


def test_many_stars_in_a_gitignore_end(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(f"{STARS}\n{'**/*a*/' * 60}b\n")
    (tmp_path / ("a" * 200 + ".yml")).write_text("a: 1")
    assert [Path(found.path).name for found in discover([str(tmp_path)])] == ["a" * 200 + ".yml"]


def matches_end(path: str, pattern: str) -> bool:
    ending = ending_of(pattern)
    return ending is not None and ending.matches(PurePath(path))


def test_many_stars_in_exclude_end() -> None:
    assert not matches_end("a" * 200, STARS)
    assert matches_end("x/" + "a" * 200 + "b", STARS)


def test_exclude_matches_from_the_end() -> None:
    assert matches_end("x/y/z.yml", "y/*.yml")
    assert matches_end("x/y/z.yml", "y/z.yml")
    assert not matches_end("x/y/z.yml", "x/*.yml")
    assert matches_end("/x/z.yml", "/x/*.yml")
    assert not matches_end("/y/x/z.yml", "/x/*.yml")
    assert not matches_end("z.yml", "")
    assert not matches_end("z.yml", "z" * (MOST_PATTERN_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("a[b", "a[b"),
        ("a[[b", "a[[b"),
        ("x[", "[xy]["),
        ("[]", "[[]]"),
        ("a/b", "a*b"),
        ("]", "[]]"),
        ("[!]", "[!]"),
    ],
)
def test_a_bracket_left_open_in_a_glob_stands_for_itself(name: str, pattern: str) -> None:
    assert fnmatch(name, pattern)
    assert matches_name(name, pattern)


@pytest.mark.parametrize("signs", ["[", "[a", "[\\]", "[!", "[:a", "*[", "[]"])
def test_brackets_left_open_take_time_that_grows_with_their_number(signs: str) -> None:
    pattern = signs * (MOST_PATTERN_CHARACTERS // len(signs))
    start = process_time()
    for _ in range(10):
        pattern_of(pattern)
        _compiled.__wrapped__(pattern)
    assert process_time() - start < SECONDS


def test_a_gitignore_of_too_many_lines_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("a\n" * (IGNORE_LINES + 1))
    with pytest.raises(UsageError, match=r"\.gitignore\" holds more than 10,000 lines"):
        list(discover([str(tmp_path)]))


def test_folders_may_be_nested_deeper_than_pythons_stack(tmp_path: Path) -> None:
    config = tmp_path.joinpath(*"d" * 300, "a.yml")
    config.parent.mkdir(parents=True)
    config.write_text("a: 1")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    try:
        assert [source.path for source in discover([str(tmp_path)])] == [str(config)]
    finally:
        sys.setrecursionlimit(limit)


def test_a_large_gitignore_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("a" * (IGNORE_BYTES + 1))
    with pytest.raises(UsageError, match=r"\.gitignore\" is larger than 200,000 bytes, too much to match"):
        list(discover([str(tmp_path)]))
