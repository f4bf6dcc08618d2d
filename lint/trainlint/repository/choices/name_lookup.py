# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a registry of a repository has its decorated classes alone, and is asked by what a config says.

That no file has a class of some name proves something only where both are so. Each of these places may have
another part in it, and is returned then: the function that asks, the registry's own class, what enters
classes, and imports of packages that lie elsewhere, which may enter theirs.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import tree_of
from trainlint.repository.survey.passive_statements import passive
from trainlint.repository.trainer.mentioned_words import Words

ENTRY: Final = "__init__.py"
STORE: Final = "_obj_map"
"""Where a registry of BasicSR has its classes."""
OF_REGISTRIES: Final = ("get", "register", "_do_register")
QUIET: Final = (
    "AssertionError", "KeyError", "ValueError", "callable", "deco", "deepcopy", "format", "get_root_logger",
    "info", "isinstance", "items", "join", "keys", "len", "list", "print", "sorted", "str", "type", "warning",
)  # fmt: skip
"""What a registry's functions may call that enters and finds nothing."""
READS: Final = ("get", "pop")
STARTS: Final = ("train_pipeline(", "build_model(", "create_model(")
"""What the scripts call that start a training."""
ENTERS: Final = later(r"(?<![\w.])(?:entry_points|exec)\(")
RENAMES: Final = later(r"\.__name__\s*=(?!=)|\btype\(\s*[^()\n,]+,\s*\(")
"""What makes a class of another name than its statement has."""
IMPORT: Final = later(
    r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\*|import[ \t]+([\w.]+))[ \t]*(?:#.*)?$"
)
DOCSTRING: Final = later(r'(?s)""".*?"""|\'\'\'.*?\'\'\'')
LIBRARIES: Final = frozenset(
    (
        "PIL", "cv2", "einops", "imageio", "lmdb", "lpips", "matplotlib", "numpy", "pandas", "scipy",
        "skimage", "timm", "tensorboardX", "torch", "torchvision", "tqdm", "wandb", "yaml",
    )
)  # fmt: skip
"""Packages that enter no class in a repository's registries."""


@lru_cache(maxsize=32)
def strange_lookup(words: Words, folder: str, registry: str) -> str | None:
    """Return the first place that may find or enter a class otherwise; None where there is none."""
    places = chain(
        _strange_builders(words, folder, registry),
        _strange_classes(words, folder.partition("/")[0]),
        _strange_entries(words, registry),
        _foreign_imports(words, folder.partition("/")[0]),
    )
    return next(places, None)


@lru_cache(maxsize=32)
def strange_call(words: Words, folder: str, registry: str) -> str | None:
    """Return where a class gets other arguments than the keys of its mapping, without its type."""
    for path, function in _builders(words, folder, registry):
        calls = [
            node for node in ast.walk(function) if isinstance(node, ast.Call) and _asks(node.func, registry)
        ]
        if not calls:
            return f"{path}:{function.lineno}"
        for call in calls:
            match call:
                case ast.Call(args=[], keywords=[ast.keyword(arg=None, value=ast.Name(id=name))]):
                    if (line := _touched(function, name, call)) is not None:
                        return f"{path}:{line}"
                case _:
                    return f"{path}:{call.lineno}"
    return None


def _touched(function: ast.FunctionDef, name: str, call: ast.Call) -> int | None:
    """Return the line on which a function does more with its options than to copy them and take the type."""
    plain: set[int] = {id(keyword.value) for keyword in call.keywords}
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as options, attr="pop" | "get"), args=[first, *_]
            ):
                if isinstance(first, ast.Constant) and first.value == "type":
                    plain.add(id(options))
            case ast.Subscript(value=ast.Name() as options, slice=ast.Constant(value="type")):
                plain.add(id(options))
            case ast.Assign(
                targets=[ast.Name() as left], value=ast.Call(func=copy, args=[ast.Name() as right])
            ):
                if getattr(copy, "attr", getattr(copy, "id", "")) in ("deepcopy", "copy", "dict"):
                    plain |= {id(left), id(right)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == name and id(node) not in plain:
            return node.lineno
    return None


def _builders(words: Words, folder: str, registry: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a registry's package that ask it."""
    for path, text in words.training:
        tree = tree_of(text) if path == f"{folder}/{ENTRY}" and f"{registry}.get(" in text else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and any(_asks(part, registry) for part in ast.walk(node)):
                yield path, node


def _asks(node: ast.AST, registry: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get")):
            return name == registry
    return False


def _strange_builders(words: Words, folder: str, registry: str) -> Iterator[str]:
    """Yield where a function asks a registry only sometimes, or for another name than its options have."""
    for path, function in _builders(words, folder, registry):
        for node in _asking(function.body, registry):
            asked = node.args[0] if node.args else None
            if not _is_read(asked) and not (
                isinstance(asked, ast.Name) and _is_plain(asked.id, function, node)
            ):
                yield f"{path}:{node.lineno}"
        sure = {id(node) for node in _asking(function.body, registry)}
        for part in ast.walk(function):
            if _asks(part, registry) and id(part) not in sure:
                yield f"{path}:{getattr(part, 'lineno', function.lineno)}"


def _asking(body: list[ast.stmt], registry: str) -> Iterator[ast.Call]:
    """Yield the questions that a function always comes to."""
    for statement in body:
        if isinstance(statement, ast.Assign | ast.Return | ast.Expr):
            for node in ast.walk(statement):
                if isinstance(node, ast.IfExp | ast.BoolOp | ast.Lambda):
                    break
                if isinstance(node, ast.Call) and _asks(node, registry):
                    yield node


def _is_read(node: ast.AST | None) -> bool:
    """Return whether an expression is what a key of some options has: `opt["type"]`, `opt.pop("type")`."""
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str())):
            return True
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr=method), args=[ast.Constant(value=str()), *_]
        ):
            return method in READS
    return False


