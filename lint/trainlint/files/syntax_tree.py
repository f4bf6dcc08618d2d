# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A Python text's syntax tree; nothing of it is run."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache


def parsed(text: str) -> ast.Module | None:
    """Return a text's syntax tree; None where it is no Python, or nested too deep."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def flaw_of(text: str) -> SyntaxError | None:
    """Return why and where a text is no Python; None where it is, or for another reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as flaw:
        return flaw
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


tree_of = lru_cache(maxsize=256)(parsed)
"""The trees of the texts that were asked for last."""
