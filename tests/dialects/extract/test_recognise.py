# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Recognition looks only at the keys that a dialect asks for, and says the same as looking at all."""

from __future__ import annotations

import sys
from collections import Counter
from time import process_time

import pytest
from msgspec.structs import replace

from trainlint.dialects import load_dialects, recognise
from trainlint.dialects.extract.recognise import Seen, _holds, resembles, scope_of
from trainlint.dialects.schema.asked_keys import keyless, keys_of
from trainlint.dialects.schema.document_expression import evaluate
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of

DIALECTS = load_dialects()
SECONDS = 3
"""Two megabytes take half a second; white space looked through from each line on, minutes."""
MODULE = sys.modules[resembles.__module__]  # the package's own name for it is the function
TEXTS = (
    "name: x\nlr: 1\n",
    "model: resnet\nopt: sgd\nsched: cosine\nlr: 1\nepochs: 3\namp: true\nsmoothing: 0.1\naa: rand\n",
    "datasets: [1]\nmodel_type: 3\n",
    "datasets: {test_1: {}, train: {batch_size_per_gpu: 1}}\nmodel_type: SRModel\nnum_gpu: 1\nscale: 2\n",
    "network_g: {type: x}\nmodel_type: SRModel\nnum_gpu: 1\ntrain: {optim_g: {}, total_iter: 1}\n",
    "trainlint: 1\n",
    "opt: 3\nmodel: x\n",
    "train.optim_g: 1\nnetwork_g.type: x\ndatasets.train.batch_size: 1\nscale: 2\n",
    "1: 2\n~: 3\n",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["a.yml", "a.json"])
def test_looking_at_the_keys_asked_for_changes_no_verdict(text, name) -> None:
    (document,) = read(source_of(text.encode(), "a.yml"))
    scope = scope_of(document)
    for dialect in DIALECTS:
        signs = dialect.recognition
        if signs.when is not None:
            known = replace(signs, keyless=keyless(signs.when, dialect.formats))
            unknown = replace(signs, keyless=None)
            holds = evaluate(signs.when, scope) is True
            assert {_holds(form, Seen(document)) for form in (signs, known, unknown)} == {holds}


def test_what_is_known_beforehand_is_not_evaluated(monkeypatch) -> None:
    (document,) = read(source_of(b"colour: blue\n", "a.yml"))
    dialects = [
        replace(
            dialect,
            recognition=replace(
                dialect.recognition, keyless=keyless(dialect.recognition.when or "false", dialect.formats)
            ),
        )
        for dialect in DIALECTS
    ]
    monkeypatch.setattr(MODULE, "evaluate", lambda *_: pytest.fail("evaluated"))
    MODULE._holds_without_keys.cache_clear()
    assert recognise(document, dialects) is None


def test_an_expression_that_holds_without_keys_or_asks_for_the_files_name_is_still_asked() -> None:
    assert keyless("!('a' in flat)", ("yaml",)).holds == {"yaml": True}
    assert keyless("'a' in flat || file.format == 'json'", ("yaml", "json")).holds == {
        "yaml": False,
        "json": True,
    }
    assert keyless("'a' in flat || file.script == 'b.py'", ("yaml", "command")).holds == {"yaml": False}
    assert keyless("'a' in flat || file.path == 'b'", ("yaml",)) is None
    assert keyless("flat.size() == 0", ("yaml",)) is None


@pytest.mark.parametrize(
    ("when", "keys"),
    [
        ("'a.b' in flat && flat['c'] == 1", {"a.b", "c"}),
        ("flat[?'a'].orValue('') == '' || doc.b.exists(k, k == 'x')", {"a", "b"}),
        ("file.format == 'toml'", set()),
        ("flat.exists(k, k.startsWith('x'))", None),
        ("'a' in flat && doc.size() == 3", None),
        ("'a' in flat.b", None),
        ("doc['a'] == 1", None),
    ],
)
def test_an_expression_names_the_keys_it_looks_at_or_none(when, keys) -> None:
    assert keys_of(when) == keys


def test_every_shipped_dialect_asks_for_keys_by_name() -> None:
    asked = [dialect.recognition.when for dialect in DIALECTS if dialect.recognition.when is not None]
    assert asked
    assert all(keys_of(when) is not None for when in asked)


@pytest.mark.parametrize("blocks", [50, 500])
def test_a_page_of_blocks_without_any_key_asked_for_is_passed_over_quickly(monkeypatch, blocks) -> None:
    """However many blocks there are, no expression is evaluated again and no document is flattened."""
    work: Counter[str] = Counter()

    def counted(name):
        original = getattr(MODULE, name)

        def call(*arguments):
            work[name] += 1
            return original(*arguments)

        monkeypatch.setattr(MODULE, name, call)

    counted("evaluate")
    counted("flatten")
    MODULE._holds_without_keys.cache_clear()
    page = "```yaml\nname: x\nother: {c: 1}\n```\n\n" * blocks
    documents = read(source_of(page.encode(), "a.md"))
    assert {recognise(document, DIALECTS) for document in documents} == {None}
    assert len(documents) == blocks
    assert work["evaluate"] <= len(DIALECTS)  # none where the answers are kept
    assert work["flatten"] == 0


@pytest.mark.parametrize("sign", ["\n", " ", "{", '"', "a", "a ", "a\n", " \n", "a.", '{"'])
def test_a_long_text_is_looked_through_for_keys_in_a_moment(sign: str) -> None:
    start = process_time()
    assert not resembles(sign * (2_000_000 // len(sign)), DIALECTS)
    assert process_time() - start < SECONDS


def test_keys_are_seen_in_every_way_to_write_them() -> None:
    for text in (
        "datasets:\n  network_g:\n",
        '{"datasets": 1,\n "network_g" : 2',
        "[datasets]\n[network_g.x]",
    ):
        assert resembles(text, DIALECTS)
    assert not resembles("datasets are\nnetwork_g is", DIALECTS)
