# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Edits of the text: every scalar of every format can be replaced, and the proof sees what else changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.config.edit import apply_edits, delete_flag, set_value
from trainlint.config.value_by_path import differences
from trainlint.documents.file_format import read
from trainlint.judge.fixes.proof import proven
from trainlint.model.document import Document, Path, Source, Span
from trainlint.model.finding import Edit

KEYS = st.text("abcdefgh_", min_size=1, max_size=6)
SCALARS = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.text("abc XYZ012:#'\"-,[]{}é\n", max_size=12),
)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)


def document_of(text: str, name: str) -> Document:
    (document,) = read(Source(name, text))
    return document


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if items is None:
        yield path
    else:
        for key, item in items:
            yield from leaves(item, (*path, key))


def written(tree: Any, style: str) -> tuple[str, str]:
    if style == "json":
        return json.dumps(tree, indent=2), "a.json"
    return yaml.safe_dump(tree, default_flow_style={"flow": True, "block": False}[style]), "a.yml"


@pytest.mark.rest
@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(KEYS, TREES, min_size=1, max_size=4),
    st.sampled_from(["json", "flow", "block"]),
    st.data(),
)
def test_a_replaced_scalar_changes_nothing_else(
    tree: dict[str, Any], style: str, data: st.DataObject
) -> None:
    document = document_of(*written(tree, style))
    paths = list(leaves(tree))
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    value = data.draw(
        st.one_of(
            st.integers(-(10**9), 10**9), st.floats(0, 1), st.booleans(), st.text("ab '\"é:#", max_size=9)
        )
    )
    edit = set_value(document, path, value)
    if edit is None:
        assert "\n" in document.raw(path) or not document.raw(path)
        return
    edited = proven(document, apply_edits(document.source.text, [edit]), {path: value}, frozenset())
    assert edited is not None


def test_an_edit_that_changes_more_is_not_proven() -> None:
    text = "a: &x 1\nb: *x\n"
    document = document_of(text, "a.yml")
    assert proven(document, text.replace("1", "2"), {("a",): 2}, frozenset()) is None
    assert proven(document, text.replace("1\n", "1\nb: 2\n"), {("a",): 1}, frozenset()) is None
    assert proven(document, "a: [\n", {("a",): 1}, frozenset()) is None


def test_an_edit_that_misses_its_value_is_not_proven() -> None:
    document = document_of("a: 1\n", "a.yml")
    assert proven(document, "a: 1\n", {("a",): 2}, frozenset()) is None


def test_differences_know_types_and_depth() -> None:
    assert list(differences({"a": 1}, {"a": True})) == [("a",)]
    assert list(differences({"a": [1, 2]}, {"a": [1, 3]})) == [("a", 1)]
    assert list(differences({"a": 1}, {"b": 1})) == [("a",), ("b",)]
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert list(differences(deep, deep)) == []


@pytest.mark.parametrize(
    ("text", "path", "value", "becomes"),
    [
        ("name: 'a b'\n", ("name",), "it's", "name: 'it''s'\n"),
        ('name: "a"\n', ("name",), "b", 'name: "b"\n'),
        ("name: a\n", ("name",), "on", 'name: "on"\n'),
        ("lr: 1.0\n", ("lr",), 1e-5, "lr: 1.0e-05\n"),
        ("x: [1, 2, 3] # three\n", ("x",), [4], "x: [4] # three\n"),
        ("x: true\n", ("x",), False, "x: false\n"),
    ],
)
def test_how_yaml_is_written(text: str, path: Path, value: Any, becomes: str) -> None:
    document = document_of(text, "a.yml")
    edit = set_value(document, path, value)
    assert edit is not None
    after = apply_edits(text, [edit])
    assert after.replace("e-5", "e-05") == becomes
    assert proven(document, after, {path: value}, frozenset()) is not None


