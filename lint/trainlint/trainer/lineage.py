# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A class with those it inherits from, and the methods that a step of it runs: each with its digests."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from trainlint.lean import dataclass
from trainlint.survey.attributes import ANYTHING
from trainlint.survey.normal import FAMILY, FURTHER, digest_of

Node = Mapping[str, Any]

TRAINING: Final = ("__init__", "init_train", "feed_data", "optimize_parameters")
"""What a trainer of BasicSR's family or KAIR calls on its model in a training step, and before the first."""
VALIDATION: Final = ("validation", "test")
QUIET: Final = (
    "get_root_logger", "calculate_metric", "imwrite", "tensor2img", "save", "save_network",
    "save_training_state", "get_current_log", "print_network", "setup_schedulers", "resume_training",
    "update_learning_rate", "_initialize_best_metric_results", "_update_best_metric_result",
    "_log_validation_metric_values", "_print_different_keys_loading", "random_add_gaussian_noise_pt",
    "random_add_poisson_noise_pt", "master_only", "get_dist_info", "get_current_learning_rate", "flops",
    "extra_repr", "__repr__", "no_weight_decay", "no_weight_decay_keywords",
    "define_scheduler", "load_optimizers", "load_optimizer", "save_optimizer", "current_log",
    "current_visuals", "current_results", "info_network", "info_params", "print_params", "describe_network",
    "describe_params", "define_G", "define_D",
)  # fmt: skip
"""Functions and methods that log, save, resume, count, set a rate or add noise: they do not shape a step.

With them those by which KAIR builds its networks, as they name all that it has.
"""
DEEPEST: Final = 30
"""Classes above one another."""
PLAIN: Final = ("object", "torch.nn.Module", "abc.ABC", "torch.nn.Sequential")
"""Bases from elsewhere that are known."""


@dataclass(frozen=True)
class Survey:
    """What a repository's source says: node ids by the name that was asked for, and the nodes behind them.

    `patches`: what is changed by an assignment elsewhere -> where. Nothing is known of that.
    """

    places: Mapping[str, Sequence[str]]
    nodes: Mapping[str, Node]
    patches: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None

    def reached(self, key: str) -> Iterator[tuple[str, Node]]:
        """Yield a definition and all of the repository's own that it leads to, quiet ones left out."""
        seen, waiting = {key}, [key]
        while waiting:
            node = self.nodes[waiting[0]]
            yield waiting.pop(0), node
            methods = node.get("methods", {}).values()
            refs = [*node.get("refs", ()), *node.get("bases", ())]
            for ref in [*refs, *(ref for method in methods for ref in method["refs"])]:
                other = self.nodes[ref]
                if (
                    ref not in seen
                    and other["name"] not in QUIET
                    and other["kind"] not in ("outside", "builtin")
                ):
                    seen.add(ref)
                    waiting.append(ref)

    def digest(self, node: Node) -> str:
        """Return one digest of a definition: a class's is made of its methods' and its bases' names."""
        if node["name"] in self.patches and node["kind"] in ("class", "function"):
            return "patched"
        if node["kind"] != "class":
            return str(node.get("digest", "unknown"))
        own = sorted((name, m["digest"]) for name, m in node["methods"].items() if name not in QUIET)
        bases = [self.nodes[base]["name"] for base in node["bases"]]
        text = repr((own, bases, node["strange"]))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True)
class OwnClass:
    """One class of a line: its methods, each {digests, selfs, supers, refs, reads, passes, parts}."""

    name: str
    key: str | None
    methods: Mapping[str, Node]


Closure = Mapping[str, tuple[OwnClass, Node]]
"""Methods by their name, with a ^ for each override before it."""


