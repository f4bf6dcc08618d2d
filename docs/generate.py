# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Writes what is derived: rule pages, settings, networks, NOTICE, bounds, the outputs in README and docs/.

    python docs/generate.py            write
    python docs/generate.py --check    exit 1 and name what is not up to date

An output is between `<!-- output: COMMAND -->` and `<!-- /output -->`; the command is run from the root,
with stored profiles only; a dry run by this interpreter, which has the reference torch.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from known import page as known
from limits import table
from notice import notice
from settings_page import page as settings

from trainlint.catalogue.zoo.file_check import check_package
from trainlint.catalogue.zoo.packages import own
from trainlint.errors import TrainlintError
from trainlint.judge import load_rules
from trainlint.report.json_version_1 import encoded
from trainlint.report.rule_pages import pages
from trainlint.settings.settings_schema import schema

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = re.compile(r"^<!-- output: (?P<command>[^\n]+) -->\n.*?<!-- /output -->", re.DOTALL | re.MULTILINE)

LIMITS = re.compile(r"(?<=<!-- limits -->\n).*?(?=\n<!-- /limits -->)", re.DOTALL)


def run(cache: str, command: str) -> str:
    """Run a trainlint command as a user would, with a cache that is empty at first; return what it prints."""
    words = [sys.executable, "-m", "trainlint", *shlex.split(command)[1:]]
    if words[3] not in ("rules", "targets", "dialects", "rule", "dry-run"):
        words.append("--no-trace")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # the python of a dry run
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120", "XDG_CACHE_HOME": cache, "PATH": path}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip("\n").replace(f"{ROOT}/", "")  # the same in every checkout


def shown(printed: Mapping[str, str], match: re.Match[str]) -> str:
    """Render one output block again."""
    command = match["command"]
    return f"<!-- output: {command} -->\n```\n$ {command}\n{printed[command]}\n```\n<!-- /output -->"


def pages_with_output() -> list[Path]:
    """Return the pages that may show what a command prints."""
    return [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs/guides").glob("*.md")),
    ]


def derived() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with the text it should have."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages_with_output()}
    commands = dict.fromkeys(found["command"] for text in texts.values() for found in OUTPUT.finditer(text))
    with TemporaryDirectory() as cache, ThreadPoolExecutor(os.cpu_count()) as pool:
        printed = dict(zip(commands, pool.map(partial(run, cache), commands), strict=True))
    for page, text in texts.items():
        yield page, OUTPUT.sub(partial(shown, printed), text)
    yield ROOT / "docs" / "networks.md", known()
    yield ROOT / "NOTICE", notice((ROOT / "NOTICE").read_text(encoding="utf-8"))
    yield ROOT / "docs" / "settings.md", settings()
    yield ROOT / "docs" / "settings.schema.json", encoded(schema())
    security = ROOT / "docs" / "security.md"
    yield security, LIMITS.sub(lambda _: table(), security.read_text(encoding="utf-8"))
    for name, text in pages(load_rules()):
        yield ROOT / "docs" / "rules" / name, text


def main() -> int:
    """Write or check."""
    check_package(own())
    stale = [
        (path, text)
        for path, text in derived()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not up to date")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TrainlintError as error:
        sys.exit(str(error))
