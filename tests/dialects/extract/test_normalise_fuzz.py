# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whatever a config holds, normalising answers: problems and a typed spec, never an exception."""

from __future__ import annotations

import copy
import datetime as dt

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.documents import PLAIN, REAL, REDUX, from_value
from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.model.spec import VOCABULARY

DIALECTS = load_dialects()
TYPES = {"integer": int, "float": float, "string": str, "boolean": bool, "list": list, "dict": dict}

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.just(10**400), st.just("1e-4"), st.just(dt.date(2026, 1, 2)), st.binary(max_size=3), st.just("\ud800"),
)  # fmt: skip
KEYS = st.one_of(st.text(max_size=6), st.integers(), st.none(), st.booleans(), st.floats(allow_nan=False))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3), st.tuples(inner, inner)
    ),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield from places(item, (*path, key))


def put(value, path, new):
    changed = copy.deepcopy(value)
    outer = changed
    for step in path[:-1]:
        outer = outer[step]
    outer[path[-1]] = new
    return changed


@st.composite
def mutated(draw):
    value = yaml.safe_load(draw(st.sampled_from([REAL.replace("!!float ", ""), PLAIN, REDUX])))
    for _ in range(draw(st.integers(1, 3))):
        paths = [path for path in places(value) if path]
        value = put(value, draw(st.sampled_from(paths)), draw(VALUES))
    return value


def check(value):
    document = from_value(value)
    dialect = recognise(document, DIALECTS)
    if dialect is None:
        return
    for job in normalise(document, dialect):
        for name, field in job.spec.fields.items():
            assert type(field.value) is TYPES[VOCABULARY[name]], name
            assert all(path in document.places for path in field.paths), name
        for problem in job.problems:
            assert problem.path in document.places, problem
            assert problem.message
            assert "\n" not in problem.message
        seen = [
            (p.path, p.message if p.rule == "missing-key" else p.rule == "duplicate-key")
            for p in job.problems
        ]
        assert len(seen) == len(set(seen)), "two messages about one value"


@pytest.mark.rest
@settings(max_examples=100, deadline=None)
@given(mutated())
def test_mutated_configs(value):
    check(value)


@pytest.mark.rest
@settings(max_examples=20, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from(DIALECTS))
def test_arbitrary_values(value, dialect):
    document = from_value(value)
    if document.format in dialect.formats:
        normalise(document, dialect)
    check(value)


def test_deep_nesting():
    value = yaml.safe_load(PLAIN)
    deep = leaf = {}
    for _ in range(900):
        leaf["a"] = {}
        leaf = leaf["a"]
    value["network_g"]["deep"] = deep
    document = from_value(value)
    (job,) = normalise(document, recognise(document, DIALECTS))
    assert job.spec["networks.generator.arch"] == "EDSR"
