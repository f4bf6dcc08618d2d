# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON pointers (RFC 6901): the key of a document that a finding is about, wherever its line is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from trainlint.config.place_map import NO_KEY, starts
from trainlint.model.document import Document, Path, once
from trainlint.model.finding import Finding


def pointer(path: Path) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def pointed(document: Document, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with the pointers of the values, or keys, that they point at."""
    paths = _paths(document) if findings else {}
    return [replace(finding, pointer=pointer(paths.get(finding.spans[0].start, ()))) for finding in findings]


@once
def _paths(document: Document) -> Mapping[int, Path]:
    """Return the path of what starts at a character: a key's before its value's."""
    paths: dict[int, Path] = {}
    for path, value, key in starts(document.places):
        paths.setdefault(value, path)
        if key != NO_KEY:
            paths[key] = path
    return paths