def test_blocks_and_command_flags_are_left_alone() -> None:
    document = document_of("x:\n  - 1\n  - 2\n", "a.yml")
    assert set_value(document, ("x",), [3]) is None
    (command,) = read(Source("a.sh", "python train_vae.py --data_path x --mixed_precision\n"))
    assert set_value(command, ("mixed_precision",), value=False) is None


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [Edit(Span(0, 3), "x"), Edit(Span(2, 4), "y")])


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("python train.py /data --lr 0.1 > log\n", "python train.py /data --amp --lr 0.1 > log\n"),
        ("X=1 python train.py\n", "X=1 python train.py --amp\n"),
        ("python train.py \\\n  -b 8 &\n", "python train.py \\\n  --amp -b 8 &\n"),
        (
            "torchrun --nproc_per_node 2 train.py --lr 1\n",
            "torchrun --nproc_per_node 2 train.py --amp --lr 1\n",
        ),
        (
            "if true; then\n  python train.py --lr 1\nfi\n",
            "if true; then\n  python train.py --amp --lr 1\nfi\n",
        ),
    ],
)
def test_a_flag_is_added_before_the_first_of_a_command(text: str, becomes: str) -> None:
    document = document_of(text, "run.sh")
    edit = set_value(document, ("amp",), True, "--amp")
    assert edit is not None
    assert apply_edits(text, [edit]) == becomes
    assert proven(document, becomes, {("amp",): True}, frozenset()) is not None


def test_a_flag_that_nobody_can_spell_or_that_is_there_is_not_added() -> None:
    document = document_of("python train.py --amp --lr 1\n", "run.sh")
    assert set_value(document, ("half",), True) is None
    assert set_value(document, ("half",), False, "--half") is None
    assert set_value(document, ("amp",), False, "--amp") is None


def test_what_a_notebooks_json_would_escape_is_left_alone() -> None:
    source = ["python train_vae.py --data_path x --batch_size 4 --note \"a 'b'\"\n"]
    cells = [{"cell_type": "code", "metadata": {}, "source": ["%%bash\n", *source]}]
    (command,) = read(Source("a.ipynb", json.dumps({"cells": cells, "metadata": {}})))
    edit = set_value(command, ("batch_size",), 2)
    assert edit is not None
    assert apply_edits(command.source.text, [edit]) == command.source.text.replace("size 4", "size 2")
    assert set_value(command, ("note",), "c") is None
    assert set_value(command, ("data_path",), "größe") is None


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("[val]\n[path]\na = 1\n", "[val]\ntile = 512\n[path]\na = 1\n"),
        ("[val] # none\r\n#tile = 200\r\n", "[val] # none\r\ntile = 512\r\n#tile = 200\r\n"),
        ("  [ val ]", "  [ val ]\ntile = 512"),
    ],
)
def test_the_first_key_under_a_table_s_header(text, now):
    document = document_of(text, "a.toml")
    edit = set_value(document, ("val", "tile"), 512)
    assert edit is not None
    assert apply_edits(text, [edit]) == now
    assert document_of(now, "a.toml").value["val"] == {"tile": 512}


@pytest.mark.parametrize("text", ["val = {}\n", "[[val]]\n", "a = {val = {}}\n"])
def test_what_has_no_header_gets_no_first_key(text):
    assert set_value(document_of(text, "a.toml"), ("val", "tile"), 512) is None


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("python a.py --x 1 --lost 4 --y 2\n", "python a.py --x 1 --y 2\n"),
        ("python a.py --x 1 --lost 4\n", "python a.py --x 1\n"),
        ("python a.py \\\n  --lost 4 \\\n  --y 2\n", "python a.py \\\n  --y 2\n"),
        ("python a.py \\\n  --x 1 \\\n  --lost\n", "python a.py \\\n  --x 1\n"),
    ],
)
def test_a_flag_is_deleted_with_its_words_and_its_line(text: str, becomes: str) -> None:
    (command,) = read(Source("a.sh", text.replace("a.py", "train_vae.py")))
    edit = delete_flag(command, "lost")
    assert edit is not None
    assert apply_edits(command.source.text, [edit]) == becomes.replace("a.py", "train_vae.py")
    assert delete_flag(command, "z") is None
