# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a script's argparse parser takes, as its calls of add_argument say it, as plain values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from trainlint.repository.survey.constructor_signature import plain
from trainlint.repository.survey.module_scope import Found, Scopes
from trainlint.repository.survey.python_files import Files, TooMuchError

MOST_FLAGS: Final = 1000
"""Flags of one parser; timm's train.py has 170."""
IN_A_RELAY: Final = 2
"""Parsers of which one takes what the other leaves."""
TYPES: Final = ("int", "float", "str", "bool")
KEYWORDS: Final = ("prog", "description", "usage", "epilog", "formatter_class", "add_help", "exit_on_error")
"""What a parser may be made with and still take the flags that its calls say, and their beginnings."""
PASSIVE_METHODS: Final = (
    "parse_args", "print_help", "print_usage", "format_help", "error", "exit", "set_defaults",
    "add_argument", "add_argument_group", "add_mutually_exclusive_group",
)  # fmt: skip
"""What may be called on a parser without another flag being added out of sight."""


def parser_of(files: Files, path: str) -> dict[str, Any] | None:
    """Return a script's flags, {"flags": [...], "whole": bool}; None where no parser is found.

    `whole`: these are all its flags. Otherwise more may be added by code that is not followed; of the
    repository's modules what the script uses is read for further calls.
    """
    tree = files.tree(path) if path in files.texts else None
    if tree is None:
        return None
    parsers = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_parser(node)]
    flags = [flag for flag in _flags(tree) if flag is not None]
    whole = _all_closed(tree, parsers) and all(flag is not None for flag in _flags(tree))
    if not whole:
        with suppress(TooMuchError):  # what was found until then
            flags.extend(_added_elsewhere(files, path))
    if not parsers and not flags:
        return None
    if any(word.arg in (None, "fromfile_prefix_chars") for node in parsers for word in node.keywords):
        flags = [{**flag, "required": False} for flag in flags]  # a file may hold it
    return {"flags": flags[:MOST_FLAGS], "whole": whole and len(flags) <= MOST_FLAGS}


def _is_parser(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node).endswith("ArgumentParser")


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _all_closed(tree: ast.Module, parsers: list[ast.Call]) -> bool:
    """Return whether all flags of a file's parser are in plain sight.

    Two are one where the second takes what the first leaves: timm's first one reads --config alone.
    """
    relayed = set(_left_over(tree))
    if not relayed:
        return len(parsers) == 1 and _closed(tree, parsers[0])
    handed = {
        node.args[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _called(node) == "parse_args"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
    }
    return (
        len(parsers) == IN_A_RELAY
        and len(relayed) == 1
        and relayed == handed
        and all(_closed(tree, parser, relays=True) for parser in parsers)
    )


def _left_over(tree: ast.Module) -> Iterator[str]:
    """Yield the names of what parsers leave: `known, rest = parser.parse_known_args()`; "" without one."""
    named: dict[int, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=rest)])], value=ast.Call() as call):
                named[id(call)] = rest
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "parse_known_args":
            yield named.get(id(node), "")


def _closed(tree: ast.Module, parser: ast.AST, *, relays: bool = False) -> bool:
    """Return whether only calls in plain sight add to a parser; `relays`: what it leaves is parsed."""
    if (
        not isinstance(parser, ast.Call)
        or parser.args
        or any(word.arg not in KEYWORDS for word in parser.keywords)
    ):
        return False
    names = {"parser"} if _called(parser) != "ArgumentParser" else set[str]()
    uses = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (node.value is parser or _is_group(node.value)):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.For | ast.While | ast.comprehension | ast.AsyncFor):
            uses += sum(
                _called(call) == "add_argument" for call in ast.walk(node) if isinstance(call, ast.Call)
            )
        elif isinstance(node, ast.Call) and (
            _called(node) == "add_subparsers"
            or (_called(node) == "parse_known_args" and not relays)
            or _takes_the_rest(node)
        ):
            return False
    return (
        bool(names) and not uses and not any(_escapes(node, names, relays=relays) for node in ast.walk(tree))
    )


def _takes_the_rest(node: ast.Call) -> bool:
    """Return whether an argument is all that is left, flags of another program among it."""
    counts = (word.value for word in node.keywords if word.arg == "nargs")
    return any(ast.unparse(count) in ("REMAINDER", "argparse.REMAINDER", "'...'") for count in counts)


def _is_group(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) in PASSIVE_METHODS[-2:]


