# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a repository's own model class trains on samples as its data set gives them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from trainlint.files.syntax_tree import tree_of
from trainlint.repository.survey.passive_statements import passive

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.training_steps import MatchedStep

FEED: Final = "feed_data"
"""The method that takes a sample: BasicSR, KAIR and what came before them call it so."""
MOVES: Final = ("to", "cuda", "float")


def changes_samples(step: MatchedStep | None, words: Words | None) -> bool:
    """Return whether a model class may crop or replace the samples that it is given."""
    if step is None or step.why is None:
        return False
    if not step.differing:  # nothing is known of its methods
        return True
    own = (method.partition(" (") for method in step.differing)
    places = [place.rstrip(")") for method, _, place in own if method == FEED]
    texts = dict(words.training) if words is not None else {}
    return any(not _is_plain(place, texts) for place in places)


def _is_plain(place: str, texts: dict[str, str]) -> bool:
    """Return whether the method at a place does no more than to move a sample's parts to the GPU."""
    path, _, line = place.rpartition(":")
    tree = tree_of(texts.get(path, ""))
    methods = [
        node
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.FunctionDef) and str(node.lineno) == line and node.name == FEED
    ]
    return bool(methods) and all(map(_moves, methods[0].body))


def _moves(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(value=value):
            return _is_part(value)
        case ast.If(test=ast.Compare(left=ast.Constant(), ops=[ast.In()]), body=body, orelse=orelse):
            return all(map(_moves, (*body, *orelse)))
    return passive(statement)


def _is_part(value: ast.expr) -> bool:
    """Return whether a value is a sample's part as it is: `data["lq"].to(self.device)`."""
    match value:
        case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in MOVES:
            return _is_part(inner)
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str())):
            return True
    return False
