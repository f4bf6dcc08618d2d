# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Each use of an option's key in a Python text, with what is asked before it; nothing of the text is run."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.repository.survey.passive_statements import passive

ANY_KEY: Final = "any key"
"""What a key is called that is no constant: `opt[name] = value`, `opt.update(more)`."""
DIGEST_DIGITS: Final = 10
"""Hexadecimal digits of a digest, 40 bits: who forges one deceives trainlint about their own tree."""
OPTIONS: Final = later(r"(?:\w*_)?(?:opts?|options?|cfg|conf|config|dataset|args|params)(?:_\w+)?")
"""What options are called in code."""
SETTERS: Final = ("update", "setdefault", "__setitem__", "merge_from_file", "merge_from_list")
IGNORED: Final = ("ctx", "kind", "type_comment", "type_params", "annotation", "returns")
BRANCHING: Final = (
    ast.BoolOp,
    ast.IfExp,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
"""Expressions of which a part may not be come to."""


Conditions = tuple[ast.AST | str, ...]


class Use(Struct, frozen=True):
    """A use of a key: `reads` where it stops without the key, `sets` where that gets another value.

    `surely`: nothing in its function is asked before. `within` is the key of the mapping, where it has one.
    `drops`: that has the key no longer.
    """

    key: str
    line: int
    digest: str
    reads: bool
    sets: bool
    surely: bool
    within: str | None
    drops: bool = False


class _Mention(NamedTuple):
    key: str
    line: int
    plain: bool
    reads: bool = False
    sets: bool = False
    within: str | None = None
    drops: bool = False


def uses(tree: ast.Module, keys: Collection[str]) -> Iterator[Use]:
    """Yield the uses of some keys, `ANY_KEY` among them where that is asked for."""
    for node, conditions in _parts(tree.body, ()):
        mentions = [mention for mention in _keys_in(node) if mention.key in keys]
        digest = _digest((*conditions, node)) if mentions else ""
        for key, line, plain, reads, sets, within, drops in mentions:
            surely, inner = plain and not conditions, within or _looped(conditions)
            yield Use(key, line, digest, reads, sets, surely, inner, drops)


def _looped(conditions: Conditions) -> str | None:
    """Return the key of the mapping that a loop goes through: `for k, v in opt["datasets"].items()`."""
    loops = [part for word, part in pairwise(conditions) if word == "for"]
    match loops[-1:]:
        case [ast.Call(func=ast.Attribute(value=value, attr="items" | "keys"))]:
            return _last_key(value)
    return None


Part = tuple[ast.AST, Conditions]
"""A simple statement or the head of another, with what is asked before."""


def _parts(body: list[ast.stmt], conditions: Conditions) -> Iterator[Part]:
    for node in body:
        if passive(node):
            continue
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.args, conditions
                yield from _parts(node.body, ())
            case ast.ClassDef():
                yield from _parts(node.body, ())
            case ast.With(items=items) | ast.AsyncWith(items=items):
                yield from ((item, conditions) for item in items)
                yield from _parts(node.body, conditions)
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor() | ast.Try() | ast.Match():
                yield from _branches(node, conditions)
            case _:
                yield node, conditions


def _branches(node: ast.stmt, conditions: Conditions) -> Iterator[Part]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
            yield test, conditions
            yield from _parts(body, (*conditions, test))
            yield from _parts(orelse, (*conditions, "not", test))
        case (
            ast.For(iter=items, body=body, orelse=orelse) | ast.AsyncFor(iter=items, body=body, orelse=orelse)
        ):
            yield items, conditions
            yield from _parts(body, (*conditions, "for", items))
            yield from _parts(orelse, conditions)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
            yield from _parts(body, (*conditions, "try"))
            for handler in handlers:
                yield from _parts(handler.body, (*conditions, "except"))
            yield from _parts([*orelse, *last], conditions)
        case ast.Match(subject=subject, cases=cases):
            yield subject, conditions
            for case in cases:
                yield case.pattern, conditions
                yield from _parts(case.body, (*conditions, subject, case.pattern))


def _keys_in(node: ast.AST, plain: bool = True) -> Iterator[_Mention]:
    """Yield every text in a statement; `plain` is whether that is always come to."""
    mentions, rest = _at(node, plain)
    yield from mentions
    for inner in rest:
        yield from _keys_in(inner, plain and not isinstance(node, BRANCHING))


def _at(node: ast.AST, plain: bool) -> tuple[Iterable[_Mention], Iterable[ast.AST]]:
    """Return the keys that a node itself mentions, and what is left of it."""
    match node:
        case ast.Constant(value=str(key)):
            return [_Mention(key, node.lineno, plain)], ()
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key)), ctx=context):
            reads, sets = (
                isinstance(context, ast.Load),
                isinstance(context, ast.Store) and _are_options(value),
            )
            drops = isinstance(context, ast.Del)
            return [_Mention(key, node.lineno, plain, reads, sets, _last_key(value), drops)], (value,)
        case ast.Call(
            func=ast.Attribute(value=value, attr="get" | "pop" | "setdefault" as method),
            args=[ast.Constant(value=str(key)), *others],
        ):
            reads, sets = method == "pop" and not others, method == "setdefault" and _are_options(value)
            drops = method == "pop"
            return [_Mention(key, node.lineno, plain, reads, sets, _last_key(value), drops)], (value, *others)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            return (), [part for part in (left, right) if not isinstance(part, ast.Constant)]
    return _of_calls(node, plain), ast.iter_child_nodes(node)


