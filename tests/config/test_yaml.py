# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""YAML: values as FullLoader gives them, places that say where each of them is written."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trainlint.config.yaml import parse_yaml
from trainlint.errors import TemplateError, TooLargeError, UnreadableError
from trainlint.model.document import Document, Source

LINES = (
    "train:\r\n  optim_g:\r\n    lr: !!float 2e-4  # adam\r\n    betas: [0.9, 0.99]\r\n"
    "\r\n# end\r\nseed: 0\r\n"
)


def one(text: str) -> Document:
    (document,) = parse_yaml(Source("a.yml", text))
    return document


def error(text: str) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        parse_yaml(Source("a.yml", text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lr: !!float 1e-4", {"lr": 1e-4}),
        ("lr: 1e-4", {"lr": "1e-4"}),
        ("lr: 1.5e-4", {"lr": 1.5e-4}),
        ("n: !!int '8'", {"n": 8}),
        ("n: 010", {"n": 8}),
        ("n: 1:30", {"n": 90}),
        ("b: on", {"b": True}),
        ("b: ~", {"b": None}),
        ("betas: !!python/tuple [0.9, 0.99]", {"betas": (0.9, 0.99)}),
        ("l: !!python/list [1]", {"l": [1]}),
        ("d: !!python/dict {a: !!python/str 1}", {"d": {"a": "1"}}),
        ("s: !!set {a, b}", {"s": {"a", "b"}}),
        ("o: !!omap [a: 1, b: 2]", {"o": [("a", 1), ("b", 2)]}),
        ("d: 2026-11-05", {"d": dt.date(2026, 11, 5)}),
        ("1: a\n? [x]\n: b".replace("[x]", "!!python/tuple [x]"), {1: "a", ("x",): "b"}),
        ("=: 1", {"=": 1}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("m: {<<: [{a: 1}, {a: 2, b: 2}]}", {"m": {"a": 1, "b": 2}}),
    ],
)
def test_values_are_those_of_full_loader(text: str, value: Any) -> None:
    assert one(text).value == value == yaml.load(text, yaml.FullLoader)  # noqa: S506  # the loader that ours is compared with
    assert type(one(text).value) is type(value)


def test_places_name_key_and_value_without_trailing_comments() -> None:
    document = one(LINES)
    lr = document.places["train", "optim_g", "lr"]
    assert document.raw(("train", "optim_g", "lr")) == "!!float 2e-4"
    assert lr.key is not None
    assert document.source.position(lr.key.start) == (3, 5)
    assert document.raw(("train", "optim_g", "betas", 1)) == "0.99"
    assert document.raw(("train",)).endswith("[0.9, 0.99]")
    assert document.places["train", "optim_g", "betas", 1].key is None


def test_null_value_has_an_empty_span_behind_its_key() -> None:
    document = one("resume:\nseed: 0\n")
    assert document.raw(("resume",)) == ""
    assert document.source.position(document.places["resume",].value.start)[0] == 1


@pytest.mark.parametrize("odd", ["\u2028", "\u0085", "\U0001f600", "é"])
def test_positions_count_characters_and_only_real_line_ends(odd: str) -> None:
    document = one(f'a: "x{odd}y"\nb: 2\n')
    assert document.source.position(document.places["b",].value.start) == (2, 4)
    assert document.raw(("b",)) == "2"


def test_alias_stands_where_it_is_used() -> None:
    document = one("a: &base\n  lr: 1\nlist:\n  - x\n  # *base in a comment\n  - *base\nb: *base\n")
    assert document.raw(("b",)) == document.raw(("b", "lr")) == "*base"
    assert document.raw(("list", 1, "lr")) == "*base"
    assert document.source.position(document.places["b", "lr"].value.start) == (7, 4)
    assert document.raw(("a", "lr")) == "1"


def test_merged_value_stands_at_the_merge_and_own_value_at_its_own() -> None:
    document = one("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n")
    assert document.raw(("d", "b")) == "*x"
    assert document.raw(("d", "c")) == "3"
    assert document.duplicates == ()


def test_duplicate_keys_are_reported_and_the_second_wins() -> None:
    document = one("train:\n  lr: {a: 1}\n  wd: 0\n  lr: 2\n")
    (duplicate,) = document.duplicates
    assert document.value == {"train": {"lr": 2, "wd": 0}}
    assert duplicate.path == ("train", "lr")
    assert [document.source.position(span.start)[0] for span in (duplicate.first, duplicate.second)] == [2, 4]
    assert ("train", "lr", "a") not in document.places


def test_pure_python_loader_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = one(LINES)
    monkeypatch.setattr("trainlint.config.yaml.Loader", yaml.SafeLoader)
    slow = one(LINES)
    assert slow.value == fast.value
    assert dict(slow.places) == dict(fast.places)
    assert "is not closed" in str(error("a: [1,\nb: 2"))
    assert (error("a: [").line, error("a: @b").column) == (1, 4)


def test_several_documents_keep_their_index() -> None:
    documents = parse_yaml(Source("a.yml", "a: 1\n---\n---\nb: 2\n"))
    assert [(d.index, d.value, d.line) for d in documents] == [(0, {"a": 1}, 1), (2, {"b": 2}, 4)]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "is empty"),
        ("# only a comment\n", 1, 1, "is empty"),
        ("a: [1,\n  2\nb: 3\n", 1, 4, "the list opened in line 1 is not closed"),
        ('a:\n  b: "x\n  c: "y"\n', 2, 6, "ends in line 3, before other text"),
        ('a:\n  b: "x" y\n', 2, 10, "text after the end of a value"),
        ("a:\n  b: [1, 2\n  c: 3\n  d: 4\n", 2, 6, "the list opened in line 2 is not closed"),
        ("a: [1,\n  'x' 'y',\n  2]\n", 2, 7, "the list opened in line 1 is not closed"),
        ("a: [", 1, 4, "the list opened in line 1 is not closed"),
        ("a: [1,\n", 1, 4, "the list opened in line 1 is not closed"),
        ("x: 1\na: [[1],\n  {b:\n", 3, 3, "the mapping opened in line 3 is not closed"),
        ("a: {b: 1\nc: 2}\nd", 2, 2, "the mapping opened in line 1"),
        ("a: 1\n  b: 2\n", 2, 4, 'a second ":"'),
        ("a:\n  b: 1\n c: 2\n", 3, 2, "indentation"),
        ("a: 1\nb\nc: 2\n", 2, 1, 'expected ":" after the key "b"'),
        ("a:\n  b: 1\n\tc: 2\n", 3, 1, "a tab"),
        ("a: @b\n", 1, 4, 'cannot start with "@"'),
        ("a: 'b\n", 1, 4, "this quote is never closed"),
        ("a: *b\n", 1, 4, 'the alias "*b" has no anchor "&b"'),
        ("a: \x07\n", 1, 4, "U+0007"),
        ("a: !!float x\n", 1, 4, '"x" is not a value'),
        ("a: !!int 1e4\n", 1, 4, "!!int"),
        ("{{ name }}: 1\n", 1, 2, "cannot be a key"),
        ("a: !mine 1\n", 1, 4, 'tag "!mine"'),
        ("a: &a [*a]\n", 1, 4, "inside its own anchor"),
        ("a: !!python/name:os.system\n", 1, 4, "builds a Python object"),
        ("a: 1\nb: !!python/object/apply:os.system ['touch /tmp/x']\n", 2, 4, "builds a Python object"),
        ("a: 1:" + "59:" * 1000 + "1", 1, 4, "a number of more than"),
    ],
)
def test_bad_yaml_gets_one_message_with_a_position(text: str, line: int, column: int, words: str) -> None:
    caught = error(text)
    assert words in str(caught)
    assert (caught.line, caught.column) == (line, column)


