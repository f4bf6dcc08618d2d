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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.catalogue.signature import locate
from trainlint.catalogue.zoo import library_networks, withdrawn
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import inside, repository_of
from trainlint.model.document import COMMAND, PYTHON, Document
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer

NETWORK_FOLDERS: Final = ("archs", "models/archs")
"""Where BasicSR's package has its networks, today and before 2021."""

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own


def own_classes(document: Document, dialect: Dialect, trainer: Trainer) -> Own | None:
    """Return what the trainer's repository has of the classes that a document names; None without one."""
    notes = dialect.trainer.own
    if dialect.trainer.bases and trainer.root is None and not trainer.named:
        return _of_trainers(document, dialect)
    flat = document.value
    if notes is None and isinstance(flat, Mapping):
        return _of_library(document, dialect, trainer) or _of_code(document, dialect, trainer)
    if notes is None or trainer.root is None or not isinstance(flat, Mapping):
        return None
    networks = [(name, flat[key]) for key in notes["networks"] if (name := type_of(flat.get(key)))]
    networks += _strangers(flat, dialect, trainer)
    lacking = [field for field, path in notes["lacks"].items() if not _at(flat, path)]
    classes = (_model(flat, notes), networks, list(_losses(flat.get(notes["losses"]))))
    from trainlint.repository.trainer.own_classes import Own, own_of  # noqa: PLC0415 - where a repository is around

    if notes.get("uncompared"):
        return Own(altered=UNCOMPARED)
    if trainer.fork:
        return Own(error=f"it is installed from {trainer.fork}")
    compared = dict(_compared(flat, notes.get("compares", {})))
    package = package_of(trainer, notes)
    own = own_of(trainer.root, package, dialect.id, classes, lacking, compared=compared)
    published = str(notes["package"])
    absent = dict(_absent(own, trainer, published, [name for name, _ in networks]))
    own = replace(own, differing={**own.differing, **absent}) if absent else own
    return replace(own, altered=own.altered or _lacking_model(own, trainer, published, classes[0]))


def without_losses(own: Own | None, dialect: Dialect, strange: Iterable[Problem]) -> Own | None:
    """Return what a repository has of its own, with the first loss that it lacks."""
    section = dialect.trainer.own["losses"] if own is not None and dialect.trainer.own is not None else None
    missing = (problem.message for problem in strange if section and problem.path[:1] == (section,))
    why = next(missing, None)
    if own is None or why is None:
        return own
    return replace(own, altered=own.altered or why.partition("; did you mean")[0])


def _absent(own: Own, trainer: Trainer, published: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the networks that a repository with a folder of networks lacks: the published are not its."""
    package = trainer.package or published
    places = [f"{package}/{folder}" for folder in NETWORK_FOLDERS]
    places = [place for place in places if _has(trainer, f"{place}/__init__.py")]
    places = places or ([package] if _is_whole_copy(trainer, published) else [])
    for name in names if places and own.error is None else ():
        if own.network(name) is None:
            yield name, f'{places[0]} has no network "{name}"'


def _lacking_model(own: Own, trainer: Trainer, published: str, name: str) -> str | None:
    """Say that a repository which carries its trainer's model classes does not define a config's."""
    if not name or name in own.defined or own.error is not None or trainer.source is None:
        return None
    package = trainer.package or published
    carried = _has(trainer, f"{package}/models/__init__.py") or _is_whole_copy(trainer, published)
    return f'{package} has no model class "{name}"' if carried else None


def _has(trainer: Trainer, path: str) -> bool:
    return trainer.root is not None and inside(trainer.root, path) is not None


def _is_whole_copy(trainer: Trainer, published: str) -> bool:
    """Return whether a trainer is a package under another name that does not build on the published one."""
    words = trainer.source.words if trainer.source is not None else None
    return bool(trainer.package) and words is not None and words.has(published) is False


def _of_library(document: Document, dialect: Dialect, trainer: Trainer) -> Own | None:
    """Return what a repository has of its own where its networks are a library's: timm's."""
    if not dialect.trainer.library or trainer.root is None:
        return None
    from trainlint.repository.trainer.own_classes import Own  # noqa: PLC0415 - as below
    from trainlint.repository.trainer.timm_script import own_training  # noqa: PLC0415 - as below

    why = own_training(trainer, document.value.get("model"))
    return Own(altered=why) if why is not None else None


def _of_trainers(document: Document, dialect: Dialect) -> Own | None:
    """Return what the repository around a config starts in place of a library's trainer.

    A program's own call names the class that it starts.
    """
    folder = repository_of(document.source.path)
    if folder is None or document.format == PYTHON:
        return None
    from trainlint.repository.code.own_trainers import own_trainer  # noqa: PLC0415 - as below
    from trainlint.repository.trainer.mentioned_words import words_of  # noqa: PLC0415 - as below
    from trainlint.repository.trainer.own_classes import Own  # noqa: PLC0415 - as below

    words = words_of(folder)
    path = document.source.path
    started = own_trainer(words, dialect.trainer.bases, path) if words is not None else None
    if started is None:
        return None
    return Own(altered=f"its own {started} may train otherwise than {dialect.title}")


def _root_of_code(document: Document, dialect: Dialect, trainer: Trainer) -> Path | None:
    """Return the root of the source that runs a job, be it of a version before those that are identified."""
    if trainer.source is not None:
        return trainer.root
    if trainer.named or document.format == COMMAND:
        return None
    folder = repository_of(document.source.path)
    if folder is None:
        return None
    from trainlint.dialects.reader.unsaid import carried  # noqa: PLC0415 - where a repository is around

    return folder if carried(dialect.id, document, trainer) is not None else None


def _of_code(document: Document, dialect: Dialect, trainer: Trainer) -> Own | None:
    """Return what a repository runs that no published version has, where its functions are compared."""
    root = _root_of_code(document, dialect, trainer) if dialect.trainer.runs else None
    if root is None:
        return None
    from trainlint.repository.code.published_code import SCRIPT, own_code  # noqa: PLC0415 - as below
    from trainlint.repository.trainer.own_classes import Own  # noqa: PLC0415 - as below

    name, runs = (dialect.id, dialect.title), dialect.trainer.runs
    started = document.format == COMMAND and trainer.path is not None and SCRIPT in " ".join(runs)
    script = Path(str(trainer.path)).relative_to(root).as_posix() if started else None
    script = None if script in dialect.trainer.markers else script
    why = own_code(name, root, runs, config=document.value, script=script)
    return Own(altered=why) if why is not None else None


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
        name = type_of(flat.get(key)).lower()
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


def _model(flat: Mapping[str, Any], notes: Mapping[str, Any]) -> str:
    """Return the name of the model class that a config means; "" where that is not known."""
    value = flat.get(notes["step"])
    if "classes" not in notes:
        return name_of(value)
    return str(notes["classes"].get("" if value is None else str(value).lower(), ""))


def _losses(section: Any) -> Iterator[str]:
    for key, value in section.items() if isinstance(section, Mapping) else ():
        if str(key).endswith("_opt") and (name := type_of(value)):
            yield name


def type_of(value: Any) -> str:
    """Return the name of the class that a mapping asks for; "" where it names none."""
    return name_of(value.get("type")) if isinstance(value, Mapping) else ""


def name_of(value: Any) -> str:
    """Return a value that may be the name of a class, else ""."""
    return value if isinstance(value, str) and value.isidentifier() else ""


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
