# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An expression is given the names that it writes out: it says of them what it says of all the document."""

from __future__ import annotations

import pytest

from tests.expressions.test_expressions import FILES, written
from trainlint.dialects.schema.document_expression import DocumentScope, evaluate, flatten, plain, reads
from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source
from trainlint.shipped.resource_paths import PACKAGE

EXAMPLES = sorted((PACKAGE.parents[1] / "examples").glob("*.yml"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("flat['a.b'] == 1 && !('c' in flat)", {"flat": {"a.b": True, "c": False}}),
        ("flat[?'a'].orValue(1) == spec['b']", {"flat": {"a": True}, "spec": {"b": True}}),
        ("'a' in flat['b']", {"flat": {"b": True}}),
        ("'a' in flat && flat['a'] == 1", {"flat": {"a": True}}),
        ("value == 1", {}),
        ("flat[part + 'a'] && flat['b']", {}),
        ("part + 'a' in flat", {}),
        ("true == 'a' in flat", {}),
        ("'a' in flat.b", {}),
        ("flat.exists(k, k == 'a') || flat['a']", {}),
        (r"flat['a\n']", {}),
        ("doc.a.b == 1 || doc.c", {"doc": {"a": True, "c": True}}),
        ("type(doc.a) == map && 'b' in flat", {"doc": {"a": True}, "flat": {"b": False}}),
        ("doc.exists(k, k == 'a') && doc.b", {}),
        ("doc['a'] == doc.b", {}),
        ("doc.?a.hasValue() || doc.b", {}),
    ],
)
def test_what_is_read_is_known_where_every_name_is_written_out(text, names):
    assert reads(text) == names


@pytest.mark.parametrize("doc", [{}, {"a": 1}, {"a": {"b": 1}, "c": 2}, [1], None])
@pytest.mark.parametrize(
    "text", ["has(doc.a)", "doc.a == 1", "doc.a.b", "type(doc.a) == map && doc.a.exists(k, true)"]
)
def test_sections_say_what_the_whole_document_does(text, doc, monkeypatch):
    found = evaluate(text, DocumentScope(doc, flatten(doc), {}))
    monkeypatch.setattr("trainlint.dialects.schema.document_expression.reads", lambda _text: {})
    assert evaluate(text, DocumentScope(doc, flatten(doc), {})) == found


def shipped() -> list[str]:
    """Return every expression of the dialects that may look at a document."""
    schemas = [path for path in FILES if path.parent.name == "schemas"]
    documents = (document for path in schemas for document in read(load_source(str(path))))
    found = (text for document in documents for _, text in written(document.value))
    return sorted({text for text in found if isinstance(text, str) and ("flat" in text or "doc." in text)})


def test_the_shipped_expressions_say_the_same_of_what_they_read(monkeypatch):
    texts = shipped()
    assert sum(bool(reads(text)) for text in texts) > len(texts) // 2 > 50
    for path in EXAMPLES[:4]:
        (document,) = read(load_source(str(path)))
        doc = plain(document.value)
        scope = DocumentScope(
            doc, flatten(doc), {"path": str(path), "format": "yaml"}, {"scale": 4, "crop.hr": 256}
        )
        few = [evaluate(text, scope) for text in texts]
        with monkeypatch.context() as patch:
            patch.setattr("trainlint.dialects.schema.document_expression.reads", lambda _text: {})
            assert few == [evaluate(text, scope) for text in texts]