def _escapes(node: ast.AST, names: set[str], *, relays: bool) -> bool:
    """Return whether a parser is handed to code elsewhere, or asked for what is not known."""
    if isinstance(node, ast.Call):
        given = [*node.args, *(word.value for word in node.keywords)]
        return any(isinstance(part, ast.Name) and part.id in names for part in given)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
        return node.attr not in PASSIVE_METHODS and not (relays and node.attr == "parse_known_args")
    return isinstance(node, ast.Return) and isinstance(node.value, ast.Name) and node.value.id in names


def _added_elsewhere(files: Files, path: str) -> Iterator[dict[str, Any]]:
    """Yield the flags that the repository's other modules add: by what the script uses of them, at any depth.

    What is used under a question alone is not required.
    """
    scopes, seen = Scopes(files), {(path, "")}
    waiting: list[tuple[str, ast.AST, bool]] = [(path, node, False) for node in _trees(files, path)]
    while waiting:
        place, node, sometimes = waiting.pop(0)
        if place != path:
            flags = (flag for flag in _flags(node) if flag is not None)
            yield from ({**flag, "required": flag["required"] and not sometimes} for flag in flags)
        for target, doubtful in _used(scopes, place, node):
            known = target.path == path or (target.path, target.name) in seen
            if not known and "add_argument" in files.texts[target.path]:
                seen.add((target.path, target.name))
                parts = filter(_has_to_do_with_a_parser, _definitions(scopes, target))
                waiting += [(target.path, part, sometimes or doubtful) for part in parts]


def _used(scopes: Scopes, path: str, tree: ast.AST) -> Iterator[tuple[Found, bool]]:
    """Yield what of the repository a piece of a file uses, and whether under a question alone."""
    under = _under_a_question(tree)
    names: dict[tuple[str, str], bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            key = (node.id, "")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            key = (node.value.id, node.attr)
        else:
            continue
        names[key] = names.get(key, True) and id(node) in under
    for (name, attribute), doubtful in names.items():
        if name in scopes.bound(path):
            target = scopes.find(path, name)
            if target.kind == "module" and attribute:
                target = scopes.member(target, attribute)
            if target.kind == "own":
                yield target, doubtful


def _definitions(scopes: Scopes, target: Found) -> list[ast.AST]:
    """Return the functions and classes that a name is; the whole file where it is a variable."""
    nodes = scopes.bound(target.path).get(target.name, [])
    if all(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in nodes):
        return nodes
    return _trees(scopes.files, target.path)


def _has_to_do_with_a_parser(tree: ast.AST) -> bool:
    names = (getattr(node, "id", getattr(node, "attr", getattr(node, "arg", ""))) for node in ast.walk(tree))
    return any(name and ("parser" in name.lower() or name == "add_argument") for name in names)


def _trees(files: Files, path: str) -> list[ast.AST]:
    tree = files.tree(path)
    return [] if tree is None else [tree]


def _under_a_question(tree: ast.AST) -> set[int]:
    return {
        id(inner) for node in ast.walk(tree) if isinstance(node, ast.If | ast.Try) for inner in ast.walk(node)
    }


def _flags(tree: ast.AST) -> Iterator[dict[str, Any] | None]:
    """Yield each flag that a file or a part of it adds; None for one that cannot be read."""
    conditional = _under_a_question(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and _called(node) == "add_argument"
            and isinstance(node.func, ast.Attribute)
        ):
            yield _flag(node, sometimes=id(node) in conditional)


def _flag(node: ast.Call, *, sometimes: bool) -> dict[str, Any] | None:
    """Return one flag: {names, dest, action, type, choices, default, nargs, required}."""
    names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    words = {word.arg: word.value for word in node.keywords}
    if not names or len(names) != len(node.args) or None in words:
        return None
    long = [name for name in names if name.startswith("--")]
    dest = _text(words.get("dest")) or (long or names)[0].lstrip("-").replace("-", "_")
    kind = words.get("type")
    choices = plain(_literal(words.get("choices")))
    return {
        "names": names,
        "dest": dest,
        "positional": not names[0].startswith("-"),
        "action": _text(words.get("action")) if not isinstance(words.get("action"), ast.Attribute) else "?",
        "type": None if kind is None else kind.id if isinstance(kind, ast.Name) and kind.id in TYPES else "?",
        "choices": choices if isinstance(choices, list) else None,
        "default": plain(_literal(words.get("default"))),
        "nargs": plain(_literal(words.get("nargs"))),
        "required": not sometimes and _literal(words.get("required")) is True,
    }


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _literal(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
