# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Digests of published training steps and networks (bodies.json, which bench/tables/bodies.py writes)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.repository.trainer.definitions import Node, Survey

OWN_NETWORKS: Final = ("kair",)
"""Dialects whose networks are kept apart."""


class Bodies(Struct, frozen=True):
    """What was published.

    `classes`: model classes of packages that are installed, name -> {bases, methods}; `steps`: recipe ->
    {"training" or "validation": method -> digests}; `definitions`: name -> digests of what these lead to;
    `networks`: name -> (name of a definition -> digests). A digest with "!field" passes over that field, a
    network's with "!argument=value" is the same step unless the argument has that value.
    """

    classes: Mapping[str, Node]
    steps: Mapping[str, Mapping[str, Mapping[str, Collection[str]]]]
    definitions: Mapping[str, Collection[str]]
    networks: Mapping[str, Mapping[str, Collection[str]]]

    def strange(self, survey: Survey, key: str) -> Node | None:
        """Return the first definition behind one that is not published; None where all are known."""
        for _, node in survey.reached(key):
            if survey.digest(node) not in self.definitions.get(node["name"], ()):
                return node
        return None

    def network(self, survey: Survey, key: str, built: Mapping[str, Any], dialect: str = "") -> Node | None:
        """Return the first definition of a network that is not the published one; None where all are.

        `built` are the arguments that it is built with.
        """
        known = self.networks.get(known_as(survey.nodes[key]["name"], dialect), {})
        for _, node in survey.reached(key):
            if survey.digest(node) not in {_unless(body, built) for body in known.get(node["name"], ())}:
                return node
        return None


def known_as(name: str, dialect: str = "") -> str:
    """Return the name under which a network is kept: KAIR's are others than BasicSR's of the same names."""
    return f"{dialect}:{name}" if dialect in OWN_NETWORKS else name


def _unless(digest: str, built: Mapping[str, Any]) -> str:
    """Return a digest without its argument, where that is known to have another value."""
    plain, _, condition = digest.partition("!")
    name, _, value = condition.partition("=")
    return plain if not name or (name in built and str(built[name]) != value) else digest


@cache
def bodies() -> Bodies:
    """Return the digests, read once."""
    text = Path(__file__).with_name("bodies.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return Bodies(**table)