def _of_calls(node: ast.AST, plain: bool) -> Iterator[_Mention]:
    if _sets_any(node):
        yield _Mention(ANY_KEY, getattr(node, "lineno", 1), plain, sets=True, within=_of_any(node))
    for word in node.keywords if isinstance(node, ast.Call) and _makes_mapping(node.func) else ():
        if word.arg:
            yield _Mention(word.arg, word.lineno, plain, sets=_updates_options(node))


def _updates_options(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _are_options(node.func.value)
    )


def _last_key(node: ast.expr) -> str | None:
    """Return the key by which a mapping is got: "train" of `opt["train"]`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return None


def _makes_mapping(function: ast.expr) -> bool:
    """Return whether a call's keywords are keys of a mapping: `dict(lr=1)`, `opt.update(lr=1)`."""
    return (isinstance(function, ast.Name) and function.id == "dict") or (
        isinstance(function, ast.Attribute) and function.attr == "update"
    )


def _sets_any(node: ast.AST) -> bool:
    """Return whether options get a key that is no constant."""
    match node:
        case ast.Subscript(value=value, slice=inner, ctx=ast.Store()) if not isinstance(inner, ast.Constant):
            return _are_options(value)
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in SETTERS:
            return _are_options(value)
    return False


def _of_any(node: ast.AST) -> str | None:
    """Return the key of the mapping that gets a key which is no constant: "train" of `opt["train"][key]`."""
    match node:
        case ast.Subscript(value=value) | ast.Call(func=ast.Attribute(value=value)):
            return _last_key(value)
    return None


def _are_options(node: ast.AST) -> bool:
    """Return whether a value is called as options are: `opt`, `self.opt['train']`."""
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return OPTIONS.fullmatch(name) is not None


def _digest(parts: tuple[ast.AST | str, ...]) -> str:
    words = [word for part in parts for word in ([part] if isinstance(part, str) else _words(part))]
    return hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()[:DIGEST_DIGITS]


def _words(node: ast.AST) -> Iterator[str]:
    """Yield a node's words, the same in every version of Python."""
    yield type(node).__name__
    for name, value in ast.iter_fields(node):
        if name in IGNORED or value is None or value == []:
            continue
        for item in value if isinstance(value, list) else [value]:
            yield from _words(item) if isinstance(item, ast.AST) else (f"{name}={item!r}",)
    yield ")"
