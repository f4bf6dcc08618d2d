# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How people write a GPU's name: "RTX 4090", "rtx4090", "4090", "Tesla T4", "NVIDIA A100-SXM4-80GB"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from trainlint.expressions.patterns import later

NOISE_WORDS = frozenset(
    {"nvidia", "geforce", "tesla", "gpu", "graphics", "generation", "edition", "series", "card"}
)
"""Words that distinguish no two cards."""

OPTIONAL_WORDS = frozenset(
    {"rtx", "gtx", "quadro", "pro", "ada", "blackwell", "workstation", "server",
     "pcie", "sxm", "sxm2", "sxm4", "sxm5", "nvl", "hbm3", "ls", "pascal", "maxwell"}
)  # fmt: skip
"""Words that people leave out; where that leaves several cards, they are asked which."""

MEMORY = later(r"\d+gb")


def slug(text: str) -> str:
    """Return a name as gpus.toml writes it: lower case, hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


@cache
def words(text: str) -> frozenset[str]:
    """Split a name into its telling words: "RTX4060Ti 16 GB" -> {rtx, 4060, ti, 16gb}."""
    text = re.sub(r"\b(\d+) *g(?:i?b)?\b", r"\1gb", text.lower())
    text = re.sub(r"\b(rtx|gtx)(?=\w*\d)", r"\1 ", text)
    text = re.sub(r"(?<=\d)(ti|super|laptop)", r" \1", text)
    text = re.sub(r"(?<=ti)(super)", r" \1", text)
    return frozenset(re.findall(r"[a-z0-9]+", text)) - NOISE_WORDS


def covers(query: frozenset[str], name: frozenset[str]) -> bool:
    """Say whether a loosely written name can mean a card: all its words, and only optional ones left out.

    A query without a number ("titan") is too little to go by.
    """
    left_out = {word for word in name - query if not MEMORY.fullmatch(word)} - OPTIONAL_WORDS
    return query <= name and not left_out and any(re.search(r"\d", word) for word in query)


def matching(query: str, names: Iterable[tuple[str, frozenset[str]]]) -> list[str]:
    """Return the keys whose names are meant: exactly, else loosely; several if it is not clear which.

    `names` are (key, words of one of its names); a key may come several times.
    """
    asked = words(query)
    known = list(names)
    exact = [key for key, name in known if name == asked]
    return list(dict.fromkeys(exact or [key for key, name in known if covers(asked, name)]))
