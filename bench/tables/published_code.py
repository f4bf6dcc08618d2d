# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write the digests of what fine-tuning trainers run, in all versions that their repositories have had.

    python -m bench published_code MIRRORS [--only DIALECT] [--mainline]

MIRRORS is a folder of git repositories named OWNER+NAME (bare, or with a work tree). Which files are read is
in the schemas (`runs`). With --mainline the main branch's own commits are read, and what they have is added
to what the table has: a quarter of the time. Only digests are written, never a line of a source.
"""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Sequence
from fnmatch import translate
from pathlib import Path
from typing import Final

from bench import ROOT
from bench.commands import parser_of
from trainlint.repository.code.code_settings import settings
from trainlint.repository.code.code_units import named, units
from trainlint.repository.code.published_code import FIELD, SCRIPT, TABLE, digests_of

REPOSITORIES: Final = {
    "ai-toolkit": "ostris+ai-toolkit",
    "axolotl": "axolotl-ai-cloud+axolotl",
    "diffusers": "huggingface+diffusers",
    "kohya": "kohya-ss+sd-scripts",
    "litgpt": "Lightning-AI+litgpt",
    "llamafactory": "hiyouga+LLaMA-Factory",
    "simpletuner": "bghira+SimpleTuner",
    "trl": "huggingface+trl",
}
OF_LATER_SCHEMAS: Final = {
    "diffusers": ["examples/*train_*.py"],
    "kohya": ["examples/*train_*.py"],
    "trl": ["trl/scripts/*.py", "examples/scripts/*.py"],
}
"""Scripts that no schema names yet."""


def main() -> None:
    """Write the table."""
    parser = parser_of(__doc__)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--only", choices=REPOSITORIES)
    parser.add_argument("--mainline", action="store_true")
    options = parser.parse_args()
    packed = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for dialect in [options.only] if options.only else REPOSITORIES:
        clone, before = options.mirrors / REPOSITORIES[dialect] / "repo", packed.get(dialect, "")
        packed[dialect] = _packed(clone, dialect, before if options.mainline else None)
    TABLE.write_text(json.dumps(packed, indent=0) + "\n", encoding="utf-8")


def _packed(clone: Path, dialect: str, before: str | None) -> str:
    """Return the digests of a trainer; `before`, those that the commits of the main branch are added to."""
    known = set(digests_of(before or ""))
    commits = ("--all",) if before is None else ("--first-parent", "HEAD")
    files = 0
    for path, content in versions(clone, [*_patterns(dialect)], commits):
        files += 1
        text = content.decode("utf-8", "replace")
        for name, _, digest, _ in [*units(text), *settings(text, Path(path).stem)]:
            known |= {digest, named(name)}
    print(f"{dialect}: {files:,} files, {len(known):,} digests")
    return b64encode(b"".join(sorted(known))).decode()


def _patterns(dialect: str) -> Iterator[str]:
    """Yield which of a repository's files a dialect's jobs run, whatever a config says."""
    schema = json.loads((ROOT / "schemas" / f"{dialect}.json").read_text(encoding="utf-8"))
    for pattern in schema["x-trainlint"]["trainer"]["runs"]:
        if SCRIPT in pattern:
            yield from (f"*{script}" for script in _scripts(dialect))
            yield from OF_LATER_SCHEMAS.get(dialect, ())
        else:
            yield FIELD.sub("*", pattern).replace("**/", "*")


def _scripts(dialect: str) -> list[str]:
    lines = (ROOT / "schemas" / f"{dialect}.yaml").read_text(encoding="utf-8").splitlines()
    if "  scripts:" not in lines:
        return []
    start = lines.index("  scripts:") + 1
    return [
        line.removeprefix("  - ")
        for line in lines[start : start + 60]
        if line.startswith("  - ") and line.endswith(".py")
    ]


def versions(
    clone: Path, patterns: list[str], commits: Sequence[str] = ("--all",)
) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of every version of the files in a clone's history, each once, with a path of it."""
    clone = clone / ".git" if (clone / ".git").is_dir() else clone
    matched = re.compile("|".join(map(translate, patterns)))
    raw = _git(clone, "log", *commits, "--format=", "--raw", "--no-abbrev", "--no-renames", "--", "*.py")
    blobs = dict.fromkeys(
        (line.split()[3], line.partition("\t")[2])
        for line in raw.decode("utf-8", "replace").splitlines()
        if matched.fullmatch(line.partition("\t")[2])
    )
    with subprocess.Popen(  # noqa: S603 - git on the named clone
        ["git", "-C", str(clone), "cat-file", "--batch"],  # noqa: S607
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as reader:  # fmt: skip
        assert reader.stdin is not None  # noqa: S101
        assert reader.stdout is not None  # noqa: S101
        for blob, path in blobs:
            reader.stdin.write(f"{blob}\n".encode())
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if head[-1] == b"missing":
                continue
            yield path, reader.stdout.read(int(head[2]))
            reader.stdout.read(1)


def _git(clone: Path, *words: str) -> bytes:
    done = subprocess.run(  # noqa: S603 - as above
        ["git", "-C", str(clone), *words],  # noqa: S607
        capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout
