# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Configs that list what keys there are: most of theirs are empty, and nobody runs them."""

from __future__ import annotations

from typing import Final

from trainlint.model.document import Document

MANY_KEYS: Final = 100
"""More than a config has that is run: axolotl's examples have up to 71, the list of all its keys 145."""

ONLY_LISTED: Final = "most of its keys are empty, as in a list of all keys, which nobody runs"


def lists_keys(document: Document, least: int = 0) -> bool:
    """Return whether a config has so many keys and most of them are empty."""
    values = document.value.values()
    return len(values) >= least and sum(value is None for value in values) > len(values) / 2
