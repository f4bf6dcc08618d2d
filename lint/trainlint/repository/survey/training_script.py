# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a Python file says of a training: its networks and, as far as they are literals, the step's settings.

Read as a syntax tree; nothing is run or imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

LOSSES: Final[Mapping[str, str]] = {
    "MSELoss": "mse", "mse_loss": "mse", "L1Loss": "l1", "l1_loss": "l1", "SmoothL1Loss": "smooth-l1",
    "smooth_l1_loss": "smooth-l1", "BCEWithLogitsLoss": "bce", "binary_cross_entropy_with_logits": "bce",
    "CrossEntropyLoss": "cross-entropy", "cross_entropy": "cross-entropy",
}  # fmt: skip
"""torch's losses by the names of trainlint's own format."""
OPTIMIZERS: Final = (
    "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "LBFGS", "NAdam", "RAdam",
    "RMSprop", "SGD",
)  # fmt: skip
FLAGS: Final[Mapping[str, str]] = {
    "batch-size": "batch", "batch_size": "batch", "bs": "batch", "epochs": "epochs", "num-epochs": "epochs",
    "num_epochs": "epochs", "workers": "workers", "num-workers": "workers", "num_workers": "workers",
}  # fmt: skip
"""Flags whose default is a key of a job."""
VARIABLES: Final = {
    **FLAGS,
    "BATCH_SIZE": "batch",
    "EPOCHS": "epochs",
    "NUM_EPOCHS": "epochs",
    "NUM_WORKERS": "workers",
}
CONVOLUTIONS: Final = ("Conv1d", "Conv2d", "Conv3d")
NO_LAYERS: Final = ("super", "__init__", "len", "range", "int", "max", "min", "list", "tuple", "isinstance")
"""What a constructor calls before its first layer."""


@dataclass(frozen=True)
class TrainingScript:
    """Networks, those that the file builds itself first; `keys` of a job; the `lines` of both."""

    networks: tuple[str, ...]
    keys: Mapping[str, Any]
    lines: Mapping[str, int]
    channels: int | None = None
    """Channels of the first network's input, where its first convolution says them."""
    imported: Mapping[str, str] = field(default_factory=dict)
    """What it calls of other modules, with the module: its networks may be among them."""


def read_script(text: str) -> TrainingScript:
    """Return what a file says. Raises SyntaxError where it is no Python."""
    tree = ast.parse(text)
    classes = {
        node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _is_network(node)
    }
    called = [_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    inner = {name for node in classes.values() for name in map(_name, _calls(node)) if name in classes}
    outer = [name for name in classes if name not in inner]
    ranked = sorted(outer or list(classes), key=lambda name: name not in called)
    keys: dict[str, Any] = {}
    lines: dict[str, int] = {name: node.lineno for name, node in classes.items()}
    for node in ast.walk(tree):
        for key, value in _said(node):
            if key not in keys:
                keys[key], lines[key] = value, getattr(node, "lineno", 1)
    channels = _channels(classes[ranked[0]]) if ranked else None
    imported = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if alias.asname is None and alias.name in called
    }
    return TrainingScript(tuple(ranked), keys, lines, channels, imported)


def _is_network(node: ast.ClassDef) -> bool:
    has_forward = any(
        isinstance(statement, ast.FunctionDef) and statement.name == "forward" for statement in node.body
    )
    return has_forward and any(_name(base).endswith("Module") for base in node.bases)


def _calls(node: ast.AST) -> Iterator[ast.expr]:
    yield from (call.func for call in ast.walk(node) if isinstance(call, ast.Call))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _said(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a job that one node gives."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        key, value = VARIABLES.get(node.targets[0].id), _number(node.value)
        if key is not None and value is not None:
            yield key, value
    if isinstance(node, ast.Call):
        yield from _called(_name(node.func), node)


def _called(name: str, node: ast.Call) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a job that a call gives."""
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if name in OPTIMIZERS:
        yield "optimizer", name
    elif name in LOSSES:
        yield "loss", LOSSES[name]
    elif name == "DataLoader":
        given = {"batch": named.get("batch_size"), "workers": named.get("num_workers")}
        numbers = {key: _number(value) for key, value in given.items() if value is not None}
        yield from ((key, value) for key, value in numbers.items() if value is not None)
    elif name == "autocast":
        dtype = named.get("dtype")
        yield "precision", "bf16" if dtype is not None and _name(dtype) == "bfloat16" else "fp16"
    elif name == "add_argument":
        flag = next((_text(arg).lstrip("-") for arg in node.args if _text(arg).startswith("--")), "")
        value = _number(named["default"]) if "default" in named else None
        if flag in FLAGS and value is not None:
            yield FLAGS[flag], value


def _number(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _channels(node: ast.ClassDef) -> int | None:
    """Return the channels that a network's first layer takes, where that is a convolution and says them."""
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = _name(call.func)
        if name in CONVOLUTIONS:
            named = (keyword.value for keyword in call.keywords if keyword.arg == "in_channels")
            first = call.args[0] if call.args else next(named, None)
            number = _number(first) if first is not None else None
            return number if number is not None or first is None else _defaults(node).get(_name(first))
        if not (name in NO_LAYERS or _has_no_size(call)):
            return None
    return None


def _has_no_size(call: ast.Call) -> bool:
    """Say whether it is a layer of torch's that is told no number of channels, such as ReLU or Sequential."""
    is_torch = isinstance(call.func, ast.Attribute) and _name(call.func.value) == "nn"
    return is_torch and all(isinstance(argument, ast.Call | ast.Starred) for argument in call.args)


def _defaults(node: ast.ClassDef) -> dict[str, int]:
    defaults = {}
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            arguments = statement.args.args[len(statement.args.args) - len(statement.args.defaults) :]
            for argument, default in zip(arguments, statement.args.defaults, strict=True):
                if (value := _number(default)) is not None:
                    defaults[argument.arg] = value
    return defaults