def _is_plain(name: str, function: ast.FunctionDef, asking: ast.Call) -> bool:
    """Return whether a name has what a key has, and nothing is done with it but to ask and to say it."""
    bound = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(getattr(to, "id", "") == name for to in node.targets)
    ]
    if len(bound) != 1 or not _is_read(bound[0]):
        return False
    said = {id(part) for node in ast.walk(function) if _says(node) for part in ast.walk(node)}
    said |= {id(argument) for argument in asking.args}
    return all(
        id(node) in said
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    )


def _says(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.Raise) or (isinstance(node, ast.stmt) and passive(node))


def _strange_classes(words: Words, package: str) -> Iterator[str]:
    """Yield where a registry's own class calls what may make another name, or another class, of one."""
    for path, text in words.training:
        if not path.startswith(f"{package}/") or STORE not in text:
            continue
        tree = tree_of(text)
        functions = (
            node
            for node in (ast.walk(tree) if tree is not None else ())
            if isinstance(node, ast.FunctionDef) and node.name in OF_REGISTRIES
        )
        for node in (part for function in functions for part in ast.walk(function)):
            if isinstance(node, ast.Call) and not _is_quiet(node.func):
                yield f"{path}:{node.lineno}"


def _is_quiet(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name in QUIET
        case ast.Attribute(value=ast.Attribute(attr=store), attr="get"):
            return store == STORE
        case ast.Attribute(value=ast.Name(id="self"), attr=method):
            return method in OF_REGISTRIES
        case ast.Attribute(attr=method):
            return method in QUIET
    return False


def _strange_entries(words: Words, registry: str) -> Iterator[str]:
    """Yield the lines that do more with a registry than to import, to make, to ask or to decorate by it."""
    name = re.escape(registry)
    mention = re.compile(rf"(?m)^[^\n]*\b{name}\b[^\n]*$")
    plain = re.compile(
        rf"\s*(?:from|import)\b.*|[\s\w,()\\]*|\s*@{name}\.register(?:\(.*)?|{name}\.register\(\w+\)\s*|"
        rf"\s*{name}\s*=\s*\w*Registry\(.*|.*\b{name}\.get\(.*|\s*__all__\b.*|[\s'\"\w,\[\]]*"
    )
    for path, text in words.training:
        if registry not in text:
            continue
        text = DOCSTRING.sub(lambda said: "\n" * said[0].count("\n"), text)  # noqa: PLW2901
        for match in mention.finditer(text):
            if not plain.fullmatch(match[0]):
                yield f"{path}:{_line(text, match.start())}"
        if (renamed := RENAMES.search(text)) is not None:
            yield f"{path}:{_line(text, renamed.start())}"


def _foreign_imports(words: Words, package: str) -> Iterator[str]:
    """Yield where a script or a package imports one that lies elsewhere for what that does when imported."""
    here = {part for path in words.files for part in path.removesuffix(".py").split("/")}
    for path, text in words.training:
        starts = any(call in text for call in STARTS)
        if not starts and not (path.startswith(f"{package}/") and path.endswith(f"/{ENTRY}")):
            continue
        for match in IMPORT.finditer(text):
            top = (match[1] or match[2]).partition(".")[0]
            if not top or top in here or top in LIBRARIES or top in sys.stdlib_module_names:
                continue
            if match[1] or len(re.findall(rf"\b{top}\b", text)) == 1:
                yield f"{path}:{_line(text, match.start())}"
        if (entered := ENTERS.search(text)) is not None:
            yield f"{path}:{_line(text, entered.start())}"


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
