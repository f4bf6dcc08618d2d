# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys by whose value a trainer chooses in a chain of conditions that ends in an error."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import tree_of
from trainlint.repository.trainer.mentioned_words import Words

OPEN = later(r"\bgetattr\(|import_module|\beval\(|\bglobals\(|\blocals\(|__dict__|(?i:registry)|instantiate")
"""What looks a name up, so that a choice is not in the function's own text."""
_DEFINED = later(r"(?m)^([ \t]*)(?:async )?def \w+")


def is_ignored(words: Words, key: str) -> bool:
    """Return whether a key is only ever read into names that nothing asks for."""
    read = _read(key)
    bodies = [body for text in words.code for body in _reading(text, read)]
    return bool(bodies) and all(_forgets(body, read) for body in bodies)


def _forgets(body: str, read: re.Pattern[str]) -> bool:
    for match in read.finditer(body):
        line = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        name = re.match(r"\s*(\w+)\s*=[^=]", line)
        if name is None or len(re.findall(rf"\b{name[1]}\b(?!['\"])", body)) > 1:
            return False
    return True


def _read(key: str) -> re.Pattern[str]:
    quoted = rf"""['"]{re.escape(key)}['"]"""
    return re.compile(rf"\[\s*{quoted}\s*\]|\.(?:get|pop)\(\s*{quoted}")


def is_closed(words: Words, key: str) -> bool:
    """Return whether a function chooses by a key and raises for the rest, and none chooses otherwise."""
    read = _read(key)
    bodies = dict.fromkeys(body for text in words.code for body in _reading(text, read))
    chains = [count for body in bodies if (count := _conditions(body, key, read))]
    if any(OPEN.search(body) for body in bodies):
        return False
    return any(raises for _, raises in chains) and all(raises or number == 1 for number, raises in chains)


def _reading(text: str, read: re.Pattern[str]) -> Iterator[str]:
    """Yield the functions of a text that read a key."""
    for match in read.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        indent = len(text[line:].expandtabs()) - len(text[line:].expandtabs().lstrip())
        around = [
            definition
            for definition in _DEFINED.finditer(text, 0, line)
            if len(definition[1].expandtabs()) < indent
        ]
        if around:
            start = around[-1]
            end = re.compile(rf"(?m)^[ \t]{{0,{len(start[1])}}}\S").search(text, start.end())
            yield text[start.start() : end.start() if end else len(text)]


def _conditions(body: str, key: str, read: re.Pattern[str]) -> tuple[int, bool] | None:
    """Return how often a function compares a key's value with words, and whether it raises after the last."""
    names = re.findall(rf"(?m)^\s*(\w+)\s*=[^=\n]*(?:{read.pattern})", body)
    value = "|".join([*map(re.escape, names), rf"""\[\s*['"]{re.escape(key)}['"]\s*\]"""])
    compared = list(
        re.finditer(rf"""(?:\b|(?<=\])|(?=\[))(?:{value})[.\w()]*\s*(?:==|\bin\b)\s*[\[('"]""", body)
    )
    if not compared:
        return None
    return len(compared), re.search(r"(?m)^\s*raise\b", body[compared[-1].end() :]) is not None


def looked_up(words: Words, key: str, within: str | None) -> str | None:
    """Return where a key's value, of a mapping where many have one, is looked up in what has more names."""
    for path, text in words.training:
        if key not in text:
            continue
        tree = tree_of(text)
        for function in ast.walk(tree) if tree is not None else ():
            if (
                isinstance(function, ast.FunctionDef)
                and (line := _looks_up(function, key, within)) is not None
            ):
                return f"{path}:{line}"
    return None


def _looks_up(function: ast.FunctionDef, key: str, within: str | None) -> int | None:
    """Return the line on which a function looks up what a key has."""
    names = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _has_read(node.value, key, within)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(function):
        match node:
            case (
                ast.Call(func=ast.Name(id="getattr" | "hasattr" | "eval" | "__import__"), args=args)
                | ast.Call(func=ast.Attribute(attr="import_module"), args=args)
            ):
                asked: list[ast.expr] = args
            case (
                ast.Subscript(value=ast.Name(), slice=ast.Name() as name)
                | ast.Call(func=ast.Attribute(value=ast.Name(), attr="get"), args=[ast.Name() as name, *_])
            ):
                asked = [name]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name()]):
                asked = [left]
            case _:
                continue
        if any(_uses(part, names, key, within) for part in asked):
            return node.lineno
    return None


def _uses(node: ast.expr, names: Collection[str], key: str, within: str | None) -> bool:
    inner = ast.walk(node)
    return _has_read(node, key, within) or any(
        isinstance(part, ast.Name) and part.id in names for part in inner
    )


def _has_read(node: ast.AST, key: str, within: str | None) -> bool:
    """Return whether an expression reads a key, of one mapping where that is given."""
    for part in ast.walk(node):
        match part:
            case (
                ast.Subscript(value=mapping, slice=ast.Constant(value=name))
                | ast.Call(
                    func=ast.Attribute(value=mapping, attr="get" | "pop"),
                    args=[ast.Constant(value=name), *_],
                )
            ):
                if name == key and (within is None or _key_of(mapping) == within):
                    return True
    return False


def _key_of(mapping: ast.expr) -> str | None:
    match mapping:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return None
