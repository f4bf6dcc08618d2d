# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the data set of a repository crops its samples to the size that a config has for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.config.value_by_path import dig
from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import tree_of
from trainlint.model.document import Document, Path
from trainlint.model.spec import TrainSpec
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.own_classes import Own

SIZES: Final = ("crop.hr", "crop.lq")
OF_TRAINING: Final = ("datasets", "train")
_CROP: Final = later(r"(?:\w+_)?random_?crop\w*|RandomCrop\w*")
"""Random crops, which only training has."""
LEAST: Final = 16
"""Pixels of a crop; less is a scale or an index."""
_KEEPING: Final = ("__init__", "deepcopy", "isinstance", "len", "print")
"""Calls that ask no option."""


def with_samples(own: Own, spec: TrainSpec, document: Document, trainer: Trainer) -> Own:
    """Return what a repository has of its own, with why its samples are not of the config's size."""
    words = trainer.source.words if trainer.source is not None else None
    path = next((path for field in SIZES if field in spec for path in _written(spec, field)), None)
    if words is None or path is None:
        return own
    from trainlint.dialects.reader.key_problem import CLASS_KEYS  # noqa: PLC0415 - where a repository is around

    options = dig(document.value, OF_TRAINING)
    name = next((str(options[key]) for key in CLASS_KEYS if isinstance(options.get(key), str)), None)
    why = of_another_size(name, str(path[-1]), words) if name is not None else None
    return replace(own, sampled=why) if why is not None else own


def _written(spec: TrainSpec, field: str) -> tuple[Path, ...]:
    value = spec.fields[field]
    paths = (path for path in value.paths if path[:-1] == OF_TRAINING)
    return tuple(paths) if value.origin == "written" else ()


def of_another_size(name: str, key: str, words: Words) -> str | None:
    """Say how a data set that the repository defines, with all above it, takes its samples' size."""
    from trainlint.repository.choices.class_texts import with_bases  # noqa: PLC0415 - where a repository is around
    from trainlint.repository.choices.model_lineage import named_classes  # noqa: PLC0415 - as above

    texts = with_bases(named_classes(name, words), words)
    if not texts:
        return None
    calls = [call for _, text in texts for call in _calls(text)]
    if any(_CROP.fullmatch(called) and any(map(_is_size, given)) for called, given in calls):
        return f'its own data set {name} crops to a number of its own, whatever "{key}" is'
    asked = re.compile(rf"\b{re.escape(key)}\b")
    if any(asked.search(text) for _, text in texts):
        return None
    passed = any(called not in _KEEPING and any(map(_is_options, given)) for called, given in calls)
    return None if passed else f'its own data set {name} never reads "{key}"'


def _calls(text: str) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield the calls of a class by the last part of what is called, each with what it is given."""
    tree = tree_of(dedent(text))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            yield _last(node.func), [*node.args, *(keyword.value for keyword in node.keywords)]


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_size(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return any(map(_is_size, node.elts))
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value >= LEAST


def _is_options(node: ast.expr) -> bool:
    """Return whether an argument is all options of a data set: `opt`, `self.opt`."""
    return _last(node) == "opt"
