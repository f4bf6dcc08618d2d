# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An edited document shares with its file what the edit left: it is walked where it was edited alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.dialects.check import validate
from trainlint.dialects.extract import spec_fields
from trainlint.dialects.schema import document_expression, schema_walk, visited_schema
from trainlint.dialects.schema.check_budget import CHECKS, MOST_CHECKS, start
from trainlint.dialects.schema.visited_schema import walked
from trainlint.documents.file_format import read
from trainlint.errors import TooLargeError
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.proof import proven, shared
from trainlint.shipped.resource_paths import PACKAGE

CONFIG = PACKAGE.parents[1] / "examples" / "realesrgan_x4.yml"
KEYS = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(0, 1), st.booleans())
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 1), st.sampled_from([0.0, -0.0, 1.0, float("nan"), "", "a", "b"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner)), max_leaves=8
)


@pytest.mark.rest
@given(VALUES, VALUES)
def test_what_is_shared_is_what_was_read(old, new):
    assert repr(shared(old, new)) == repr(new)


@given(VALUES)
def test_equal_values_are_the_same_one(value):
    copy = _copied(value)
    plain = all(type(key) is str for key in _keys(value))
    assert (shared(value, copy) is value) or not plain


def _copied(value):
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _keys(value):
    if isinstance(value, dict):
        return [*value, *(key for item in value.values() for key in _keys(item))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []


def _document():
    (document,) = read(load_source(str(CONFIG)))
    return document, recognise(document, load_dialects())


def _walked(document, dialect):
    """Return what is said of a document, and what finding it cost."""
    start()
    found = walked(document, dialect)
    return found, MOST_CHECKS - CHECKS.left


def _said(spoken):
    """Return it in words, to be compared."""
    return [
        (
            spoken.path,
            repr(spoken.value),
            [(repr(part), [*map(_said, inner)]) for part, inner in spoken.parts],
        )
    ]


def test_an_edit_is_walked_where_it_was_edited():
    visited_schema._KNOWN.clear()  # in the middle it would be, where other tests nearly filled it
    document, dialect = _document()
    whole, cost = _walked(document, dialect)
    path = ("datasets", "train", "batch_size_per_gpu")
    old = document.places[path].value
    text = document.source.text
    edited = proven(document, f"{text[: old.start]}3{text[old.end :]}", {path: 3}, frozenset())
    assert edited is not None
    assert edited.value["network_g"] is document.value["network_g"]
    assert edited.value["train"]["optim_g"] is document.value["train"]["optim_g"]
    found, again = _walked(edited, dialect)
    (other,) = read(edited.source)
    afresh, cost_afresh = _walked(other, dialect)
    assert _said(found) == _said(afresh) != _said(whole)
    assert cost == again == cost_afresh > 0
    known = {id(each) for _, inner in whole.parts for each in inner}
    assert sum(id(each) in known for _, inner in found.parts for each in inner) > 5


def test_an_edit_is_normalised_as_its_text_alone_is():
    document, dialect = _document()
    texts = {3: document.source.text, 5: f"{document.source.text}\nstrange_key: {{a: 1e-4, b: [5e3]}}\n"}
    found = []
    for size, text in texts.items():
        (whole,) = read(replace(document.source, text=text))
        normalise(whole, dialect)
        path = ("datasets", "train", "batch_size_per_gpu")
        old = whole.places[path].value
        edited = proven(whole, f"{text[: old.start]}{size}{text[old.end :]}", {path: size}, frozenset())
        assert edited is not None
        found.append(normalise(edited, dialect))
        for known in (
            visited_schema._KNOWN,
            validate._REMARKED,
            document_expression._PLAIN,
            spec_fields._FILLED,
            schema_walk._MATCHED,
        ):
            known.clear()
        (other,) = read(edited.source)
        (job,), (afresh,) = found[-1], normalise(other, dialect)
        assert (job.spec, job.problems, job.skip) == (afresh.spec, afresh.problems, afresh.skip)
    assert {one.rule for one in found[1][0].problems} >= {"number-as-string"}


def test_what_is_known_costs_as_much_as_before():
    document, dialect = _document()
    _, cost = _walked(document, dialect)
    start()
    CHECKS.left = cost
    walked(document, dialect)
    with pytest.raises(TooLargeError):
        walked(replace(document, index=1), dialect)
