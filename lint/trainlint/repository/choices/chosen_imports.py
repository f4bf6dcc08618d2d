# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a function that chooses by a name imports for it, and whether that is there.

`if net_type == "swinir": from models.network_swinir import SwinIR as net`: where the module lies next to the
function's own, in the package that the function is imported from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from trainlint.files.syntax_tree import tree_of
from trainlint.repository.imports.imported_files import is_there
from trainlint.repository.trainer.mentioned_words import Words

ANY_NAME: Final = ("import *", "__getattr__", "globals(", "exec(", "setattr(")
"""What may give a module names that its text does not have."""


def lacking_for(words: Words, root: Path, function: str, name: str) -> str | None:
    """Say what a repository's function imports for a name, and does not find; None where it finds it, or may.

    Where several files define the function, each has to lack something. One that is never called finds all.
    """
    texts = dict(words.training)
    if not words.matches(re.compile(rf"(?<!def )\b{function}\(")):
        return None
    whys = [
        _lacking(path, chooser, name, texts, root)
        for path, text in texts.items()
        if f"def {function}(" in text and (tree := tree_of(text)) is not None
        for chooser in ast.walk(tree)
        if isinstance(chooser, ast.FunctionDef) and chooser.name == function
    ]
    return None if None in whys else next(iter(whys), None)


def _lacking(
    path: str, function: ast.FunctionDef, name: str, texts: Mapping[str, str], root: Path
) -> str | None:
    """Say what a function in a file does not find for a name."""
    folder = path.rpartition("/")[0]
    for line in _imports_for(function, name):
        parts = (line.module or "").split(".")
        if not parts[-1] or (line.level != 1 and parts[:-1] != folder.split("/")[-len(parts) + 1 :]):
            continue
        if line.level and len(parts) > 1:
            continue
        file = f"{folder}/{parts[-1]}.py".lstrip("/")
        here = f"{path}:{line.lineno} imports"
        if file not in texts and _is_nowhere(file, texts, root):
            return f"{here} {file} for it, which is not there{_called(file, root)}"
        lost = [
            alias.name for alias in line.names if file in texts and not _may_have(texts[file], alias.name)
        ]
        if lost:
            return f"{here} {lost[0]} of {file} for it, which has none"
    return None


def _imports_for(function: ast.FunctionDef, name: str) -> Iterator[ast.ImportFrom]:
    """Yield the imports of the first branch that a function takes for a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.If) and name in _compared(node.test):
            yield from (line for line in node.body if isinstance(line, ast.ImportFrom))
            return


def _compared(test: ast.expr) -> tuple[str, ...]:
    """Return the words of which a condition asks whether something is one."""
    match test:
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            return (word,)
        case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple(elts=words) | ast.List(elts=words)]):
            return tuple(str(word.value) for word in words if isinstance(word, ast.Constant))
    return ()


def _may_have(text: str, name: str) -> bool:
    """Return whether a file binds a name, or may do so out of sight."""
    tree = tree_of(text)
    return (
        tree is None
        or any(mark in text for mark in ANY_NAME)
        or any(_binds(node, name) for node in ast.walk(tree))
    )


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.ClassDef(name=bound) | ast.FunctionDef(name=bound) | ast.Name(id=bound, ctx=ast.Store()):
            return bound == name
        case ast.alias(name=imported, asname=other):
            return name in (imported, other)
    return False


def _is_nowhere(file: str, texts: Mapping[str, str], root: Path) -> bool:
    """Return whether neither a file's folder has a module of its name, nor a folder of the same name."""
    stem = file.removesuffix(".py")
    end = "/".join(stem.split("/")[-2:])
    others = any(f"/{end}.py" in f"/{path}" or f"/{end}/" in f"/{path}" for path in texts)
    return not others and not is_there(root, stem)


def _called(file: str, root: Path) -> str:
    """Return what is there in a file's place, by another name: `network_swinir .py`."""
    folder, _, name = file.rpartition("/")
    bare = _bare(name)
    entries = sorted(entry.name for entry in (root / folder).iterdir())
    near = [entry for entry in entries if _bare(entry).startswith(bare)]
    return f': the file is called "{near[0]}"' if len(near) == 1 else ""


def _bare(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower()).removesuffix(".txt")
