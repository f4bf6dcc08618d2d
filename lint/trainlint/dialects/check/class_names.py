# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names of classes that a config looks up in a registry: a slip of the pen, reported at the name.

A name that differs from a registered one in case or underscores alone is no other class in any fork; one
wrong letter may be a fork's own class and is a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from trainlint.catalogue.signature import locate, own_architectures
from trainlint.catalogue.zoo.packages import own
from trainlint.dialects.messages.typos import NAMES, one_edit
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import resolve
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.expressions.patterns import later
from trainlint.model.document import Path
from trainlint.model.job import Doubt, Problem

NETWORK = "network"
"""What a schema calls the classes that the catalogue has."""

SHORTEST_MISSPELT = 6
"""Letters of a class's own name before one wrong letter in it is a slip and not another class (EQSR, ESR)."""

KINDS = later(r"(model|dataset|loss|net|discriminator)$")
"""What classes of one registry end in, which is not their own name."""


def misspelt_name(note: Mapping[str, Any], path: Path, value: Any, dialect: Dialect) -> Iterator[Problem]:
    """Yield a name that `x-names` does not list ({what, names: a reference}) and that is nearly one of them.

    With `others` any name that is not listed is reported: only a fork can have registered it. `folded`: the
    registry does not mind the case. `built`: networks that trainlint builds for this dialect are known too.
    `own`: what is not listed is for the trainer's own source to say; without it nothing is reported but,
    with `built`, slips of what is.
    `closed`: one letter makes a slip, however short the names; `first`: what a name ends before.
    `ignored`: the trainer goes on with its default.
    """
    if not isinstance(value, str):
        return
    if "table" in note:
        from trainlint.dialects.check.timm_names import unknown_to_timm  # noqa: PLC0415 - of timm's models alone

        yield from unknown_to_timm(note, path, value, dialect.title)
        return
    names = resolve(dialect.schema, note["names"])["enum"]
    written = value.partition(note["first"])[0] if "first" in note else value
    if among(written, names, note):
        return
    if note.get("closed"):
        few = _slip_of_few(written, names, path, value, f"{dialect.title} knows no {note['what']}")
        yield from (_goes_on(slip, value, note["what"]) if note.get("ignored") else slip for slip in few)
        return
    slips = (
        [] if note.get("own") and not note.get("built") else [*_unlisted(note, names, path, value, dialect)]
    )
    if note.get("ignored"):
        slips = [_goes_on(slip, value, note["what"]) for slip in slips]
    yield from slips
    if note.get("own") and not slips:
        message = f'no Python file of the repository has the {note["what"]} "{value}"'
        yield Problem(NAMES, message, path, doubt=Doubt.SOURCE)


def _goes_on(slip: Problem, value: str, what: str) -> Problem:
    """Return the problem of a name in whose place the trainer takes its default."""
    said = slip.message.replace(f'"{value}"', f'"{value}" and goes on with its default {what}', 1)
    return replace(slip, harmless=True, message=said)


def _slip_of_few(
    written: str, names: Collection[str], path: Path, value: str, lacks: str
) -> Iterator[Problem]:
    """Yield a name that one letter makes one of a few: these are all that there are."""
    near = [name for name in names if one_edit(written, name)]
    if len(near) == 1:
        right = value.replace(written, near[0], 1)
        message = f'{lacks} "{value}"; did you mean "{right}"?'
        yield Problem(NAMES, message, path, suggestion=right, doubt=Doubt.CLASS)


def _unlisted(
    note: Mapping[str, Any], listed: Collection[str], path: Path, value: str, dialect: Dialect
) -> Iterator[Problem]:
    """Yield a name that is nearly a listed one, or with `others` any that is not listed."""
    names = {*listed, *own_architectures(dialect.id)} if note.get("built") else {*listed}
    if among(value, names, note) or (note["what"] == NETWORK and _brought(value, dialect)):
        return
    problem = slip_of_name(value, sorted(names), path, note["what"], dialect.title)
    if problem is None and note.get("others"):
        forks = _of_forks(dialect) if note["what"] == NETWORK else frozenset[str]()
        known = value.lower() in forks
        lacks, of_fork = ("itself has no", ", which a fork has") if known else ("knows no", "")
        message = f'{dialect.title} {lacks} {note["what"]} "{value}"{of_fork}'
        near = () if known else _nearest(value, names, forks)
        right = near[0] if len(near) == 1 and near[0] in names and one_edit(value, near[0]) else None
        hint = f'; did you mean "{right}"?' if right else f'; "{near[0]}" is near' if near else ""
        problem = Problem(NAMES, message + hint, path, suggestion=right, doubt=Doubt.CLASS)
    if problem is not None:
        yield problem


def _nearest(value: str, names: Collection[str], forks: Collection[str]) -> Sequence[str]:
    """Return the names that one letter makes of a value, else the one that is most like it."""
    slips = [name for name in names if one_edit(value, name)]
    if slips:
        return sorted(slips)
    folded = {**{fork: fork for fork in forks}, **{name.lower(): name for name in names}}
    near = most_alike(value.lower(), folded, CLOSE_RATIO)
    return [] if near is None else [folded[near]]


def _of_forks(dialect: Dialect) -> frozenset[str]:
    """Return networks of which the catalogue has a fork's versions (NAME@VERSION), without the version."""
    names = (name.partition("@") for name in own_architectures(dialect.id))
    return frozenset(name.lower() for name, version, _ in names if version)


def _brought(name: str, dialect: Dialect) -> bool:
    """Return whether a network is an installed package's, or of a file that the user named."""
    place = locate(dialect.id, name, dialect.networks)
    return place is not None and not place.file.is_relative_to(own().folder)


def among(value: str, names: Collection[str], note: Mapping[str, Any]) -> bool:
    """Return whether a registry with an `x-names` annotation has a name; a folded one ignores its case."""
    return value in names or (note.get("folded", False) and value.lower() in map(str.lower, names))


def slip_of_name(name: str, known: Collection[str], path: Path, what: str, who: str) -> Problem | None:
    """Return the problem of a name that is not known and nearly one that is.

    An underscore before or after a name is how forks call a class of their own (_SwinIR).
    """
    if name in known or name.strip("_") != name:
        return None
    same = [known_name for known_name in known if _folded(known_name) == _folded(name)]
    near = same or [known_name for known_name in known if _is_slip(name, known_name)]
    if len(near) != 1:
        return None
    message = f'{who} knows no {what} "{name}"; did you mean "{near[0]}"?'
    doubt = Doubt.SPELLING if same else Doubt.CLASS
    return Problem(NAMES, message, path, suggestion=near[0], doubt=doubt)


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_slip(written: str, name: str) -> bool:
    """Say whether one wrong letter makes the one name of the other: no digit, not the first, not at the end.

    Forks call their classes by a letter before or after a known name (IRModel, SRModelX) or another number.
    """
    plain, other = _folded(written), _folded(name)
    digits = [letter for letter in written if letter.isdigit()] != [c for c in name if c.isdigit()]
    if KINDS.sub("", plain) != plain:  # the slip is in the name's own part
        other = KINDS.sub("", other)
        plain = KINDS.sub("", plain)
    if digits or len(other) < SHORTEST_MISSPELT or plain[:1] != other[:1]:
        return False
    return one_edit(plain, other) and not plain.startswith(other) and not other.startswith(plain)
