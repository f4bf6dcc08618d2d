# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The classes that a config names, as the repository around it defines them.

A dialect says in `x-trainlint.trainer.own` where they are named: `step`, the key of the model class, and
`classes`, which class each of its values means where that is not the class's name ("" where it is absent);
`networks`, the mappings with a network's `type`; `losses`, the mapping whose `*_opt` have a loss's `type`;
`strangers`, those that are looked for in the repository only where the zoo does not know them;
`lacks`, fields and the keys that set them, which some versions pass over; `package`, the trainer's own;
`compares`, mappings with a network's `net_type`, and which class each means; `uncompared`: nothing of it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.catalogue.signature import locate
from trainlint.catalogue.zoo import library_networks, withdrawn
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import beginning, inside
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own


def own_classes(document: Document, dialect: Dialect, trainer: Trainer) -> Own | None:
    """Return what the trainer's repository has of the classes that a document names; None without one."""
    notes = dialect.trainer.own
    if notes is None or trainer.root is None or not isinstance(document.value, Mapping):
        return None
    flat = document.value
    networks = [(name, flat[key]) for key in notes["networks"] if (name := _type(flat.get(key)))]
    networks += _strangers(flat, dialect, trainer)
    lacking = [field for field, path in notes["lacks"].items() if not _at(flat, path)]
    classes = (_model(flat, notes), networks, list(_losses(flat.get(notes["losses"]))))
    from trainlint.repository.trainer.own_classes import Own, own_of  # noqa: PLC0415 - where a repository is around

    if notes.get("uncompared"):
        return Own(altered=UNCOMPARED)
    compared = dict(_compared(flat, notes.get("compares", {})))
    package = package_of(trainer, notes)
    return own_of(trainer.root, package, dialect.id, classes, lacking, compared=compared)


def _compared(flat: Mapping[str, Any], notes: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the networks that a config names otherwise than their classes, each with its class."""
    for key, classes in notes.items():
        mapping = flat.get(key)
        name = mapping.get("net_type") if isinstance(mapping, Mapping) else None
        if isinstance(name, str) and name in classes:
            yield name, classes[name]


def _strangers(
    flat: Mapping[str, Any], dialect: Dialect, trainer: Trainer
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the networks that only the repository has, under the names of their definitions.

    A registry that knows them in lower case leaves open how a definition is spelt.
    """
    notes, words = dialect.trainer.own or {}, trainer.source.words if trainer.source is not None else None
    for key in notes.get("strangers", ()) if words is not None else ():
        name = _type(flat.get(key)).lower()
        if name and locate(dialect.id, name) is None and library_networks.entry(dialect.id, name) is None:
            gone = withdrawn.find(dialect.id, name) is not None
            strangers = (
                () if gone or words is None else sorted(word for word in words.names if word.lower() == name)
            )
            yield from ((word, flat[key]) for word in strangers)


def package_of(trainer: Trainer, notes: Mapping[str, Any]) -> str:
    """Return what the trainer's package is called in its repository."""
    return trainer.package or str(notes["package"])


def as_published(document: Document, dialect: Dialect, own: Own | None) -> Document:
    """Return the document with its model class under the name of the published one whose step it runs."""
    step = own.step if own is not None else None
    notes = dialect.trainer.own
    if step is None or step.recipe is None or step.recipe == step.name or notes is None:
        return document
    names = {name: word for word, name in notes.get("classes", {step.recipe: step.recipe}).items()}
    return replace(document, value={**document.value, notes["step"]: names[step.recipe]})


UNCOMPARED: Final = (
    "this repository's networks and training step are not compared with the published ones: "
    "trainlint dry-run runs them"
)
"""Why nothing of a repository is traced whose classes are not looked at."""

REGISTRIES: Final[Mapping[str, tuple[str, str]]] = {
    "model class": ("models", "MODEL_REGISTRY.get("),
    "network": ("archs", "ARCH_REGISTRY.get("),
    "loss": ("losses", "LOSS_REGISTRY.get("),
}
"""What is looked up in which package of BasicSR, and how; before version 1.3 by `dynamic_instantiation`."""


def undefined(document: Document, dialect: Dialect, trainer: Trainer, own: Own | None) -> tuple[Problem, ...]:
    """Return the names of classes that a repository which holds the trainer does not define.

    Where its own registry alone is asked and no line mentions the name, that is a fail; else it may be one of
    an installed package.
    """
    notes, source = dialect.trainer.own, trainer.source
    if notes is None or {"classes", "uncompared"} & notes.keys() or source is None:
        return ()
    if own is None or own.error is not None:
        return ()
    words = source.words
    if words is None or trainer.root is None:
        return ()
    missing = []
    for what, path, name in _named(document.value, notes):
        if name in own.places or source.quotes(name):
            continue
        place, call = REGISTRIES[what]
        entry = inside(trainer.root, f"{package_of(trainer, notes)}/{place}/__init__.py")
        if entry is None:  # the package is not all there
            continue
        text = beginning(entry)
        near = get_close_matches(name, [word for word in words.names if word[:1].isupper()], n=1)
        hint = f'; did you mean "{near[0]}"?' if near and near != [name] else ""
        message = f'no Python file of the repository defines the {what} "{name}"{hint}'
        sure = not words.has_folded(name) and (call in text or "dynamic_instantiation(" in text)
        missing.append(Problem("misspelt-name", message, path, harmless=not sure))
    return tuple(missing)


def _named(flat: Mapping[str, Any], notes: Mapping[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """Yield the classes that a config names: what each is, its path and its name."""
    step = str(notes["step"])
    if name := _name(flat.get(step)):
        yield "model class", (step,), name
    for key in notes["networks"]:
        if name := _type(flat.get(key)):
            yield "network", (key, "type"), name
    losses = flat.get(notes["losses"])
    for key, value in losses.items() if isinstance(losses, Mapping) else ():
        if str(key).endswith("_opt") and (name := _type(value)):
            yield "loss", (str(notes["losses"]), str(key), "type"), name


def _model(flat: Mapping[str, Any], notes: Mapping[str, Any]) -> str:
    """Return the name of the model class that a config means; "" where that is not known."""
    value = flat.get(notes["step"])
    if "classes" not in notes:
        return _name(value)
    return str(notes["classes"].get("" if value is None else str(value).lower(), ""))


def _losses(section: Any) -> Iterator[str]:
    for key, value in section.items() if isinstance(section, Mapping) else ():
        if str(key).endswith("_opt") and (name := _type(value)):
            yield name


def _type(value: Any) -> str:
    return _name(value.get("type")) if isinstance(value, Mapping) else ""


def _name(value: Any) -> str:
    return value if isinstance(value, str) and value.isidentifier() else ""


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
