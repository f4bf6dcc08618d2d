# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The quick yes or no is jsonschema's, with every keyword and on what people write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.dialects import load_dialects
from trainlint.dialects.schema import check_budget
from trainlint.dialects.schema.check_budget import CHECKS, start
from trainlint.dialects.schema.schema_walk import placed_schemas
from trainlint.dialects.schema.strict_schema import strict_validator
from trainlint.dialects.schema.validity import JSONSCHEMA_KEYWORDS, KEYWORDS, is_known, satisfies
from trainlint.errors import TooLargeError

DIALECTS = load_dialects()

PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9),
    st.sampled_from((0.0, 1.0, 2.5, float("nan"), float("inf"))),
    st.sampled_from(("", "a", "ab", "abc", "x4", "1e-4", "é")),
)  # fmt: skip
KEYS = st.sampled_from(("a", "b", "ab", "x1", 1, None, True))
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)
COUNTS = st.integers(0, 3)
TYPES = st.sampled_from(("array", "boolean", "integer", "null", "number", "object", "string"))


def schemas(inner):
    """Schemas of every keyword that the quick way knows."""
    parts = st.dictionaries(st.sampled_from(("a", "b", "x1")), inner, max_size=2)
    several = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries({}, optional={
        "$ref": st.just("#/$defs/part"), "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3), "const": VALUES, "properties": parts,
        "patternProperties": st.dictionaries(st.sampled_from(("^a", "1$")), inner, max_size=2),
        "additionalProperties": inner | st.booleans(), "propertyNames": inner,
        "required": st.lists(st.sampled_from(("a", "b")), max_size=2), "items": inner | st.booleans(),
        "allOf": several, "anyOf": several, "oneOf": several, "not": inner, "if": inner, "then": inner,
        "else": inner, "minimum": st.integers(-3, 3), "maximum": st.integers(-3, 3),
        "exclusiveMinimum": st.integers(-3, 3), "exclusiveMaximum": st.integers(-3, 3),
        "multipleOf": st.integers(1, 3), "pattern": st.sampled_from(("^a", "b$", "é")),
        "minItems": COUNTS, "maxItems": COUNTS, "minProperties": COUNTS, "maxProperties": COUNTS,
        "minLength": COUNTS, "maxLength": COUNTS,
    })  # fmt: skip


SCHEMAS = st.recursive(st.just({}), schemas, max_leaves=4)


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(SCHEMAS, SCHEMAS.filter(lambda part: "$ref" not in json.dumps(part, default=str)), VALUES)
def test_any_schema_says_of_any_value_what_jsonschema_says(schema, part, value):
    root = {**schema, "$defs": {"part": part}}
    start()
    assert satisfies(root, root, value) is strict_validator()(root).is_valid(value)


def test_a_keyword_that_is_not_known_is_left_to_jsonschema():
    assert not is_known({"properties": {"a": {"uniqueItems": True}}})
    assert not is_known({"multipleOf": 0.5})
    assert not JSONSCHEMA_KEYWORDS & KEYWORDS.keys()


@pytest.fixture(autouse=True)
def _all_checks():
    yield
    CHECKS.left = check_budget.MOST_CHECKS


def test_the_checks_of_a_document_end(monkeypatch):
    monkeypatch.setattr(check_budget, "MOST_CHECKS", 10)
    start()
    with pytest.raises(TooLargeError):
        satisfies({}, {"items": {"type": "integer"}}, list(range(20)))
    start()
    assert satisfies({}, {"items": {"type": "integer"}}, [1, 2])
    assert CHECKS.left == 10 - 3


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_what_ships_needs_no_other_keyword(dialect):
    assert is_known(dialect.schema)
    assert not any(JSONSCHEMA_KEYWORDS & part.keys() for _, part in placed_schemas(dialect.schema))
