# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which names trainlint's own files of networks list, kept until one of them changes.

A config's network is looked for under its dialect's own spelling first, which mostly nobody lists: to see
that, each file was read, 6 ms of every run.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from trainlint.catalogue.zoo import builders
from trainlint.catalogue.zoo.packages import NETWORKS, own
from trainlint.shipped.kept_data import keep_value, kept_value, tree_state

KEPT_NAMES: Final = "zoo-names"


def may_list(name: str) -> bool:
    """Say whether one of the files may list a network of this name."""
    known = _known()
    return known is None or name in known


@cache
def _known() -> frozenset[str] | None:
    """Return all names; None where a file's table is written in a way that is only read as a whole."""
    state = tree_state((own().folder,))
    kept: list[list[str] | None] | None = kept_value(KEPT_NAMES, state)
    if kept is None:
        listed = _listed()
        keep_value(KEPT_NAMES, state, [listed and sorted(listed)])
        return listed
    return None if kept[0] is None else frozenset(kept[0])


def _listed() -> frozenset[str] | None:
    listed: set[str] = set()
    for file in own().files(NETWORKS):
        names = [*builders.names(file)]
        if not names and "BUILDERS" in builders.text_of(file):
            return None
        listed.update(names)
    return frozenset(listed)
