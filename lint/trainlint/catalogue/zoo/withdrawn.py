# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks whose code may not be shipped: their signatures are kept, and why and how to get them is said."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from trainlint.catalogue.zoo.generated_tables import read
from trainlint.catalogue.zoo.network_signature import Signature
from trainlint.catalogue.zoo.packages import own

FILE: Final = "withdrawn.json"


class Withdrawn(NamedTuple):
    """A network that was modeled here until `commit`; `library` is what pip installs it by, if anything."""

    arch: str
    upstream: str
    why: str
    commit: str
    library: str
    signature: Signature

    def reason(self) -> str:
        """Say why it cannot be built, and how it can."""
        install = f"pip install {self.library}, or " if self.library else ""
        return (
            f'network "{self.arch}" is not shipped ({self.upstream}: {self.why}): '
            f"{install}name a file of your own that builds it with --networks"
        )


def find(dialect: str, arch: str) -> Withdrawn | None:
    """Return a network that was withdrawn; the dialect's own spelling before the bare one."""
    row = _rows().get(f"{dialect}:{arch}") or _rows().get(arch)
    if row is None:
        return None
    return Withdrawn(
        arch, row["upstream"], row["why"], row["commit"], row.get("library", ""), read(arch, row)
    )


def names() -> Collection[str]:
    """Return every name; a dialect's own is written `dialect:name`."""
    return _rows().keys()


def rows() -> Mapping[str, Any]:
    """Return the table, for the page of networks."""
    return _rows()


@cache
def _rows() -> Mapping[str, Any]:
    file = own().folder / FILE
    rows: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return rows
