# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a linted tree names is shown in an editor as text, whatever Markdown would make of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.cli.commands.lsp_command import CachedPipelines
from trainlint.editor.document_service import DocumentService
from trainlint.editor.schema_markdown import markdown
from trainlint.files.text_source import source_of

EXAMPLE = (Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml").read_bytes()
NAME = "x](http://evil.example)![i](http://evil.example/p.png)<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://evil.example", r"http\://evil.example"),
        ("www.evil.example", r"www\.evil.example"),
        ("WWW.evil.example", r"WWW\.evil.example"),
        ("MAILTO:x", r"MAILTO\:x"),
        ("@channel", r"\@channel"),
        ("mailto:a@b.example", r"mailto\:a\@b.example"),
        ("int: 4", "int: 4"),
    ],
)
def test_addresses_are_text(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_the_name_of_a_target_is_text(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text(f'[target."{NAME}"]\ngpu = "rtx-3060"\ngpu_count = 1\n', "utf-8")
    (tmp_path / "trainlint.toml").write_text(f'gpus = "my.toml"\ntarget = "{NAME}"\n', "utf-8")
    source = source_of(EXAMPLE, "a.yml")
    found = DocumentService(CachedPipelines()).hover(source, source.text.index("batch_size_per_gpu") + 3)
    assert found is not None
    assert "evil.example" in found[0]
    assert "](http" not in found[0]
    assert "<img" not in found[0].replace(r"\<", "")
    assert "://" not in found[0].replace(r"\://", "")
