# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys whose readers take nothing for a value: `if opt['network_d'] is not None:`, or fill it in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from trainlint.files.syntax_tree import tree_of
from trainlint.repository.keys.remade_options import WHOLE
from trainlint.repository.trainer.mentioned_words import Words

OF_CLASSES: Final = ("models", "model", "data", "archs")
"""Folders of classes of which a config chooses some: what another one needs is not asked for."""


def may_be_none(words: Words, key: str, *, everywhere: bool) -> bool:
    """Return whether a repository asks whether a key's value is nothing, or true, or gives it one.

    Not where a script that every config goes through uses it and does neither; `everywhere`: nor any class.
    """
    asked = False
    for file, text in words.training:
        if key not in text or (tree := tree_of(text)) is None:
            continue
        if _asks(tree, key) or _gives(tree, key):
            asked = True
        elif _uses(tree, key) and (everywhere or not _holds_classes(file)):
            return False
    return asked


def _gives(tree: ast.Module, key: str) -> bool:
    """Return whether a file gives a key of the options a value: `opt['train']['total_iter'] = 1000`."""
    given = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and not _is_none(node.value))
    return any(
        isinstance(target, ast.Subscript) and _is_value(target, key) and _is_of_options(target.value)
        for node in given
        for target in node.targets
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_of_options(node: ast.expr) -> bool:
    """Return whether an expression is the options, or a mapping in them: `opt['train']['scheduler']`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return WHOLE.fullmatch(getattr(node, "attr", getattr(node, "id", ""))) is not None


def _holds_classes(file: str) -> bool:
    return not set(OF_CLASSES).isdisjoint(file.split("/")[:-1])


def _uses(tree: ast.Module, key: str) -> bool:
    """Return whether a file does more with a key's value than to hand it on: `part['n'] = opt['n']`."""
    handed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    values = (node for node in ast.walk(tree) if isinstance(node, ast.Subscript | ast.Call))
    return any(_is_value(node, key) and not _is_set(node) and id(node) not in handed for node in values)


def _asks(tree: ast.Module, key: str) -> bool:
    """Return whether a file asks, of the key itself or of a name that it gives to its value."""
    named = {name for node in ast.walk(tree) for name in _named(node, key)}
    asked = (part for node in ast.walk(tree) for part in _questions(node))
    return any(
        _is_value(part, key) or (isinstance(part, ast.Name | ast.Attribute) and ast.unparse(part) in named)
        for part in asked
    )


def _named(node: ast.AST, key: str) -> Iterator[str]:
    """Yield the names that a statement gives to a key's value alone: `size = opt.get('size')`."""
    match node:
        case ast.Assign(targets=targets, value=value) if _is_value(value, key):
            yield from (ast.unparse(name) for name in targets if isinstance(name, ast.Name | ast.Attribute))


def _questions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node asks the truth of, or whether it is None."""
    match node:
        case ast.Compare(
            left=left,
            ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq()],
            comparators=[ast.Constant(value=None)],
        ):
            yield left
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield test
        case ast.BoolOp(values=values):
            yield from values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand


def _is_value(node: ast.AST, key: str) -> bool:
    """Return whether an expression is a key's value: `opt['key']`, `opt.get('key', 1)`, `opt.key`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=word)):
            return bool(word == key)
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant(value=word), *_]):
            return bool(word == key)
        case ast.Attribute(attr=word):
            return bool(word == key)
    return False


def _is_set(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
