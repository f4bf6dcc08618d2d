# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Bytes to text: sizes, encodings, folders, permissions."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trainlint.documents.file_format import read
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.files.text_source import load_source, load_stdin, source_of


def test_bom_is_stripped_and_line_ends_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_bytes(b"\xef\xbb\xbfname: x\r\nscale: 4\r\n")
    source = load_source(str(path))
    assert source.bom
    assert source.text == "name: x\r\nscale: 4\r\n"
    (document,) = read(source)
    assert document.raw(("scale",)) == "4"
    assert source.position(document.places["scale",].value.start) == (2, 8)


@pytest.mark.parametrize(
    ("data", "words", "line", "column"),
    [
        (b"\x80\x02}q\x00.", "binary", None, None),
        (b"PK\x03\x04\x00\x00", "binary", None, None),
        ("a: ä\n".encode("utf-16"), "UTF-16", None, None),
        ("é: 1\nb: ä\n".encode() + b"c: x\xe4\n", "not UTF-8", 3, 5),
    ],
)
def test_what_is_not_text(data: bytes, words: str, line: int | None, column: int | None) -> None:
    with pytest.raises(UnreadableError, match=words) as caught:
        source_of(data, "a.yml")
    assert (caught.value.line, caught.value.column) == (line, column)


def test_size_limit_is_wider_for_notebooks(tmp_path: Path) -> None:
    for name in ("a.yml", "a.ipynb"):
        (tmp_path / name).write_bytes(b"#" * 10_000_001)
    with pytest.raises(TooLargeError, match="10 MB"):
        load_source(str(tmp_path / "a.yml"))
    assert len(load_source(str(tmp_path / "a.ipynb")).text) == 10_000_001


def test_folder_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="is a folder"):
        load_source(str(tmp_path))
    with pytest.raises(UnreadableError, match="no such file"):
        load_source(str(tmp_path / "x.yml"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yml")
    with pytest.raises(UnreadableError, match="not a regular file"):
        load_source(str(tmp_path / "a.yml"))


def test_a_closed_standard_input_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnreadableError, match="closed"):
        load_stdin("<stdin>")


def test_standard_input_takes_the_name_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"a": 1}')))
    (document,) = read(load_stdin("configs/a.json"))
    assert (document.format, document.source.path) == ("json", "configs/a.json")


@pytest.mark.parametrize(
    ("text", "format_"), [('// c\n{"a": 1}', "json"), ("a: 1", "yaml"), ("{a: 1}", "yaml")]
)
def test_format_by_content_where_the_name_says_nothing(text: str, format_: str) -> None:
    assert read(source_of(text.encode(), "<stdin>"))[0].format == format_


def test_foreign_suffix_is_refused_by_name() -> None:
    with pytest.raises(UnreadableError, match=r'"\.pth" is not a format'):
        read(source_of(b"x = 1", "train.pth"))


def test_a_links_name_makes_no_config_of_what_lies_outside(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    (tree / ".git").mkdir(parents=True)
    outside.mkdir()
    for name in ("key", "key.pem", "shared.yml"):
        (outside / name).write_text("secret: 1\n", "utf-8")
        (tree / f"{name}-link.yml").symlink_to(outside / name)
    (tree / "blob").write_text("a: 1\n", "utf-8")
    (tree / "inside.yml").symlink_to("blob")
    (tree / "bare").symlink_to(outside / "key")
    for name in ("key-link.yml", "key.pem-link.yml", "bare"):
        with pytest.raises(UnreadableError, match="another extension: name that file itself"):
            load_source(str(tree / name))
    assert load_source(str(tree / "shared.yml-link.yml")).text == "secret: 1\n"
    assert load_source(str(tree / "inside.yml")).text == "a: 1\n"
