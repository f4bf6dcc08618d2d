# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The pictures of the first page show what their commands print today (docs/pictures.py draws them)."""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
PIECE = re.compile(r'<text class="trainlint-r\d+" x="[\d.]+" y="([\d.]+)"[^>]*>([^<]*)</text>')
COLUMNS = "112"

pytestmark = pytest.mark.process


def lines_of(picture: Path) -> list[str]:
    """Return the text of a picture, line by line, without the spaces that it shows by places alone."""
    lines: dict[str, str] = {}
    for height, text in PIECE.findall(picture.read_text(encoding="utf-8")):
        lines[height] = lines.get(height, "") + html.unescape(text).replace("\N{NO-BREAK SPACE}", " ")
    return list(lines.values())


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_a_picture_is_what_its_command_prints(picture):
    command, *shown = lines_of(picture)
    words = [sys.executable, "-m", "trainlint", *shlex.split(command)[2:], "--no-trace"]
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "COLUMNS": COLUMNS}, capture_output=True, encoding="utf-8",
        check=False,
    )  # fmt: skip
    text = bare("".join(shown)).removesuffix("...")
    assert len(text) > len(command)
    assert bare(done.stdout).startswith(text)
