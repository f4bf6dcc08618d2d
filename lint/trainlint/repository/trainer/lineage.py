# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A class with those it inherits from, and the methods that a step of it runs: each with its digests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from trainlint.repository.survey.method_attributes import ANY_ATTRIBUTE
from trainlint.repository.survey.normal_form import FURTHER_MARK, digest_of
from trainlint.repository.trainer.base_classes import (
    INSTALLED_PREFIX,
    KNOWN_BASES,
    UnknownBasesError,
    order_of,
)
from trainlint.repository.trainer.definitions import QUIET_FUNCTIONS, Node, Survey

TRAINING: Final = ("__init__", "init_train", "feed_data", "optimize_parameters")
"""What a trainer of BasicSR's family or KAIR calls on its model in a training step, and before the first."""
VALIDATION: Final = ("validation", "test")


class OwnClass(Struct, frozen=True):
    """One class of a line: its methods, each {digests, selfs, supers, refs, reads, passes, parts}."""

    name: str
    key: str | None
    methods: Mapping[str, Node]


Closure = Mapping[str, tuple[OwnClass, Node]]
"""Methods by their name, with a ^ for each override before it."""


class Lineage(Struct, frozen=True, dict=True):
    """A class and its bases in the order in which methods are looked for; `open` is why that is not known.

    `watched`: a base from elsewhere may read any attribute.
    """

    levels: tuple[OwnClass, ...]
    open: str | None = None
    watched: bool = False

    @cached_property
    def training(self) -> Closure:
        """What a training step calls, with the digests of what shapes it."""
        return self.closure(TRAINING)

    @cached_property
    def validation(self) -> Closure:
        """What a validation calls besides, and what of the training's reads otherwise because of it."""
        both = self.closure((*TRAINING, *VALIDATION))
        return {
            key: definition
            for key, definition in both.items()
            if key not in self.training or self.training[key][1]["digests"] != definition[1]["digests"]
        }

    def closure(self, roots: Collection[str]) -> Closure:
        """Return what calling the roots leads to, without what keeps an option that none of it reads."""
        unread = self._unread(self._reached(roots, frozenset()))
        return {
            key: (level, _without(method, unread))
            for key, (level, method) in self._reached(roots, unread).items()
        }

    def _unread(self, closure: Closure) -> frozenset[str]:
        """Return the attributes in which options are kept and that nothing reads."""
        reads = {name for _, method in closure.values() for name in method["reads"]}
        if self.watched or ANY_ATTRIBUTE in reads:
            return frozenset()
        parts = (
            part
            for level in self.levels
            for method in level.methods.values()
            for part in method.get("parts", ())
        )
        kept = {name for names, _ in parts for name in names or ()}
        return frozenset(kept - reads - self._names)

    def _reached(self, roots: Collection[str], unread: Collection[str]) -> dict[str, tuple[OwnClass, Node]]:
        closure: dict[str, tuple[OwnClass, Node]] = {}
        strange = [name for name in self._names if name.startswith("__") or name == "*"]
        waiting = [(name, 0) for name in (*roots, *strange)]
        while waiting:
            name, start = waiting.pop()
            definers = [
                (index, level) for index, level in enumerate(self.levels) if _defines(level, name, unread)
            ]
            rank = next((rank for rank, (index, _) in enumerate(definers) if index >= start), None)
            if rank is None:
                continue
            level_index, level = definers[rank]
            key = name + "^" * rank
            if key in closure or name in QUIET_FUNCTIONS:
                continue
            method = level.methods[name]
            closure[key] = (level, method)
            waiting += [(called, 0) for called in method["selfs"] if called in self._names]
            for method_name in method["supers"]:
                further = (
                    range(level_index + 1, len(self.levels))
                    if method_name.startswith(FURTHER_MARK)
                    else [level_index + 1]
                )
                waiting += [(method_name.removeprefix(FURTHER_MARK), start) for start in further]
        return closure

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for level in self.levels for name in level.methods)


def _defines(level: OwnClass, name: str, unread: Collection[str]) -> bool:
    """Return whether a class has a method that does more than call the one that it overrides."""
    if name not in level.methods:
        return False
    passes = level.methods[name]["passes"]
    return passes is None or not set(passes) <= set(unread)


def _without(method: Node, unread: Collection[str]) -> Node:
    return {**method, "digests": [digest_of(method["parts"], unread)]} if "parts" in method else method


def line_of(survey: Survey, key: str, published: Mapping[str, Node]) -> Lineage:
    """Return a class's line; `published` are classes that are installed: name -> {bases, methods}."""
    try:
        order = order_of(key, survey, published, ())
    except UnknownBasesError as error:
        return Lineage((), str(error))
    bases = {
        survey.nodes[base]["full"]
        for key in order
        if key in survey.nodes
        for base in survey.nodes[key]["bases"]
    }
    watched = any(base in KNOWN_BASES and base.startswith("torch.") for base in bases)
    return Lineage(tuple(_level(key, survey, published) for key in order), watched=watched)


def _level(key: str, survey: Survey, published: Mapping[str, Node]) -> OwnClass:
    if key.startswith(INSTALLED_PREFIX):
        name = key.removeprefix(INSTALLED_PREFIX)
        return OwnClass(name, None, published[name]["methods"])
    node = survey.nodes[key]
    methods = {name: {**method, "digests": [method["digest"]]} for name, method in node["methods"].items()}
    return OwnClass(node["name"], key, methods)
