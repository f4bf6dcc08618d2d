# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Draws what trainlint prints, for the site: real commands, run here, as SVG in docs/pictures.

    python docs/pictures.py            write
    python docs/pictures.py --check    exit 1 and name what is not up to date

Needs rich (`pip install -e '.[docs]'`).
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
COLUMNS = {"fit": 138}
"""Of a table that is wider than the other pictures."""
USUAL_COLUMNS = 112
MOST_LINES = 44
"""Lines of a picture: what a reader sees without scrolling."""

PICTURES = {
    "check": "trainlint examples/realesrgan_x4.yml -t kaggle-t4x2 --launcher none",
    "fit": "trainlint fit examples/realesrgan_x4.yml -t rtx-3060 -t rtx-4090 -t kaggle-t4x2 -t colab-a100",
    "diff": "trainlint diff examples/realesrgan_x4.yml examples/realesrgan_x4_kaggle.yml -t kaggle-t4x2",
}
"""What each picture shows."""

_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def drawn(command: str, columns: int) -> str:
    """Run a command and return its output as SVG, without the fonts that a viewer would fetch."""
    environment = {**os.environ, "COLUMNS": str(columns), "XDG_CACHE_HOME": os.devnull}
    words = [sys.executable, "-m", "trainlint", *shlex.split(command)[1:], "--no-trace"]
    if words[3] != "diff":
        words.append("--color=always")
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    lines = done.stdout.rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "..."]
    console = Console(record=True, width=columns, file=StringIO(), force_terminal=True, legacy_windows=False)
    console.print(f"[bold]$ {command}[/bold]", highlight=False)
    console.print(Text.from_ansi("\n".join(lines)), soft_wrap=False)
    return _FONTS.sub("", console.export_svg(title="trainlint", unique_id="trainlint")) + "\n"


def main() -> int:
    """Write or check."""
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, command in PICTURES.items():
        path, text = FOLDER / f"{name}.svg", drawn(command, COLUMNS.get(name, USUAL_COLUMNS))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is not up to date' if '--check' in sys.argv else 'was written'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
