# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a config's trainer has of its own: its model class, networks and losses, read in the repository."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.catalogue.signature import Param, Signature
from trainlint.repository.trainer.definitions import BrokenFile, Node, Survey
from trainlint.repository.trainer.published_bodies import bodies, known_as
from trainlint.repository.trainer.survey_client import ask
from trainlint.repository.trainer.training_steps import MatchedStep, place, step_of_class

Better = Callable[[Node], bool]

OTHER_REGISTRIES: Final = frozenset(
    ("MODEL_REGISTRY", "DATASET_REGISTRY", "LOSS_REGISTRY", "METRIC_REGISTRY")
)
"""BasicSR's registries of what is no network: a model class may be called as the network that it trains."""

FUNCTIONS = "torch.nn.functional."
"""What the names of torch's functions begin with."""


class OwnNetwork(Struct, frozen=True):
    """A network that the repository defines: where, what its constructor takes, and what is not as published.

    `signature` is None where it could not be read, `differs` where it is the published one.
    """

    name: str
    where: str
    signature: Signature | None
    differs: str | None


class Definition(Struct, frozen=True):
    """A definition of a class: its file from the root and its line; `bare`: a class without a decorator."""

    path: str
    line: int
    bare: bool


class Own(Struct, frozen=True):
    """What was found of one config's classes; `error` is why the repository could not be read.

    `altered` says what it changes for all classes, outside of them, `sampled` why its samples are of another
    size than the config has. `differing` says of networks that are
    compared alone, by their names in the config, why they are not the published ones. `defined` are all
    definitions of each name; `broken` is a file for which nothing is known.
    """

    step: MatchedStep | None = None
    networks: Mapping[str, OwnNetwork] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    altered: str | None = None
    sampled: str | None = None
    error: str | None = None
    differing: Mapping[str, str] = field(default_factory=dict)
    defined: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    broken: BrokenFile | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Name what is not published under its name."""
        step = [self.step.name] if self.step is not None and self.step.recipe != self.step.name else []
        return (*step, *(network.name for network in self.networks.values() if network.differs is not None))

    @property
    def builds(self) -> bool:
        """Return whether networks are surely built as BasicSR builds them: of all keys next to their type."""
        return self.error is None and (self.step is None or self.step.recipe is not None)

    def unknown_step(self) -> str | None:
        """Return why the training step is not the published one; None where it is, for all that is known.

        Its own model class comes first: what is changed for all classes may be nothing that it uses.
        """
        if self.error is not None:
            return f"the trainer's own source is not known: {self.error}"
        own = self.step.why if self.step is not None else None
        return own or self.altered or self.sampled or next(iter(self.losses), None)

    @property
    def as_written(self) -> Own:
        """What its files depend on: a function of torch has no parameters, and no sample is in them."""
        plain = self.altered is not None and self.altered.startswith(FUNCTIONS)
        if not plain and self.sampled is None:
            return self
        return replace(self, altered=None if plain else self.altered, sampled=None)

    def unknown_network(self, names: Collection[Any]) -> str | None:
        """Return why one of the networks of these names is not the published one."""
        networks = (self.network(str(name)) for name in names)
        own = (net.differs for net in networks if net is not None and net.differs is not None)
        compared = (self.differing[str(name)] for name in names if str(name) in self.differing)
        return next(chain(own, compared), None)

    def network(self, name: str) -> OwnNetwork | None:
        """Return what defines a name; in another case where only one does: registries fold it."""
        alike = [network for known, network in self.networks.items() if known.lower() == name.lower()]
        return self.networks.get(name) or (alike[0] if len(alike) == 1 else None)


def own_of(
    root: Path,
    package: str,
    dialect: str,
    classes: tuple[str, Sequence[tuple[str, Mapping[str, Any]]], Sequence[str]],
    lacking: Collection[str],
    *,
    compared: Mapping[str, str] | None = None,
) -> Own:
    """Return what a repository has of a config's own.

    `classes` are its model class, its networks with their arguments, and its losses.
    `compared` are classes of networks that are built with other arguments than the config has, by its names.
    """
    model, networks, losses = classes
    compared = compared or {}
    names = tuple(sorted({model, *(name for name, _ in networks), *losses, *compared.values()} - {""}))
    survey = ask(root, names, package)
    if survey.error is not None:
        return Own(error=survey.error, broken=survey.broken)
    defined = [(keys, given) for name, given in networks if (keys := _of_network(survey, name, package))]
    own: dict[str, OwnNetwork] = {}
    for network in (_network(survey, keys, given) for keys, given in defined):
        before = own.setdefault(network.name, network)
        own[network.name] = network if before.differs is None else before
    places = {name: chosen(survey, name, *((modeled,) if name == model else ())) for name in names}
    step = step_of_class(survey, model, places.get(model), dialect, lacking)
    if step is not None and (twice := several(survey, model, modeled)):
        step = MatchedStep(model, step.where, why=twice)
    return Own(
        step,
        own,
        tuple(_loss(survey, name) for name in losses if _strange(survey, name)),
        survey.altered,
        defined={name: tuple(_all_of(survey, name)) for name in names if survey.places.get(name)},
        differing={
            name: differs
            for name, cls in compared.items()
            if (differs := _unlike(survey, cls, dialect)) is not None
        },
    )


def _all_of(survey: Survey, name: str) -> Iterator[Definition]:
    for key in survey.places[name]:
        node = survey.nodes[key]
        bare = node["kind"] == "class" and not node["registered"]
        yield Definition(str(node["path"]), int(node.get("line", 1)), bare)


def definitions(survey: Survey, name: str, *better: Better) -> list[str]:
    """Return the definitions of a name: the `better`, those that are built, registered or scanned, or all.

    One that its file defines twice is among them: neither a class nor a function.
    """
    keys = list(survey.places.get(name, ()))
    for wanted in (*better, _built, _registered, _scanned):
        keys = [key for key in keys if wanted(survey.nodes[key])] or keys
    return keys


def chosen(survey: Survey, name: str, *better: Better) -> str | None:
    """Return the first definition of a name."""
    return next(iter(definitions(survey, name, *better)), None)


def _of_network(survey: Survey, name: str, package: str) -> list[str]:
    """Return the definitions of a network, which is in no registry of model classes or losses.

    Those of the package come first: a copy next to it is for readers.
    """
    keys = definitions(
        survey, name, _may_be_network, lambda node: str(node["path"]).startswith(f"{package}/")
    )
    return [key for key in keys if _may_be_network(survey.nodes[key])]


def _may_be_network(node: Node) -> bool:
    return OTHER_REGISTRIES.isdisjoint(node.get("registries", ()))


def several(survey: Survey, name: str, *better: Better) -> str | None:
    """Say that a name has definitions that are not equal: which is meant is not known."""
    keys = definitions(survey, name, *better)
    if len({_print(survey, key) for key in keys}) < 2:  # noqa: PLR2004  # one alone cannot differ
        return None
    return f"{name} is defined {len(keys)} times ({', '.join(place(survey.nodes[key]) for key in keys[:2])})"


def _built(node: Node) -> bool:
    return bool(node.get("built"))


def _registered(node: Node) -> bool:
    return bool(node.get("registered"))


def modeled(node: Node) -> bool:
    """Return whether a definition lies where model classes do: neosr has data sets of the same names."""
    return "models" in str(node["path"]).split("/")[:-1]


def _scanned(node: Node) -> bool:
    return str(node["path"]).endswith(("_model.py", "_arch.py", "_loss.py", "losses.py"))


def _network(survey: Survey, keys: Sequence[str], given: Mapping[str, Any]) -> OwnNetwork:
    """Return the first of a network's definitions; without what it takes where others take something else."""
    key = keys[0]
    node = survey.nodes[key]
    taken = _taken(survey, key)
    if any(_signature(survey, other) != _signature(survey, key) for other in keys[1:]):
        taken = None
    params = taken.params.items() if taken is not None else ()
    built = {name: param.default for name, param in params if param.readable and not param.required}
    return OwnNetwork(node["name"], place(node), taken, _difference(survey, key, {**built, **given}))


