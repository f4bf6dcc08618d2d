# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in how a recipe uses its stage: a phase without `with`, an optimizer that is never stepped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo.builders import definitions
from trainlint.catalogue.zoo.file_slip import slip
from trainlint.model.spec import VOCABULARY

ROLES: Final = tuple(name.split(".")[1] for name in VOCABULARY if name.endswith(".arch"))
CONTEXTS: Final = ("phase", "label", "aside", "autocast")
"""Methods of the stage that return a context manager (trace/stage.py)."""
MAKERS: Final = ("optimizer", "adopt_optimizer")
"""Those that return an optimizer."""
CALLS_WITHOUT_STEP: Final = ("zero_grad",)
"""What may be called of an optimizer that takes no step."""


def check_step(file: Path, node: ast.ClassDef) -> None:
    """Refuse a role that no config has, what does nothing, and an optimizer that is surely never stepped."""
    if "network" not in definitions(file):
        _check_roles(file, node)
    _check_dropped(file, node)
    if _is_whole(node):
        _check_optimizers(file, node)


def _check_roles(file: Path, node: ast.ClassDef) -> None:
    for inner in ast.walk(node):
        match inner:
            case ast.Call(func=ast.Name(id="network"), args=[_, ast.Constant(value=str(role)), *_]) if (
                role not in ROLES
            ):
                known = " or ".join(f'"{name}"' for name in ROLES)
                slip(file, inner, f'no config has a network of the role "{role}": expected {known}')


def _check_dropped(file: Path, node: ast.ClassDef) -> None:
    for statement in ast.walk(node):
        if isinstance(statement, ast.Expr) and (method := _of_stage(statement.value)):
            written = ast.unparse(statement.value)
            if method in CONTEXTS:
                slip(file, statement, f'{written} does nothing by itself: expected "with {written}:"')
            if method == "optimizer":
                message = f"the optimizer of {written} is not kept: expected its step() in train_step"
                slip(file, statement, message)


def _check_optimizers(file: Path, node: ast.ClassDef) -> None:
    used = set(_used(node))
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value) if (
                _of_stage(value) in MAKERS and name not in used
            ):
                slip(
                    file,
                    inner,
                    f"{node.name} never steps self.{name}: expected self.{name}.step() in train_step",
                )


def _is_whole(node: ast.ClassDef) -> bool:
    """Say whether all that uses the recipe's attributes is in its class: no base, no `self` given away."""
    attributes = {id(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    loaded = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner.id == "self")
    steps = any(
        isinstance(statement, ast.FunctionDef) and statement.name == "train_step" for statement in node.body
    )
    return steps and not node.bases and all(id(name) in attributes for name in loaded)


def _used(node: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes of `self` that are read, but for those of which STEPLESS alone is called."""
    harmless = {
        id(inner.value)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and inner.attr in CALLS_WITHOUT_STEP
    }
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()) if (
                id(inner) not in harmless
            ):
                yield name


def _of_stage(value: ast.expr) -> str:
    """Return the method of the stage that an expression calls; "" for any other."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="stage") | ast.Attribute(attr="stage"), attr=name)
        ):
            return name
    return ""
