# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a program trains with a trainer that it makes: `if args.do_train:` may leave it out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeGuard

from trainlint.documents.python_bindings import LOOP_VALUE, Branch
from trainlint.documents.python_names import Names
from trainlint.documents.python_values import UNKNOWN, value_of

FLAG: Final = "do_train"
"""An argument that transformers' own scripts ask for, false where it is not given (training_args.py)."""
_ARMS: Final = ("body", "orelse")


class Condition(NamedTuple):
    """A test that has to come out as `wanted` for a program to train; without one it never does."""

    test: ast.expr | None = None
    wanted: bool = True


def training_condition(names: Names, trainer: ast.Call) -> Condition | None:
    """Return what it hangs on whether a program trains; None where it does, or where that cannot be said.

    A trainer that the program hands on may be trained where it went.
    """
    bound = _bound(names, trainer)
    trained = train_calls(names, trainer)
    if not trained:
        uses = [node for node in names.bindings.sites if _is_of(node, trainer, bound)]
        owners = {use.value for use in uses if isinstance(use, ast.Attribute)}
        handed_on = any(_is_named(node, bound) and node not in owners for node in names.bindings.sites)
        return Condition() if uses and not handed_on else None
    branches = [branch for call in trained if (branch := _open_branch(names, call)) is not None]
    if not branches:
        return Condition()
    return None if _is_always_taken(branches) else _first_test(names, branches[0])


def train_calls(names: Names, trainer: ast.Call) -> list[ast.Call]:
    """Return the calls of a trainer's train()."""
    bound = _bound(names, trainer)
    return [
        call
        for call in names.bindings.calls
        if _is_of(call.func, trainer, bound) and call.func.attr == "train"
    ]


def _bound(names: Names, trainer: ast.Call) -> set[str]:
    by_name = names.bindings.by_name.items()
    return {name for (_, name), bindings in by_name if any(bound.value is trainer for bound in bindings)}


def _is_of(node: ast.AST, trainer: ast.Call, bound: set[str]) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and (node.value is trainer or _is_named(node.value, bound))


def _is_named(node: ast.AST, bound: set[str]) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound


def _open_branch(names: Names, call: ast.Call) -> Branch | None:
    """Return the steps of a call's branch that may not be taken; None where one never is."""
    steps = []
    for step in names.bindings.sites[call].branch:
        statement = _statement(names, step[0])
        if step[1] == LOOP_VALUE or not isinstance(statement, ast.If):
            continue  # over folds, or until it is done
        known = _outcome(names, statement.test)
        if known is UNKNOWN:
            steps.append(step)
        elif bool(known) != (step[1] == "body"):
            return None
    return tuple(steps)


def _outcome(names: Names, test: ast.expr) -> Any:
    if not (isinstance(test, ast.Attribute) and test.attr == FLAG):
        return value_of(test, names)
    made = names.expression(test.value)
    words = made.node.keywords if made is not None and isinstance(made.node, ast.Call) else ()
    return next((value_of(word.value, names) for word in words if word.arg == FLAG), UNKNOWN)


def _is_always_taken(branches: Sequence[Branch]) -> bool:
    """Return whether one of the branches is taken whatever the tests are."""
    if not all(branches):
        return True
    for statement in {branch[0][0] for branch in branches}:
        arms = [[branch[1:] for branch in branches if branch[0] == (statement, arm)] for arm in _ARMS]
        if all(arm and _is_always_taken(arm) for arm in arms):
            return True
    return False


def _first_test(names: Names, branch: Branch) -> Condition | None:
    statement = _statement(names, branch[0][0])
    return Condition(statement.test, branch[0][1] == "body") if isinstance(statement, ast.If) else None


def _statement(names: Names, number: int) -> ast.AST | None:
    return next((node for node in names.bindings.sites if id(node) == number), None)