def _taken(survey: Survey, key: str) -> Signature | None:
    signature = _signature(survey, key)
    if signature is None:
        return None
    params = {
        name: Param(name, _unquoted(default), default, required=required, readable=readable)
        for name, required, readable, default in signature["params"]
    }
    node = survey.nodes[key]
    return Signature(f"{node['name']} ({place(node)})", params, signature["open"])


def _unquoted(default: Any) -> ast.expr | None:
    """Return the annotation of an argument by its default: where that is a number, one in quotes is none."""
    return ast.Name("Unquoted") if type(default) in (int, float) else None


def _signature(survey: Survey, key: str) -> Mapping[str, Any] | None:
    """Return a class's constructor's arguments, its own or those of its nearest base in the repository."""
    seen: set[str] = set()
    passed: list[Any] = []
    while key not in seen:
        seen.add(key)
        node = survey.nodes[key]
        if node["kind"] != "class" or node["strange"]:
            return None
        if "__init__" not in node["methods"]:
            if len(node["bases"]) != 1:
                return None
            key = node["bases"][0]
            continue
        signature: Mapping[str, Any] | None = node["signature"]
        if signature is None:
            return None
        merged = {**signature, "params": [*passed, *signature["params"]]}
        base = _passed_to(survey, node, signature.get("passes"))
        if base is None:
            return merged
        passed, key = merged["params"], base
    return None


def _passed_to(survey: Survey, node: Node, name: str | None) -> str | None:
    """Return the base whose constructor gets all keywords that a class does not name itself."""
    bases = [key for key in node["bases"] if name and survey.nodes[key]["name"] == name]
    if name == "" and len(node["bases"]) == 1:
        bases = node["bases"]
    return bases[0] if len(bases) == 1 else None


def _difference(survey: Survey, key: str, built: Mapping[str, Any], dialect: str = "") -> str | None:
    node = survey.nodes[key]
    name = node["name"]
    if twice := several(survey, name):
        return twice
    if known_as(name, dialect) not in bodies().networks:
        return f"the network {name} is the repository's own ({place(node)})"
    strange = bodies().network(survey, key, built, dialect)
    if strange is None:
        return None
    inner = "" if strange is node else f" in {strange['name']} ({place(strange)})"
    return f"its own {name} ({place(node)}) differs from the published one{inner}"


def _unlike(survey: Survey, name: str, dialect: str) -> str | None:
    """Say why a network is not the published one; None where it is."""
    key = chosen(survey, name)
    return f"the repository does not define {name}" if key is None else _difference(survey, key, {}, dialect)


def _print(survey: Survey, key: str) -> str:
    return "".join(sorted(survey.digest(node) for _, node in survey.reached(key)))


def _strange(survey: Survey, name: str) -> bool:
    key = chosen(survey, name)
    return key is not None and bodies().strange(survey, key) is not None


def _loss(survey: Survey, name: str) -> str:
    key = chosen(survey, name) or ""
    return f"its own loss {name} ({place(survey.nodes[key])}) differs from what is known"
