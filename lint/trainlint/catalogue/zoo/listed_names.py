# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which names trainlint's own files of networks list, kept until one of them changes.

A config's network is looked for under its dialect's own spelling first, which is mostly not listed: to see
that, each file was read, 6 ms of every run.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from trainlint.catalogue.zoo import builders
from trainlint.catalogue.zoo.packages import NETWORKS, own
from trainlint.shipped.kept_data import made_of

KEPT_NAMES: Final = "zoo-names.json"


def may_list(name: str) -> bool:
    """Say whether one of the files may list a network of this name."""
    known = _known()
    return known is None or name in known


@cache
def _known() -> frozenset[str] | None:
    """Return all names; None where a file's table is written in a way that is only read as a whole."""
    names = made_of((own().folder,), KEPT_NAMES, listed)
    return None if names is None else frozenset(names)


def listed() -> list[str] | None:
    """Read all names from the files' tables; None where one has to be read as a whole."""
    all_names: set[str] = set()
    for file in own().files(NETWORKS):
        names = [*builders.names(file)]
        if not names and "BUILDERS" in builders.text_of(file):
            return None
        all_names.update(names)
    return sorted(all_names)
