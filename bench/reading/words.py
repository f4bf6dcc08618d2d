# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lines and words of a report: trainlint's next to those of ruff and zizmor on a finding of theirs.

    python -m bench words            a table; tools that are not on PATH are left out
    python -m bench words --page FILE=TARGET             with a page of your own; may be given several times
    python -m bench words --write                        the table into data/words.csv too

ruff and zizmor are on PyPI. Words are what white space separates, markers and places included. trainlint's
findings are those of the README's config; its page of commands is examples/trainers/vae.sh.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.commands import parser_of

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "bench" / "data" / "words.csv"
EXAMPLE = "examples/realesrgan_x4.yml"
OWN_PAGE = "examples/trainers/vae.sh=kaggle-t4x2"
PASSING = "examples/compact_x4.yml"
PYTHON = "import os\n\nx = 1\n"
WORKFLOW = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo ${{ github.event.head_commit.message }}
"""
PAGE = "a page of commands"
LIMITS = {
    "a failing job": (25, None),
    "a finding": (None, 65),
    "a finding, concise": (1, 15),
    "a passing job": (2, None),  # its line, and what is asked for
    PAGE: (60, None),
}
"""The most lines and words that a report of ours may have."""
COLUMNS = 100
"""The most columns of its lines."""
FINDING = re.compile(r"^(?:error|warning)\[", re.MULTILINE)


def counted(text: str) -> tuple[int, int]:
    """Return the lines of a text and its words, marks of what can be fixed aside."""
    return len(text.splitlines()), len(text.replace("[*] ", "").split())


def findings(text: str) -> Iterator[str]:
    """Yield the findings of a report that begin with `error[` or `warning[`, to the empty line after each."""
    for match in FINDING.finditer(text):
        yield text[match.start() :].partition("\n\n")[0]


def printed(words: Sequence[str], folder: Path = ROOT) -> str:
    """Run a command and return what it prints."""
    return subprocess.run(  # noqa: S603 - our own words
        words, cwd=folder, capture_output=True, text=True, check=False
    ).stdout


def own(pages: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return the texts of ours that have limits; each page of commands is for the target next to it."""
    call = [sys.executable, "-m", "trainlint", EXAMPLE, "-t", "kaggle-t4x2", "--no-trace"]
    whole, concise = printed(call), printed([*call, "--format", "concise"])
    longest = max(findings(whole), key=lambda text: counted(text)[1], default="")
    passing = printed([*call[:3], PASSING, "-t", "rtx-4090", "--no-trace"])
    texts = {
        "a failing job": whole,
        "a finding": longest,
        "a finding, concise": max(concise.splitlines(), key=lambda line: len(line.split()), default=""),
        "a passing job": passing.partition("\n\n")[0],
    }
    for page, target in pages:
        texts[f"{PAGE}: {Path(page).stem}"] = printed([*call[:3], page, "-t", target])
    return texts


def others() -> Mapping[str, str]:
    """Return a finding of each of the other tools, as far as they are installed."""
    made = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.py").write_text(PYTHON, encoding="utf-8")
        workflows = folder / ".github" / "workflows"
        workflows.mkdir(parents=True)
        (workflows / "ci.yml").write_text(WORKFLOW, encoding="utf-8")
        if ruff := shutil.which("ruff"):
            call = [ruff, "check", "--isolated", "--select", "F401", "a.py"]
            made["ruff, a finding"] = printed([*call, "--output-format", "full"], folder).split("\n\n")[0]
            made["ruff, a finding, concise"] = printed([*call, "--output-format", "concise"], folder).split(
                "\n"
            )[0]
        if zizmor := shutil.which("zizmor"):
            found = printed([zizmor, "--offline", "--no-progress", ".github/workflows/ci.yml"], folder)
            blocks = [block for block in found.split("\n\n") if FINDING.search(block)]
            made["zizmor, a finding"] = max(blocks, key=lambda text: counted(text)[1], default="")
    return made


def main() -> int:
    """Print the table; 1 where a text of ours is longer than its limit."""
    parser = parser_of(__doc__)
    parser.add_argument("--page", action="append", metavar="FILE=TARGET")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    ours = own([tuple(page.rpartition("=")[::2]) for page in chosen.page or (OWN_PAGE,)])
    texts = {**{f"trainlint, {name}": text for name, text in ours.items()}, **others()}
    over, rows = 0, ["text,lines,words,columns"]
    width = max(map(len, texts))
    print(f"{'text':<{width}}  lines  words  columns")
    for name, text in texts.items():
        lines, words = counted(text)
        columns = max(map(len, text.splitlines()), default=0)
        limits = LIMITS.get(name.removeprefix("trainlint, ").partition(":")[0])
        most_lines, most_words = limits or (None, None)
        long = (most_lines or lines) < lines or (most_words or words) < words
        long |= limits is not None and not name.endswith("concise") and columns > COLUMNS
        over += long
        print(f"{name:<{width}}  {lines:>5}  {words:>5}  {columns:>7}{'  too long' if long else ''}")
        rows.append(f'"{name}",{lines},{words},{columns}')
    if chosen.write:
        TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return int(over > 0)
