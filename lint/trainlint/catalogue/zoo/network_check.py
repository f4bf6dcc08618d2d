# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in an entry of BUILDERS: the class it names, its annotations and defaults, its forward."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from trainlint.catalogue.annotation import shown
from trainlint.catalogue.zoo.builders import Definition, constructor, constructor_of, definitions
from trainlint.catalogue.zoo.file_slip import ENTRY_FORMS, bound, meant, slip
from trainlint.catalogue.zoo.network_signature import Param

IMPORTED: Final = ": from trainlint.catalogue.signature import Positive"
MODULES: Final = ("nn.Module", "torch.nn.Module", "Module")
"""What a class is called as whose forward nothing brings but the class itself."""
MODULE_ALONE: Final = [[name] for name in MODULES]


def check_network(file: Path, name: str, value: ast.expr) -> None:
    """Check one entry of BUILDERS, and the constructor that it names."""
    try:
        written = ast.literal_eval(value)
    except ValueError:
        written = None
    parts = (written,) if isinstance(written, str) else written
    if not _well_formed(parts):
        slip(
            file,
            value,
            f'BUILDERS builds "{name}" from {ast.unparse(value)}, expected {ENTRY_FORMS["BUILDERS"]}',
        )
    known = definitions(file)
    if parts[0] not in known:
        hint = meant(parts[0], known)
        slip(file, value, f'BUILDERS builds "{name}" from "{parts[0]}", which the file does not define{hint}')
    function = constructor_of(parts[0], known)
    if function is None:
        slip(
            file,
            known[parts[0]],
            f'"{parts[0]}" has no __init__ here: write one with the config\'s arguments',
        )
    _check_base(file, known[parts[0]], function)
    _check_arguments(file, parts[0], function)
    _check_preset(file, name, value, parts)
    _check_forward(file, parts[0], known)


def _check_base(file: Path, node: Definition, function: ast.FunctionDef) -> None:
    """Refuse a constructor without Module's own: torch refuses its first layer, whatever the config says."""
    if (
        isinstance(node, ast.ClassDef)
        and function in node.body
        and [*map(ast.unparse, node.bases)] in MODULE_ALONE
    ):
        called = (call.func for call in ast.walk(function) if isinstance(call, ast.Call))
        if not any(isinstance(callee, ast.Attribute) and callee.attr == "__init__" for callee in called):
            slip(
                file,
                function,
                f'"{node.name}" never calls super().__init__(): expected it before the first layer',
            )


def _check_arguments(file: Path, name: str, function: ast.FunctionDef) -> None:
    """Check a constructor's annotations, and that they take the defaults next to them."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    for argument in arguments:
        _check_annotation(file, argument)
    taken = constructor(name, file, name).params
    for argument in arguments:
        _check_default(file, argument, taken.get(argument.arg))


def _check_preset(file: Path, name: str, value: ast.expr, parts: Sequence[Any]) -> None:
    """Check what a preset gives and lacks against the constructor that it is of."""
    taken = constructor(parts[0], file, parts[0]).params
    for argument in (key for part in parts[1:] for key in part):
        if argument not in taken:
            slip(file, value, f'"{name}": {parts[0]} takes no argument "{argument}"{meant(argument, taken)}')
    for argument, given in (parts[1] if len(parts) > 1 else {}).items():
        if not _fits(taken[argument], given):
            message = f"{argument} must be {taken[argument].expected}, is {shown(given)}"
            slip(file, value, f'"{name}": {message}')


def _well_formed(parts: object) -> bool:
    match parts:
        case (str(),) | (str(), dict()):
            return True
        case (str(), dict(), list() | tuple() as lacking):
            return all(isinstance(item, str) for item in lacking)
    return False


def _check_annotation(file: Path, argument: ast.arg) -> None:
    """Refuse an annotation with a name that nothing defines: it would be taken for "any value"."""
    annotation = argument.annotation
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                annotation = ast.parse(text, mode="eval").body
            except SyntaxError:
                slip(file, argument, f'the annotation of "{argument.arg}" is not a type: "{text}"')
    defined = bound(file)
    for node in ast.walk(annotation) if annotation is not None and "*" not in defined else ():
        if isinstance(node, ast.Name) and node.id not in defined and not hasattr(builtins, node.id):
            hint = IMPORTED if node.id == "Positive" else meant(node.id, [*defined, "Positive"])
            slip(
                file,
                argument,
                f'the annotation of "{argument.arg}" is "{node.id}", which nothing defines{hint}',
            )


def _check_default(file: Path, argument: ast.arg, param: Param | None) -> None:
    """Refuse a default that its own annotation does not take; None is what many write for "not given"."""
    if param is None or param.required or not param.readable or param.default is None:
        return
    if not param.accepts(param.default):
        slip(
            file,
            argument,
            f'the default of "{argument.arg}" is {shown(param.default)}, and its annotation asks for '
            f"{param.expected}",
        )


def _fits(param: Param, value: Any) -> bool:
    """Say whether a preset may give an argument this value; None where the default is None."""
    return param.accepts(value) or (value is None and not param.required and param.default is None)


def _check_forward(file: Path, name: str, known: Mapping[str, Definition]) -> None:
    """Refuse a module that nothing gives a forward; what other files bring is not known here."""
    node, lineage = known.get(name), []
    while isinstance(node, ast.ClassDef) and node not in lineage:
        lineage.append(node)
        if not node.bases and not node.keywords:
            slip(file, lineage[0], f'"{name}" is not a torch module: expected class {node.name}(nn.Module)')
        if _has_forward(node) or len(node.bases) != 1:
            return
        base = ast.unparse(node.bases[0])
        if base in MODULES and base not in known:
            slip(file, lineage[0], f'"{name}" has no method "forward": torch calls forward(self, x)')
        node = known.get(base)


def _has_forward(node: ast.ClassDef) -> bool:
    """Say whether a class has or sets a `forward`, of whatever kind."""
    for inner in ast.walk(node):
        match inner:
            case ast.FunctionDef(name="forward") | ast.Attribute(attr="forward", ctx=ast.Store()):
                return True
            case ast.Name(id="forward", ctx=ast.Store()) | ast.Constant(value="forward"):
                return True
    return False
