# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The registries of BasicSR in which the classes of a config are looked up, as a repository has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from trainlint.dialects.reader.key_problem import OPTION_DEPTH
from trainlint.dialects.reader.surroundings import starts_none
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import inside
from trainlint.model.document import Path
from trainlint.model.trainer import Trainer
from trainlint.repository.choices.name_lookup import strange_call, strange_lookup
from trainlint.repository.keys.placed_uses import placed_uses
from trainlint.repository.keys.published_uses import published_uses
from trainlint.repository.trainer.mentioned_words import Words

REGISTRIES: Final[Mapping[str, tuple[str, str]]] = {
    "model class": ("models", "MODEL_REGISTRY"),
    "network": ("archs", "ARCH_REGISTRY"),
    "loss": ("losses", "LOSS_REGISTRY"),
    "dataset class": ("data", "DATASET_REGISTRY"),
}
"""What is looked up in which package of BasicSR, and where; before version 1.3 by `dynamic_instantiation`."""

OLDER_PARENT: Final = "models"
"""The folder that archs and losses lay in before BasicSR 1.3."""

DATA: Final = "datasets"
"""The section of data sets, each of which names its class."""

TYPED: Final = 2
"""Keys that lead to a class which is named in its mapping: network_g.type."""


def folder_of(what: str, trainer: Trainer, notes: Mapping[str, Any]) -> str | None:
    """Return the package in which a repository has its classes of a kind; None: it is not all there."""
    package, (folder, _) = trainer.package or str(notes["package"]), REGISTRIES[what]
    places = (f"{package}/{folder}", f"{package}/{OLDER_PARENT}/{folder}")
    root = trainer.root
    return next((place for place in places if root and inside(root, f"{place}/__init__.py")), None)


def doubt_of_name(path: Path, dialect: Dialect, trainer: Trainer) -> str | None:
    """Say what may have a class that no registry of a repository is known to have."""
    place = _found_otherwise(path, dialect, trainer)
    if place is not None:
        return f"its own {place} may find one"
    lost = _lost_models(path, dialect, trainer)
    return f"its {lost}, which may have it, is not there" if lost is not None else None


def _found_otherwise(path: Path, dialect: Dialect, trainer: Trainer) -> str | None:
    """Return the place by which a repository may find a class that a config names at a path."""
    if (asked := _asked(path, dialect, trainer)) is None or trainer.source is None:
        return None
    words = trainer.source.words
    if words is None:
        return None
    return strange_lookup(words, *asked) or _looked_up_by_its_own(path, words)


def _lost_models(path: Path, dialect: Dialect, trainer: Trainer) -> str | None:
    """Return the folder of models that a package lacks, which may define any model class or loss."""
    notes = dialect.trainer.own
    if notes is None or {"classes", "uncompared"} & notes.keys() or trainer.source is None:
        return None
    if path[:1] not in ((notes["step"],), (notes["losses"],)):
        return None
    folder = f"{trainer.package or notes['package']}/{OLDER_PARENT}"
    lies = trainer.root is not None and inside(trainer.root, f"{folder}/__init__.py") is not None
    return None if lies else folder


def _looked_up_by_its_own(path: Path, words: Words) -> str | None:
    """Return the line that takes the name of a loss itself: `create_metric(opt['x_opt']['type'])`."""
    if len(path) != OPTION_DEPTH:
        return None
    taken = re.compile(rf"""['"]{re.escape(str(path[1]))}['"]\]\s*(?:\[|\.get\()\s*['"]type['"]""")
    for file, text in words.training:
        if (match := taken.search(text)) is not None:
            return f"{file}:{text.count(chr(10), 0, match.start()) + 1}"
    return None


def called_otherwise(path: Path, dialect: Dialect, trainer: Trainer) -> str | None:
    """Return the place by which a network may be built without an argument of its mapping, or with more.

    The package itself where no script starts a training by it.
    """
    asked = _asked((*path[:1], "type"), dialect, trainer)
    if asked is None or trainer.source is None or (words := trainer.source.words) is None:
        return None
    if (place := strange_call(words, *asked)) is not None:
        return place
    if starts_none(words):
        return asked[0]
    argument, known = str(path[-1]), published_uses().get(dialect.id, {})
    own = (
        place
        for place, use in placed_uses(words, argument)
        if use.digest not in known.get(argument, ())
        and (use.sets or use.drops)
        and use.within in (None, path[0])
    )
    return next(own, None)


def is_given(path: Path, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether the repository surely sets an argument of a network that its mapping lacks."""
    words = trainer.source.words if trainer.source is not None else None
    known = published_uses().get(dialect.id, {}).get(str(path[-1]), ())
    uses = placed_uses(words, str(path[-1])) if words is not None and len(path) == TYPED else ()
    return any(
        use.sets and use.surely and use.within == path[0] for _, use in uses if use.digest not in known
    )


def _asked(path: Path, dialect: Dialect, trainer: Trainer) -> tuple[str, str] | None:
    """Return the package and the registry in which the class at a path is looked up."""
    notes = dialect.trainer.own
    if notes is None or {"classes", "uncompared"} & notes.keys() or not path:
        return None
    if path == (notes["step"],):
        what = "model class"
    elif len(path) == TYPED and path[0] in notes["networks"] and path[-1] == "type":
        what = "network"
    elif path[0] == notes["losses"] and path[-1] == "type" and str(path[-2]).endswith("_opt"):
        what = "loss"
    elif path[0] == DATA and len(path) == OPTION_DEPTH and path[-1] == "type":
        what = "dataset class"
    else:
        return None
    folder = folder_of(what, trainer, notes)
    return (folder, REGISTRIES[what][1]) if folder is not None else None