def test_nothing_is_executed(tmp_path: Any) -> None:
    error(f"a: !!python/object/apply:os.system ['touch {tmp_path}/x']")
    error(f"!!python/object/new:os.system ['touch {tmp_path}/x']: 1")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", ["name: %archname%", "%traindataset%", "  dataroot_gt: %gt%"])
def test_option_template_is_not_a_syntax_error(line: str) -> None:
    with pytest.raises(TemplateError, match="%name%"):
        parse_yaml(Source("a.yml", f"a:\n{line}\n"))


def test_template_holes_inside_texts_are_noted() -> None:
    assert one("name: 4x_%arch%").notes == ("holds %name% template holes",)
    assert one("name: 100% sure, 50%").notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{a: " * 5_000,
        "- " * 50_000 + "x",
        "? " * 50_000 + "x",
        "".join(f"{' ' * depth}a:\n" for depth in range(1_000)) + " " * 1_000 + "b",
        "".join(f"{' ' * depth}a:\n{' ' * depth}- b\n" for depth in range(300)),
    ],
)
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    start = time.process_time()
    error(text)
    assert time.process_time() - start < 20


def test_depth_inside_the_limit_is_read() -> None:
    assert one("[" * 100 + "]" * 100).value is not None
    assert one("- " * 99 + "x").value is not None


