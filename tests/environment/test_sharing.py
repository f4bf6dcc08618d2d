# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An edited document has the environment of its file: nothing is looked for once more."""

from __future__ import annotations

from msgspec.structs import replace

from trainlint.environment import environment_for, share_environment
from trainlint.read import load_source, read
from trainlint.read.document import AT_HAND


def test_an_edit_has_the_environment_that_was_found(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("torch==2.1.0\n", encoding="utf-8")
    path = tmp_path / "a.yml"
    path.write_text("scale: 4\n", encoding="utf-8")
    (document,) = read(load_source(str(path)))
    edited, other = (replace(document, source=replace(document.source)) for _ in range(2))
    found = environment_for(document)
    share_environment(edited, document)
    (tmp_path / "requirements.txt").unlink()
    assert environment_for(edited) is environment_for(document) is found
    for _ in range(AT_HAND + 1):  # a file has more edits tried than are at hand
        edited = replace(document, source=replace(document.source))
        share_environment(edited, document)
    assert environment_for(edited) is environment_for(replace(document, value={})) is found
    assert "torch" in found.packages
    assert not environment_for(other).packages
