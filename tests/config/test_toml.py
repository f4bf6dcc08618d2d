# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""TOML: tomllib's values, and a place for each of them."""

from __future__ import annotations

import json
import time
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.config.toml import parse_toml
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.model.document import Document, Source

TEXT = '''# run
name = "x" # why
"quoted.key" = 'l'
[datasets.train]
type = "otf"
patch_size = 64
lists = [ 1, # one
  [2.0, "],"], ]
[train.optim_g]
lr = 1e-4
betas = [ 0.9, 0.99 ]
sub.a.b = { c = 1, d.e = """m
"""" }
[[stages]]
size = 64
[stages.loss]
w = 1
[[stages]]
size = 128
[[stages.rows]]
z = 1979-05-27T07:32:00Z
'''


def one(text: str) -> Document:
    (document,) = parse_toml(Source("a.toml", text))
    return document


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [(path, value), *(leaf for key, child in children for leaf in leaves(child, (*path, key)))]


def check(document: Document) -> None:
    """Every path has a place, and no other; what is written there reads as the value."""
    paths = [path for path, _ in leaves(document.value)]
    assert set(document.places) == set(paths)
    for path, value in leaves(document.value):
        raw = document.raw(path)
        if not isinstance(value, dict) and not raw.startswith("[["):
            assert tomllib.loads(f"v = {raw}") == {"v": value}
        key = document.places[path].key
        if key is not None:
            name = document.source.text[key.start : key.end]
            assert tomllib.loads(f"{name} = 0") == {path[-1]: 0}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_value_has_its_place(end: str) -> None:
    document = one(TEXT.replace("\n", end))
    check(document)
    lr = document.places["train", "optim_g", "lr"]
    assert lr.key is not None
    assert document.source.position(lr.key.start) == (10, 1)
    assert document.source.position(lr.value.start) == (10, 6)
    assert document.raw(("datasets", "train")) == document.raw(("datasets",)) == "[datasets.train]"
    assert document.source.position(document.places["stages", 1, "size"].value.start)[0] == 19
    assert document.raw(("stages", 1)) == "[[stages]]"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "is empty"),
        ("a = 1\nb =\n", 2, 4, "expected a value"),
        ("a = [1\n", 2, 1, "the array is never closed"),
        ("[train]\nlr = 1\n[train]\n", 3, 1, '"[train]" is defined already'),
        ("a = 1\n a = 2\n", 2, 2, "header missing above"),
        ("a = 'x\n", 2, 1, "the quote is never closed"),
        ('a = "x\n', 1, 7, "the quote is never closed"),
        ("a = 1 2\n", 1, 7, "expected a new line"),
        ("a: 1\n", 1, 2, 'expected "="'),
        ("." * 5 + "a = 1", 1, 1, "invalid"),
        ("a" + ".a" * 200 + " = 1", 1, 202, "nested more than"),
        ("a = " + "[" * 300, 1, 105, "nested more than"),
        ("a = " + "[\n" * 3000, 101, 1, "nested more than"),
        ("a = " + "[\n" * 150 + "]" * 150, 101, 1, "nested more than"),
        ("a = " + "1" * 2000, 1, 5, "a number of more than"),
    ],
)
def test_bad_toml_gets_one_message_with_a_position(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        one(text)
    assert words in str(caught.value).lower()
    assert (caught.value.line, caught.value.column) == (line, column)


def test_data_files_are_too_large() -> None:
    start = time.process_time()
    with pytest.raises(TooLargeError):
        one("a = 1\n" * 400_000)
    with pytest.raises(UnreadableError):
        one("a" + ".a" * 500_000 + " = 1")
    assert time.process_time() - start < 20


KEYS = st.text(st.sampled_from("ab.-_ é\"'#"), max_size=4)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=15,
)


def write(value: Any, gap: str) -> str:
    """Write a value as TOML, `gap` between the items of arrays."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {write(child, gap)}" for key, child in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + gap + f",{gap}".join(write(child, gap) for child in value) + gap + "]"
    if isinstance(value, str):
        return (
            json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")
            if value.isascii()
            else quoted(value)
        )
    return json.dumps(value).replace("Infinity", "inf")


def quoted(value: str) -> str:
    return '"' + "".join(f"\\U{ord(char):08X}" for char in value) + '"'


def tables(value: dict[str, Any], path: tuple[str, ...], gap: str) -> list[str]:
    """Write mappings as tables, their lists of mappings as rows, the rest as pairs."""
    inner = [key for key, child in value.items() if isinstance(child, dict)]
    rows = [
        key
        for key, child in value.items()
        if isinstance(child, list) and child and all(isinstance(row, dict) for row in child)
    ]
    plain = [f"{json.dumps(k)} = {write(v, gap)}{gap}" for k, v in value.items() if k not in inner + rows]
    for key in inner:
        here = (*path, key)
        plain += [f"[{'.'.join(map(json.dumps, here))}] # t", *tables(value[key], here, gap)]
    for key in rows:
        here = (*path, key)
        for row in value[key]:
            plain += [f"[[ {' . '.join(map(json.dumps, here))} ]]", *tables(row, here, gap)]
    return plain


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4),
    st.sampled_from([" ", "\n", " # c ]\n\t"]),
    st.booleans(),
)
def test_any_value_comes_back_with_true_places(value: dict[str, Any], gap: str, crlf: bool) -> None:
    text = "\n".join(tables(value, (), gap))
    document = one(text.replace("\n", "\r\n") if crlf else text)
    assert document.value == tomllib.loads(text) == value
    check(document)


def test_a_row_of_a_table_of_the_same_name():
    document = one("[[a]]\n[[a.a]]\nx = 1\n[[a.a]]\n")
    check(document)
    assert document.raw(("a", 0, "a", 0, "x")) == "1"
