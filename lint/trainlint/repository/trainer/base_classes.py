# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A class's bases across files, in the order in which Python looks for methods (C3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.repository.survey.normal_form import FAMILY
from trainlint.repository.trainer.definitions import Node, Survey

MOST_NESTED_CLASSES: Final = 30
"""Classes above one another."""
KNOWN_BASES: Final = ("object", "torch.nn.Module", "abc.ABC", "torch.nn.Sequential")
"""Bases from elsewhere that are known."""


INSTALLED_PREFIX: Final = "installed "
"""Before the name of a published class that the repository does not have."""


class UnknownBasesError(Exception):
    """What a class inherits from is not known."""


def order_of(key: str, survey: Survey, published: Mapping[str, Node], below: tuple[str, ...]) -> list[str]:
    """Return a class and its bases in Python's order (C3); UnknownBasesError where it is not known."""
    if key in below or len(below) > MOST_NESTED_CLASSES:
        raise UnknownBasesError("it inherits from itself")
    bases = _bases(key, survey, published)
    lines = [order_of(base, survey, published, (*below, key)) for base in bases]
    order, waiting = [key], [*lines, list(bases)]
    while waiting := [line for line in waiting if line]:
        heads = (line[0] for line in waiting)
        head = next((h for h in heads if not any(h in line[1:] for line in waiting)), None)
        if head is None:
            raise UnknownBasesError("its bases have no order")
        order.append(head)
        waiting = [line[1:] if line[0] == head else line for line in waiting]
    return order


def _bases(key: str, survey: Survey, published: Mapping[str, Node]) -> list[str]:
    if key.startswith(INSTALLED_PREFIX):
        return [
            f"{INSTALLED_PREFIX}{base}" for base in published[key.removeprefix(INSTALLED_PREFIX)]["bases"]
        ]
    node = survey.nodes[key]
    if node["strange"]:
        raise UnknownBasesError(f"{node['name']} has {node['strange'][0]} on it")
    if node["name"] in survey.patches:
        raise UnknownBasesError(f"{node['name']} is changed in {survey.patches[node['name']]}")
    bases = []
    for base in node["bases"]:
        above = survey.nodes[base]
        if above["kind"] == "class":
            bases.append(base)
        elif above["kind"] == "outside" and above["name"] in published and _installed(above["full"]):
            bases.append(f"{INSTALLED_PREFIX}{above['name']}")
        elif above["full"] not in KNOWN_BASES:
            raise UnknownBasesError(f"its base {above['name']} is not in the repository")
    return bases


def _installed(full: str) -> bool:
    return full.partition(".")[0] in FAMILY
