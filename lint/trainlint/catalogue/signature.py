# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network's signature, read without torch: which arguments it takes, of what type, with which defaults.

A network's file (under a folder `networks` of the zoo) imports torch, so it is parsed, not imported. It says
in a literal dict which names it builds:
`BUILDERS = {"RRDBNet": "RRDBNet", "trainner-redux:esrgan": "esrgan"}`. A preset is described there
by what it is of, its own defaults and, where there are any, the arguments that it does not take:
`("FDAT", {"embed_dim": 96}, ["mid_dim"])`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

from trainlint.catalogue.zoo import builders, generated_tables, library_networks, withdrawn
from trainlint.catalogue.zoo.file_check import brought, check, check_all_tables, installed
from trainlint.catalogue.zoo.listed_names import may_list
from trainlint.catalogue.zoo.network_signature import Location, Param, Signature
from trainlint.catalogue.zoo.packages import NETWORKS, files, listed

__all__ = ["Location", "Param", "Positive", "Signature", "architectures", "locate", "signature"]

Positive = Annotated[int, "positive"]
"""An integer of at least 1: how network files annotate widths, depths and scales."""


def locate(dialect: str, arch: str, extra: Sequence[Path] = ()) -> Location | None:
    """Find who builds `arch`; the dialect's own spelling ("kair:rrdbnet") before the bare one, `extra` first.

    `extra` are network files or folders of them, named by the user.
    """
    definition = _located(dialect, arch, tuple(extra))
    return definition and definition[0]


def signature(dialect: str, arch: str, extra: Sequence[Path] = ()) -> Signature | None:
    """Read the signature behind `arch`, of a withdrawn network too; None for an unknown one."""
    definition = _located(dialect, arch, tuple(extra))
    if definition is not None:
        place, published = definition
        return _preset(published._replace(arch=arch), place)
    gone = withdrawn.find(dialect, arch)
    return gone.signature if gone else None


@cache
def architectures(dialect: str) -> frozenset[str]:
    """Return every name under which a network is known in a dialect, its own spelling and the bare ones."""
    return own_architectures(dialect) | {name for name in _names() if ":" not in name}


@cache
def own_architectures(dialect: str) -> frozenset[str]:
    """Return a dialect's own names for the networks that are known in it."""
    return frozenset(name.partition(":")[2] for name in _names() if name.startswith(f"{dialect}:"))


@cache
def _names() -> frozenset[str]:
    """Return every name of every dialect; a dialect's own is written `dialect:name`."""
    drawn = (name for file in files(NETWORKS) for name in builders.names(file))
    return frozenset((*library_networks.names(), *withdrawn.names(), *drawn))


def forget() -> None:
    """Forget what the user's own files hold: they may have changed."""
    builders.forget()
    _located.cache_clear()


@cache
def _located(dialect: str, arch: str, extra: tuple[Path, ...]) -> tuple[Location, Signature] | None:
    gone = False
    for name in (f"{dialect}:{arch}", arch):
        place = _first(name, listed(extra))
        if place is None and not gone:
            if (known := generated_tables.find(name)) is not None:
                return known
            place = _first(name, installed(NETWORKS) if may_list(name) else brought(NETWORKS))
            check([place.file] if place else [])  # new, or changed since the table was written
        if place is not None:
            return place, builders.constructor(arch, place.file, place.name)
        gone = name in withdrawn.names()  # the bare name is then another network's
    check_all_tables(NETWORKS)
    return None


def _first(name: str, among: Sequence[Path]) -> Location | None:
    locations = (builders.location(file, name) for file in among)
    return next((location for location in locations if location is not None), None)


def _preset(published: Signature, location: Location) -> Signature:
    """Return the signature with a preset's defaults in it."""
    changed = {
        name: published.params[name]._replace(default=value, required=False, readable=True)
        for name, value in location.defaults.items()
    }
    params = {
        name: changed.get(name, param)
        for name, param in published.params.items()
        if name not in location.lacking
    }
    return published._replace(params=params)
