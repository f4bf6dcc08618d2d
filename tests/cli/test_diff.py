# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--diff`: a patch that patch takes, whatever the line ends."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from trainlint.cli.fixing.fixed_text import diff
from trainlint.model.document import Source

GIT = shutil.which("git")


@pytest.mark.skipif(GIT is None, reason="needs git to apply the patch")
@pytest.mark.parametrize(
    "text",
    ["a: 1\nb: 2\n", "a: 1\r\nb: 2\r\n", "a: 1\rb: 2\r", "a: 1\x0cx\nb: 2\u2028y\n", "a: 1\nb: 2"],
    ids=["lf", "crlf", "cr", "others", "no end"],
)
def test_the_patch_applies(tmp_path, text) -> None:
    after = text.replace("2", "3")
    (tmp_path / "x.yml").write_bytes(text.encode())
    patch = diff(Source("x.yml", text), Source("x.yml", after)).encode()
    done = subprocess.run(
        [GIT, "apply", "-p0", "--whitespace=nowarn"], cwd=tmp_path, input=patch, capture_output=True,
        check=False, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.yml").read_bytes() == after.encode()
