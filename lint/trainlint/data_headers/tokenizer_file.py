# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A model's tokenizer.json: which words it has, and how many tokens texts are.

Tokens are counted by the library `tokenizers`, where it is installed, in a process of its own: a file that
makes it slow or large costs that process alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainlint.child_processes import run
from trainlint.data_headers.allowed_folder import Below

NAME: Final = "tokenizer.json"
MOST_BYTES: Final = 64 << 20
"""The largest that is known, Gemma 3's, has 33 MB."""
SECONDS: Final = 60
MEMORY: Final = 3 << 30
"""Bytes that the counting process may have: Gemma's vocabulary takes some 300 MB."""
_COUNT: Final = f"""
import json, os, sys
os.environ["TOKENIZERS_PARALLELISM"] = "false"
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
except ImportError:
    pass
from tokenizers import Tokenizer
asked = json.loads(sys.stdin.read())
tokenizer = Tokenizer.from_str(asked["tokenizer"])
tokenizer.no_truncation()
tokenizer.no_padding()
print(json.dumps([
    sum(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)
    for texts in asked["texts"]
]))
"""
"""What the process runs."""


def text_of(named: str, below: Below) -> str:
    """Return a tokenizer's text; "" where there is none, or one that is too large."""
    file = below.named(named)
    if file is None:
        return ""
    with file:
        data = file.read(MOST_BYTES + 1)
    return "" if len(data) > MOST_BYTES else data.decode("utf-8", "replace")


def token_counts(tokenizer: str, texts: Sequence[Sequence[str]]) -> list[int] | None:
    """Return how many tokens each sample's texts have; None where they cannot be counted."""
    asked = json.dumps({"tokenizer": tokenizer, "texts": texts})
    try:
        done = run([sys.executable, "-I", "-c", _COUNT], asked, timeout=SECONDS, cwd=sys.prefix)
        counts = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    if not isinstance(counts, list) or len(counts) != len(texts):
        return None
    return counts if all(isinstance(count, int) for count in counts) else None


def words_lacking(named: Sequence[str], tokenizer: str) -> list[str] | None:
    """Return which of these tokens a tokenizer has not; None for a file that is no tokenizer."""
    try:
        known = set(_words(json.loads(tokenizer)))
    except (ValueError, RecursionError, TypeError, AttributeError):
        return None
    return [word for word in named if word not in known] if known else None


def _words(tokenizer: Any) -> Iterator[str]:
    yield from (token["content"] for token in tokenizer.get("added_tokens", ()))
    vocabulary = tokenizer["model"]["vocab"] if "model" in tokenizer else ()
    yield from (entry if isinstance(entry, str) else entry[0] for entry in vocabulary)