@pytest.mark.parametrize("merge", [False, True])
def test_alias_bomb_is_refused_at_once(merge: bool) -> None:
    start = time.process_time()
    lines = ["a0: &a0 {}" if merge else "a0: &a0 [x, x]"]
    for level in range(1, 30):
        uses = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} " + (f"{{<<: [{uses}]}}" if merge else f"[{uses}]"))
    assert "alias bomb" in str(error("\n".join(lines)))
    small = "---\n" + "\n".join(lines[:5]) + "\n"
    assert "alias bomb" in str(error(small * 300))
    assert time.process_time() - start < 20


@pytest.mark.rest
def test_data_files_are_too_large() -> None:
    with pytest.raises(TooLargeError):
        parse_yaml(Source("a.yml", "[" + "1, " * 150_000 + "1]"))
    assert len(one("[" + "1, " * 60_000 + "1]").value) == 60_001


# Properties: any value PyYAML can write, and any text it can read.

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from(
        ["1e-4", "on", "0x1F", "1:30", "=", "<<", "~", "a: b", "- c", "# d", "é\u2028x", "'", '"']
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(SCALARS, inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=20,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list | tuple)
        else ()
    )
    return [(path, value), *(leaf for key, child in children for leaf in leaves(child, (*path, key)))]


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(
    VALUES,
    st.fixed_dictionaries(
        {
            "default_flow_style": st.sampled_from([None, True, False]),
            "allow_unicode": st.booleans(),
            "line_break": st.sampled_from(["\n", "\r\n"]),
            "default_style": st.sampled_from([None, '"', "'"]),
            "indent": st.integers(2, 6),
        }
    ),
)
@example({"a": [{"b": "x\ny\n"}], "c": None}, {"line_break": "\r\n", "indent": 4})
def test_any_dumped_value_comes_back_with_true_places(value: Any, style: dict[str, Any]) -> None:
    text = yaml.dump(value, **style)
    expected = yaml.load(text, yaml.FullLoader)  # noqa: S506  # the loader that ours is compared with
    if expected is None and not text.strip():
        return
    document = one(text)
    assert document.value == expected
    for path, leaf in leaves(document.value):
        place = document.places[path]
        column = document.source.position(place.value.start)[1] - 1
        written = " " * column + document.raw(path)
        if "&" in text or "*" in document.raw(path)[:1]:
            continue  # an anchor's or alias' text does not stand alone
        assert yaml.load(written, yaml.FullLoader) == leaf  # noqa: S506  # the loader that ours is compared with


PIECES = st.lists(
    st.sampled_from(
        [
            *"abx:-?[]{},&*!|>#%\"' \t\n",
            "\n  ",
            "\n- ",
            ": ",
            "1e-4",
            "&a ",
            "*a",
            "<<: ",
            "!!float ",
            "!!python/tuple ",
            "---\n",
            "true",
            "~",
            "1_000",
            "é",
            "\r\n",
            "  ",
            "k: ",
            "m:\n",
        ]
    ),
    max_size=25,
).map("".join)


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(PIECES)
@example("a: !!set {b}\nc: !!omap [a]")
@example("&a : *a")
@example("? &a [b]\n: *a")
@example("- &a\n- *a\n")
def test_any_text_reads_as_full_loader_reads_it(text: str) -> None:
    try:
        expected = list(yaml.load_all(text, getattr(yaml, "CFullLoader", yaml.FullLoader)))
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError):
        with pytest.raises(UnreadableError) as caught:
            parse_yaml(Source("a.yml", text))
        assert caught.value.line is not None
        return
    try:
        documents = parse_yaml(Source("a.yml", text))
    except UnreadableError as refused:
        assert all(value is None for value in expected) or "own anchor" in str(refused)  # noqa: PT017  # what it carries is compared
        return
    assert [document.value for document in documents] == [expected[document.index] for document in documents]
    for document in documents:
        for path, _ in leaves(document.value):
            place = document.places[path].value
            assert 0 <= place.start <= place.end <= len(text)


def test_what_a_later_key_replaces_must_still_be_well_formed():
    with pytest.raises(UnreadableError, match='"<<" merges mappings'):
        parse_yaml(Source("a.yml", "k:\n  <<:\nk: 1\n"))


@pytest.mark.parametrize("text", ["a: {0:[0, 1]}\n", "a: {b:{c: 1}}\n"])
def test_what_only_the_loader_in_python_takes_is_read(text):
    (document,) = parse_yaml(Source("a.yml", text))
    assert document.value == yaml.load(text, yaml.SafeLoader)
