# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON with and without comments: values as json.loads gives them, places of every one."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.config.jsonc import parse_json
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.model.document import Document, Source


def one(text: str) -> Document:
    (document,) = parse_json(Source("a.json", text))
    return document


def test_comments_are_skipped_outside_texts_and_noted() -> None:
    document = one('// head\n{\n  "url": "http://x/*y*/", // where\n  /* long\n  one */ "n": 1e-4\n}\n')
    assert document.value == {"url": "http://x/*y*/", "n": 1e-4}
    assert document.meta["comments"] == ("/*", "//")
    place = document.places["n",]
    assert place.key is not None
    assert document.source.position(place.key.start) == (5, 10)
    assert document.raw(("n",)) == "1e-4"
    assert document.raw(("url",)) == '"http://x/*y*/"'
    assert one("{}").meta["comments"] == ()


def test_duplicate_keys() -> None:
    document = one('{"a": {"b": 1},\n "a": [2]}')
    (duplicate,) = document.duplicates
    assert document.value == {"a": [2]}
    assert document.source.position(duplicate.second.start) == (2, 2)
    assert set(document.places) == {(), ("a",), ("a", 0)}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "is empty"),
        ("// x\n", 1, 1, "is empty"),
        ('{"a": 1,\n}', 1, 8, 'a trailing comma before "}"'),
        ('{"a": [1,\n 2, ]}', 2, 3, 'a trailing comma before "]"'),
        ('{"a": 1\n "b": 2}', 1, 8, 'expected "," or "}"'),
        ('{"a" 1}', 1, 6, 'expected ":" after the key "a"'),
        ("{a: 1}", 1, 2, "expected a key in double quotes"),
        ('{"a": True}', 1, 7, "JSON writes true"),
        ("{\"a\": 'x'}", 1, 7, "double quotes"),
        ('{"a": "x}\n', 1, 7, "quote is not closed on its line"),
        ('{"a": "\\x"}', 1, 8, "escape"),
        ('{"a": [1', 1, 9, 'the "[" of line 1 is not closed'),
        ('{"a": 1} x', 1, 10, "expected the end"),
        ('{"a": 1 /* x }', 1, 9, "never closed"),
        ('{"a": ', 1, 7, "the file ends"),
        ("[" * 200_000, 1, 101, "nested more than"),
        ('{"a": ' + "1" * 5000 + "}", 1, 7, "more than 1,000 characters"),
    ],
)
def test_bad_json_gets_one_message_with_a_position(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        one(text)
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.rest
def test_data_files_are_too_large_and_duplicates_stay_cheap() -> None:
    start = time.process_time()
    with pytest.raises(TooLargeError):
        one("[" + "1," * 150_000 + "1]")
    assert len(one("{" + '"a": 1,' * 60_000 + '"a": 1}').duplicates) == 60_000
    assert time.process_time() - start < 20


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=25,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [(path, value), *(leaf for key, child in children for leaf in leaves(child, (*path, key)))]


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_any_value_comes_back_and_every_span_reads_as_its_value(
    value: Any, indent: int | None, ascii_only: bool, end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).replace("\n", end)
    document = one(text)
    assert document.value == json.loads(text) == value
    assert set(document.places) == {path for path, _ in leaves(value)}
    for path, leaf in leaves(value):
        assert json.loads(document.raw(path)) == leaf


PIECES = st.lists(
    st.sampled_from(
        [*'{}[],:" \n01-.e', "true", "null", '"a"', '"b": ', "1.5", "-0", "NaN", "\\u00e9", "\ud800"]
    ),
    max_size=15,
).map("".join)


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_any_text_reads_as_json_reads_it(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(UnreadableError):
            one(text)
        return
    found = one(text).value
    assert json.dumps(found) == json.dumps(expected)
