# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options of a data set that its class uses behind a question alone, whether it is one that trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import dedent
from typing import Final

from trainlint.files.syntax_tree import tree_of

QUESTION: Final = "train"
"""What is in a question after the phase: `if self.is_train:`, `if self.opt['phase'] == 'train':`."""

Placed = tuple[ast.AST, ast.AST | None, bool]
"""A node, the statement that it is in, and whether that is behind the question."""


def is_for_training(key: str, text: str) -> bool:
    """Return whether a class uses an option, each time behind a question whether it trains.

    A name that it gets on the way counts as the option does: `size = self.opt['size']`.
    """
    tree = tree_of(dedent(text))
    placed = [*_placed(tree, None, behind=False)] if tree is not None else []
    uses = [(statement, behind) for node, statement, behind in placed if _is_text(node, key)]
    names = [_name_of(statement) for statement, behind in uses if not behind]
    if not uses or None in names:
        return False
    loads = [(ast.unparse(node), behind) for node, _, behind in placed if _is_load(node)]
    return all(behind for name, behind in loads if name in names)


def _placed(node: ast.AST, statement: ast.AST | None, *, behind: bool) -> Iterator[Placed]:
    yield node, statement, behind
    for field, value in ast.iter_fields(node):
        asked = isinstance(node, ast.If | ast.IfExp) and field == "body" and _asks(node.test)
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST):
                own = inner if isinstance(inner, ast.stmt) else statement
                yield from _placed(inner, own, behind=behind or asked)


def _asks(test: ast.expr) -> bool:
    """Return whether a question is one after the phase, and not whether it is another one."""
    turned = any(isinstance(node, ast.Not | ast.NotEq | ast.NotIn | ast.Or) for node in ast.walk(test))
    return not turned and QUESTION in ast.unparse(test)


def _is_text(node: ast.AST, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _name_of(statement: ast.AST | None) -> str | None:
    """Return the name that a statement gives an option: `size`, `self.size`; None where it does more."""
    match statement:
        case ast.Assign(
            targets=[(ast.Name() | ast.Attribute()) as target], value=ast.Subscript() | ast.Call()
        ):
            return ast.unparse(target)
    return None


def _is_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
