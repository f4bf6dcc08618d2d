# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program does with its model besides loading and training it: what it freezes or takes out.

What is done to another model, which is loaded by a call of its own, is not this one's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from trainlint.documents.doubts.training_condition import train_calls
from trainlint.documents.python_bindings import FUNCTION
from trainlint.documents.python_names import MOST_LINKS, Names

FROZEN, HANDED, REBUILT, OWN_OPTIMIZER, HOOKED = "@frozen", "@handed", "@rebuilt", "@optimizer", "@hooked"
"""Keys of trl.json: what is done, of which each says what of the model stays certain."""
LIBRARIES: Final = frozenset((
    "accelerate", "bitsandbytes", "datasets", "deepspeed", "evaluate", "lm_eval", "logging", "math",
    "numpy", "os", "peft", "torch", "torchinfo", "transformers", "trl", "unsloth", "wandb",
))  # fmt: skip
"""Packages that freeze nothing of a model that they are given; PEFT's adapters are read."""
BUILTINS: Final = frozenset((
    "bool", "dict", "dir", "getattr", "hasattr", "id", "isinstance", "len", "list", "next", "print",
    "repr", "str", "sum", "tuple", "type", "vars", "zip",
))  # fmt: skip
LOOKS_ONLY: Final = ("print", "count", "show", "log", "summar", "evaluate", "save", "find_", "num_")
"""How functions of other modules begin that only look at a model."""
PARTS: Final = frozenset((
    "model", "base_model", "transformer", "layers", "h", "blocks", "lm_head", "embed_tokens", "wte",
    "mlp", "self_attn", "weight",
))  # fmt: skip
"""Attributes of transformers' language models that hold weights."""
SHAPE: Final = frozenset(("num_hidden_layers", "n_layer", "hidden_size", "intermediate_size", "vocab_size"))
"""Keys of a config.json that decide how many weights a model has."""
OPTIMIZERS: Final = ("optimizers", "optimizer_cls_and_kwargs")
"""Arguments of transformers' Trainer that take the place of `optim`."""
OPTIMIZER_ATTRIBUTES: Final = frozenset(("optimizer", "create_optimizer", "create_optimizer_and_scheduler"))
HOOK: Final = "register_post_accumulate_grad_hook"
"""How gradients are used, and let go, while the backward pass goes on (torch.Tensor)."""


class Change(NamedTuple):
    """What is done, under one of the keys, and where."""

    key: str
    node: ast.AST


def model_changes(names: Names, trainer: ast.Call, loader: ast.Call | None) -> Iterator[Change]:
    """Yield what a program may do to the model of a trainer, which `loader` makes, the first of each kind."""
    seen: set[str] = set()
    model = _Model(names, trainer, loader)
    sites = names.bindings.sites
    nodes = [node for node in sites if isinstance(node, ast.stmt | ast.Call)]
    trained = train_calls(names, trainer)
    last = max((call.lineno for call in trained), default=None)
    scopes = {sites[call].scope for call in trained}
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        if last is not None and node.lineno > last and sites[node].scope in scopes:
            continue  # the training is over
        key = model.change(node)
        if key and key not in seen:
            seen.add(key)
            yield Change(key, node)


