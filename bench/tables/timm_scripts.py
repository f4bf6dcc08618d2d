# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Writes the digests of what timm's train.py has run in each of its published versions.

    python -m bench timm_scripts CLONE

CLONE is a git repository of huggingface/pytorch-image-models. No text of it is kept.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from bench.commands import parser_of
from trainlint.repository.trainer.timm_script import TABLE, functions

SCRIPTS = ("train.py", "legacy_train.py")


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - git on the named clone
        ["git", "-C", str(clone), *words],  # noqa: S607
        capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    """Write the table."""
    parser = parser_of(__doc__)
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    digests = set()
    for script in SCRIPTS:
        for commit in _git(clone, "log", "--format=%H", "--diff-filter=AM", "--", script).split():
            digests |= {digest for _, _, digest in functions(_git(clone, "show", f"{commit}:{script}"))}
    TABLE.write_text(json.dumps(sorted(digests), indent=0) + "\n", encoding="utf-8")
    print(f"{TABLE.name}: {len(digests)} digests")