@dataclass(frozen=True)
class Lineage:
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
            key: found
            for key, found in both.items()
            if key not in self.training or self.training[key][1]["digests"] != found[1]["digests"]
        }

    def closure(self, roots: Collection[str]) -> Closure:
        """Return what calling the roots leads to, without what keeps an option that none of it reads."""
        unread = self._unread(self._reached(roots, frozenset()))
        return {
            key: (level, _without(method, unread))
            for key, (level, method) in self._reached(roots, unread).items()
        }

    def _unread(self, found: Closure) -> frozenset[str]:
        """Return the attributes in which options are kept and that nothing reads."""
        reads = {name for _, method in found.values() for name in method["reads"]}
        if self.watched or ANYTHING in reads:
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
        found: dict[str, tuple[OwnClass, Node]] = {}
        strange = [name for name in self._names if name.startswith("__") or name == "*"]
        waiting = [(name, 0) for name in (*roots, *strange)]
        while waiting:
            name, start = waiting.pop()
            definers = [(at, level) for at, level in enumerate(self.levels) if _defines(level, name, unread)]
            rank = next((rank for rank, (at, _) in enumerate(definers) if at >= start), None)
            if rank is None:
                continue
            at, level = definers[rank]
            key = name + "^" * rank
            if key in found or name in QUIET:
                continue
            method = level.methods[name]
            found[key] = (level, method)
            waiting += [(other, 0) for other in method["selfs"] if other in self._names]
            for other in method["supers"]:
                further = range(at + 1, len(self.levels)) if other.startswith(FURTHER) else [at + 1]
                waiting += [(other.removeprefix(FURTHER), start) for start in further]
        return found

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
        order = _order(key, survey, published, ())
    except _OpenError as error:
        return Lineage((), str(error))
    bases = {
        survey.nodes[base]["full"]
        for one in order
        if one in survey.nodes
        for base in survey.nodes[one]["bases"]
    }
    watched = any(base in PLAIN and base.startswith("torch.") for base in bases)
    return Lineage(tuple(_level(one, survey, published) for one in order), watched=watched)


INSTALLED: Final = "installed "
"""Before the name of a published class that the repository does not have."""


class _OpenError(Exception):
    """Nobody knows what a class inherits from."""


def _order(key: str, survey: Survey, published: Mapping[str, Node], below: tuple[str, ...]) -> list[str]:
    """Return a class and its bases in Python's order (C3)."""
    if key in below or len(below) > DEEPEST:
        raise _OpenError("it inherits from itself")
    bases = _bases(key, survey, published)
    lines = [_order(base, survey, published, (*below, key)) for base in bases]
    order, waiting = [key], [*lines, list(bases)]
    while waiting := [line for line in waiting if line]:
        heads = (line[0] for line in waiting)
        head = next((h for h in heads if not any(h in line[1:] for line in waiting)), None)
        if head is None:
            raise _OpenError("its bases have no order")
        order.append(head)
        waiting = [line[1:] if line[0] == head else line for line in waiting]
    return order


def _bases(key: str, survey: Survey, published: Mapping[str, Node]) -> list[str]:
    if key.startswith(INSTALLED):
        return [f"{INSTALLED}{base}" for base in published[key.removeprefix(INSTALLED)]["bases"]]
    node = survey.nodes[key]
    if node["strange"]:
        raise _OpenError(f"{node['name']} has {node['strange'][0]} on it")
    if node["name"] in survey.patches:
        raise _OpenError(f"{node['name']} is changed in {survey.patches[node['name']]}")
    found = []
    for base in node["bases"]:
        above = survey.nodes[base]
        if above["kind"] == "class":
            found.append(base)
        elif above["kind"] == "outside" and above["name"] in published and _installed(above["full"]):
            found.append(f"{INSTALLED}{above['name']}")
        elif above["full"] not in PLAIN:
            raise _OpenError(f"its base {above['name']} is not in the repository")
    return found


def _level(key: str, survey: Survey, published: Mapping[str, Node]) -> OwnClass:
    if key.startswith(INSTALLED):
        name = key.removeprefix(INSTALLED)
        return OwnClass(name, None, published[name]["methods"])
    node = survey.nodes[key]
    methods = {name: {**method, "digests": [method["digest"]]} for name, method in node["methods"].items()}
    return OwnClass(node["name"], key, methods)


def _installed(full: str) -> bool:
    return full.partition(".")[0] in FAMILY
