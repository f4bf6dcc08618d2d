# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer's source as text: bounded, never imported."""

from __future__ import annotations

from trainlint.trainer import source as module
from trainlint.trainer.source import Source

CODE = """
def load(opt):
    mode = opt['train']["pad_mode"]
    if mode not in ('reflect', "new_mode"):
        raise ValueError(mode)
    return opt.get('seed'), opt.pop('width')

parser.add_argument('-o', '--out-dir', default='x')
parser.add_argument("--fast", action="store_true")
"""


def lay(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text, "utf-8")
    return Source(tmp_path, tmp_path / f"{next(iter(files))}.py")


def test_words(tmp_path):
    source = lay(tmp_path, options=CODE)
    assert (source.quotes("new_mode"), source.quotes("newer")) == (True, False)
    assert (source.reads("pad_mode"), source.reads("width"), source.reads("seed")) == (True, True, False)
    assert source.resolves_floats is False
    assert source.flags == {"-o", "--out-dir", "--fast"}


def test_what_does_not_parse_has_no_flags_and_keeps_its_words(tmp_path):
    source = lay(tmp_path, options="def (:\n 'word'")
    assert source.flags == frozenset()
    assert source.quotes("word") is True


def test_too_much_to_read_is_no_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 64)
    assert lay(tmp_path, options="'here'" + " " * 100).quotes("here") is None
    monkeypatch.setattr(module, "MOST_FILES", 1)
    assert lay(tmp_path, options="'here'", other="1").quotes("here") is None


def test_links_and_hidden_folders_are_left_out(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("'secret'", "utf-8")
    inner = tmp_path / "repo"
    (inner / ".venv").mkdir(parents=True)
    (inner / ".venv" / "b.py").write_text("'secret'", "utf-8")
    (inner / "link").symlink_to(outside)
    (inner / "file.py").symlink_to(outside / "a.py")
    assert lay(inner, options="1").quotes("secret") is False