class _Model:
    """The model of one trainer, by the names that it has in a program and in the functions that get it."""

    def __init__(self, names: Names, trainer: ast.Call, loader: ast.Call | None) -> None:
        self._names, self._trainer, self._loader = names, trainer, loader
        self._parameters: set[tuple[ast.AST | None, str]] = set()
        while loader is not None and self._grow():
            pass

    def _grow(self) -> bool:
        """Note the parameters by which functions of the program get the model; whether there are more."""
        before = len(self._parameters)
        for call in self._names.bindings.calls:
            function = self._own_function(call.func)
            if function is None:
                continue
            own = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            given = [*zip(own, call.args, strict=False), *((word.arg, word.value) for word in call.keywords)]
            self._parameters |= {(function, name) for name, node in given if name and self._is_model(node)}
        return len(self._parameters) > before

    def _own_function(self, func: ast.AST) -> ast.FunctionDef | None:
        if not isinstance(func, ast.Name):
            return None
        bindings = self._names.bindings.by_name.get((None, func.id), ())
        return next((bound.value for bound in bindings if isinstance(bound.value, ast.FunctionDef)), None)

    def _is_model(self, node: ast.AST) -> bool:
        """Return whether an expression is the model, or a part of it."""
        for _ in range(MOST_LINKS):
            if not isinstance(node, ast.Attribute | ast.Subscript) or _attribute(node) in {
                "config",
                "device",
                "dtype",
            }:
                break
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        scope = self._names.bindings.sites[node].scope
        if (scope, node.id) in self._parameters:
            return True
        return self._loader is not None and self._source(node) is self._loader

    def _source(self, node: ast.AST) -> ast.AST | None:
        known = self._names.expression(node)
        return None if known is None else known.node

    def change(self, node: ast.AST) -> str:
        """Return the key of what a statement or a call does, "" for nothing of the kind."""
        if isinstance(node, ast.Call):
            return self._done_by(node)
        stores = [part for part in _targets(node) if isinstance(part, ast.Attribute | ast.Subscript)]
        value = getattr(node, "value", None)
        for store in stores:
            name = _attribute(store)
            if name == "requires_grad" and not _is_true(value) and self._may_own(store.value):
                return FROZEN
            if name in OPTIMIZER_ATTRIBUTES:
                return OWN_OPTIMIZER
            if name in SHAPE or (self._is_model(store) and (name in PARTS or not name)):
                return REBUILT
        return ""

    def _done_by(self, call: ast.Call) -> str:
        words = {word.arg: word.value for word in call.keywords}
        if call is self._trainer:
            return self._given_to_trainer(words)
        if call is self._loader:
            return REBUILT if SHAPE & words.keys() else ""
        if self._freezes(call):
            return FROZEN
        method = _attribute(call.func)
        if method == "add_callback" and call.args and self._is_strange(call.args[0]):
            return HANDED
        is_given = any(self._is_model(part) for part in (*call.args, *words.values()))
        return HOOKED if method == HOOK else HANDED if is_given and not self._is_harmless(call.func) else ""

    def _freezes(self, call: ast.Call) -> bool:
        method, first = _attribute(call.func), call.args[0] if call.args else None
        if method == "requires_grad_" and first is not None and not _is_true(first):
            return self._may_own(call.func)
        if method.startswith("freeze"):
            return self._may_own(call.func)
        is_set = _named(call.func) == "setattr" and len(call.args) > 1
        return is_set and _constant(call.args[1]) == "requires_grad"

    def _given_to_trainer(self, words: dict[str | None, ast.expr]) -> str:
        given = [self._source(words[name]) for name in OPTIMIZERS if name in words]
        for made in given:
            first = made.elts[0] if isinstance(made, ast.Tuple | ast.List) and made.elts else made
            if not (isinstance(first, ast.Constant) and first.value is None):
                return OWN_OPTIMIZER
        callbacks = self._source(words["callbacks"]) if "callbacks" in words else None
        strange = isinstance(callbacks, ast.List | ast.Tuple) and any(map(self._is_strange, callbacks.elts))
        return HANDED if strange else ""

    def _is_strange(self, callback: ast.AST) -> bool:
        """Return whether a callback, which gets the model, is of a module that is not known."""
        made = self._source(callback)
        full = self._names.imported(made.func if isinstance(made, ast.Call) else callback)
        return bool(full) and full.partition(".")[0] not in LIBRARIES

    def _is_harmless(self, func: ast.expr) -> bool:
        """Return whether what is called leaves a model as it is, or is read with the program."""
        name, full = _named(func), self._names.imported(func)
        if full.partition(".")[0] in LIBRARIES or name.startswith(LOOKS_ONLY):
            return True
        if isinstance(func, ast.Name):
            bindings = self._names.bindings.by_name.get((None, func.id), ())
            own = any(isinstance(bound.value, (*FUNCTION, ast.ClassDef)) for bound in bindings)
            return own or (not bindings and func.id in BUILTINS)
        return isinstance(func, ast.Attribute) and not full  # a method: of an accelerator, a list, itself

    def _may_own(self, owner: ast.AST) -> bool:
        """Return whether weights may be the model's: of which it is not known that they are another's."""
        root = self._root(owner)
        source = None if root is None else self._source(root)
        is_other = isinstance(source, ast.Call) and _named(source.func) == "from_pretrained"
        return not is_other or source is self._loader

    def _root(self, node: ast.AST) -> ast.Name | None:
        """Return the name that an expression begins with, of a loop's variable that of what it goes over."""
        for _ in range(MOST_LINKS):
            if isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            elif isinstance(node, ast.Name) and (over := self._looped(node)) is not None:
                node = over
            else:
                break
        return node if isinstance(node, ast.Name) else None

    def _looped(self, name: ast.Name) -> ast.expr | None:
        numbers = {number for number, _ in self._names.bindings.sites[name].branch}
        loops = (
            node for node in self._names.bindings.sites if isinstance(node, ast.For) and id(node) in numbers
        )
        return next((loop.iter for loop in loops if name.id in _names_in(loop.target)), None)


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return [target]
    return []


def _named(func: ast.AST) -> str:
    return func.id if isinstance(func, ast.Name) else _attribute(func)


def _attribute(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _constant(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_true(node: ast.AST | None) -> bool:
    return _constant(node) is True if node is not None else False
