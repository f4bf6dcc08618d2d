# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which training step a model class of a repository runs: a published one, or one of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct

from trainlint.repository.trainer.definitions import Node, Survey
from trainlint.repository.trainer.lineage import Closure, Lineage, line_of
from trainlint.repository.trainer.published_bodies import Bodies, bodies

SHOWN_METHODS: Final = 3
"""Methods that are named."""


class MatchedStep(Struct, frozen=True):
    """A model class as found: `recipe` is the published class whose step it runs, None for one of its own.

    `where` is its file and line, `why` says what is its own, and `differing` all methods that are; none
    where nothing is known of them. `unvalidated`: why its validation is not known.
    """

    name: str
    where: str
    recipe: str | None = None
    why: str | None = None
    unvalidated: str | None = None
    differing: tuple[str, ...] = ()


def step_of_class(
    survey: Survey, name: str, key: str | None, dialect: str, lacking: Collection[str]
) -> MatchedStep | None:
    """Return the step of a model class at `key`; None where the repository does not define it.

    `lacking` are the fields that the config does not set, so that versions which pass over them will do.
    """
    if key is None:
        return None
    where = place(survey.nodes[key])
    if survey.nodes[key]["kind"] != "class":
        return MatchedStep(name, where, why=f"{name} ({where}) is not defined by one class statement")
    line = line_of(survey, key, bodies().classes)
    if line.open:
        return MatchedStep(name, where, why=f"{name} ({where}) cannot be followed: {line.open}")
    return _matched(survey, line, where, _candidates(line, dialect), frozenset(lacking))


def place(node: Node) -> str:
    """Return where a definition is: path:line."""
    return f"{node['path']}:{node.get('line', 1)}"


def _candidates(line: Lineage, dialect: str) -> list[str]:
    """Return the recipes of a dialect: its own name's first, its bases' next, then the others."""
    near = [f"{dialect}.{level.name}" for level in line.levels]
    known = [recipe for recipe in bodies().steps if recipe.startswith(f"{dialect}.")]
    return [recipe for recipe in near if recipe in known] + [recipe for recipe in known if recipe not in near]


def _matched(
    survey: Survey, line: Lineage, where: str, recipes: list[str], lacking: Collection[str]
) -> MatchedStep:
    name = line.levels[0].name
    best: tuple[list[str], str] | None = None
    fitting: list[tuple[list[str], str]] = []
    for recipe in recipes:
        known = bodies().steps[recipe]
        differing = list(_differing(survey, line.training, known["training"], lacking))
        if not differing:
            untested = list(_differing(survey, line.validation, known["validation"], lacking))
            fitting.append((untested, recipe))
        elif best is None or len(differing) < len(best[0]):
            best = (differing, recipe)
    if not fitting:
        own = best[0] if best else []
        return MatchedStep(name, where, why=f"{name} has its own {_listed(own)}", differing=tuple(own))
    untested, recipe = min(fitting, key=lambda pair: len(pair[0]))
    step = recipe.partition(".")[2]
    why = f"{name} has its own {_listed(untested)}" if untested else None
    return MatchedStep(name, where, step, unvalidated=why)


def _differing(
    survey: Survey, closure: Closure, known: Mapping[str, Collection[str]], lacking: Collection[str]
) -> Iterator[str]:
    """Yield what is not as published: "optimize_parameters (path:line)"."""
    for key, (level, method) in closure.items():
        digests = {_read(digest, lacking) for digest in known.get(key, ())}
        if level.key is None:
            if digests.isdisjoint(_read(digest, lacking) for digest in method["digests"]):
                yield key.rstrip("^")
        elif not digests.issuperset(method["digests"]):
            yield f"{key.rstrip('^')} ({survey.nodes[level.key]['path']}:{method['line']})"
        else:
            yield from _foreign(survey, method, bodies())


def _read(digest: str, lacking: Collection[str]) -> str:
    """Return a digest without the field that it passes over, where the config does not set that."""
    plain, _, field = digest.partition("!")
    return plain if not field or field in lacking else digest


def _foreign(survey: Survey, method: Node, known: Bodies) -> Iterator[str]:
    for ref in method["refs"]:
        if survey.nodes[ref]["kind"] in ("outside", "builtin"):
            continue
        strange = known.strange(survey, ref) if survey.nodes[ref]["kind"] != "own" else None
        if strange is not None:
            yield f"{strange['name']} ({place(strange)})"


def _listed(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - SHOWN_METHODS} more" if len(distinct) > SHOWN_METHODS else ""
    return ", ".join(distinct[:SHOWN_METHODS]) + more
