# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What makes a finding the same in the next run, when the lines above it have moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256

from trainlint.model.document import Source
from trainlint.model.finding import Finding
from trainlint.report.placed_findings import Placed, path_from_root

LENGTH = 32
"""Hexadecimal digits: 128 bits, as GitLab's own fingerprints have."""


def digest(parts: Iterable[str]) -> str:
    """Return the fingerprint of what represents a finding."""
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:LENGTH]


def values_of(source: Source, finding: Finding) -> list[str]:
    """Return what is written at every place that a finding is about."""
    return [source.text[span.start : span.end].strip() for span in finding.spans]


def identity(placed: Placed) -> tuple[str, ...]:
    """Return what a finding is in its file: its rule, the key it is about, and the values written there."""
    if placed.finding is None:
        return placed.rule, placed.text
    return placed.rule, placed.finding.pointer, *values_of(placed.result.source, placed.finding)


def fingerprints(all_placed: Iterable[Placed]) -> Iterator[tuple[Placed, str]]:
    """Yield each finding with its fingerprint; alike ones of a file are numbered in their order."""
    seen: Counter[tuple[str, ...]] = Counter()
    for placed in all_placed:
        key = (path_from_root(placed.result.path), *identity(placed))
        seen[key] += 1
        yield placed, digest((*key, str(seen[key])))
