# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network's signature, read without torch: which arguments it takes, of what type, with which defaults.

A network's file (under a folder `networks` of the zoo) imports torch, so it is parsed, not imported. It says
in a literal dict which names it builds:
`BUILDERS = {"RRDBNet": "RRDBNet", "trainner-redux:esrgan": "esrgan"}`. A preset is described there
by what it is of, its own defaults and, where there are any, the arguments that it does not take:
`("FDAT", {"embed_dim": 96}, ["mid_dim"])`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from trainlint.annotation import describe, fits, shown
from trainlint.errors import UsageError
from trainlint.zoo import libraries
from trainlint.zoo.packages import NETWORKS, files

Positive = Annotated[int, "positive"]
"""An integer of at least 1: how network files annotate widths, depths and scales."""

_MISSING = object()
_TABLE = re.compile(r"^BUILDERS[^=\n]*= (?:\{[^\n]*\}|\{\n.*?^\})$", re.MULTILINE | re.DOTALL)
"""A file's BUILDERS, on one line or closed by a brace on a line of its own."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where an architecture is built: the file, the class or function in it; a preset's own defaults."""

    file: Path
    name: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    lacking: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Param:
    """One argument: its annotation as an expression (None: anything goes) and its default.

    A default that is no literal (`8 / 3`, a name) is not `readable`; it is None here.
    """

    name: str
    annotation: ast.expr | None
    default: Any = None
    required: bool = False
    readable: bool = True

    @property
    def expected(self) -> str:
        """The annotation in words: "a positive integer", "a list of integers"."""
        return describe(self.annotation)

    def accepts(self, value: Any) -> bool:
        """Tell whether the constructor can work with this value."""
        return fits(self.annotation, value)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a network's constructor takes; `open` when it swallows every other keyword."""

    arch: str
    params: Mapping[str, Param]
    open: bool

    @property
    def defaults(self) -> dict[str, Any]:
        """Name -> default of every argument that has one that can be read."""
        return {name: p.default for name, p in self.params.items() if p.readable and not p.required}

    def problems(self, args: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return (argument, message) for all that would make the constructor fail on `args`."""
        return [*self._unknown(args), *self._missing(args), *self._mistyped(args)]

    def _unknown(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name in args if not self.open else ():
            if name not in self.params:
                near = difflib.get_close_matches(str(name), self.params, 1, 0.8)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                yield str(name), f'{self.arch} takes no argument "{name}"{hint}'

    def _missing(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, param in self.params.items():
            if param.required and name not in args:
                yield name, f'{self.arch} needs the argument "{name}" ({param.expected})'

    def _mistyped(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, value in args.items():
            param = self.params.get(name)
            if param and not param.accepts(value):
                yield name, f"{name} must be {param.expected}, is {shown(value)}"


def locate(dialect: str, arch: str, extra: Sequence[Path] = ()) -> Location | None:
    """Find who builds `arch`; the dialect's own spelling ("kair:rrdbnet") before the bare one, `extra` first.

    `extra` are network files or folders of them, named by the user.
    """
    for name in (f"{dialect}:{arch}", arch):
        for file in _files(tuple(extra)):
            builders = _builders(file, name)
            if name in builders:
                found = builders[name]
                return Location(file, found) if isinstance(found, str) else Location(file, *found)
    return None


def signature(dialect: str, arch: str, extra: Sequence[Path] = ()) -> Signature | None:
    """Read the signature behind `arch`; None for a network nobody knows."""
    location = locate(dialect, arch, extra)
    return _preset(_read(arch, location.file, location.name), location) if location else None


def _preset(published: Signature, location: Location) -> Signature:
    """Return the signature with a preset's defaults in it."""
    changed = {
        name: replace(published.params[name], default=value, required=False, readable=True)
        for name, value in location.defaults.items()
    }
    params = {
        name: changed.get(name, param)
        for name, param in published.params.items()
        if name not in location.lacking
    }
    return replace(published, params=params)


@cache
def _files(extra: tuple[Path, ...]) -> tuple[Path, ...]:
    given = [sorted(path.glob("*.py")) if path.is_dir() else [path] for path in extra]
    return (*(file for folder in given for file in folder), *files(NETWORKS))


@cache
def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f'cannot read the network file "{file}": {error}') from error


@cache
def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(_text(file))
    except (SyntaxError, ValueError) as error:
        raise UsageError(f'the network file "{file}" is not valid Python: {error}') from error


@cache
def _builders(file: Path, name: str) -> Mapping[str, str]:
    """Return BUILDERS of a file that quotes `name` somewhere (text is searched first: parsing is slow)."""
    if f'"{name}"' not in _text(file) and f"'{name}'" not in _text(file):
        return {}
    builders = _constants(file).get("BUILDERS", {})
    return builders if isinstance(builders, dict) else {}


@cache
def architectures(dialect: str) -> frozenset[str]:
    """Return every name under which a network is known in a dialect, its own spelling and the bare ones."""
    names = {*libraries.names(), *(name for file in _files(()) for name in _named(file))}
    own = {name.partition(":")[2] for name in names if name.startswith(f"{dialect}:")}
    return frozenset(own | {name for name in names if ":" not in name})


def _named(file: Path) -> Iterator[str]:
    """Yield the names in a file's BUILDERS, of which alone the text is parsed: whole files take a second."""
    found = _TABLE.search(_text(file))
    node = ast.parse(found[0]).body[0] if found else None
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
        keys = (key.value for key in node.value.keys if isinstance(key, ast.Constant))
        yield from (key for key in keys if isinstance(key, str))


@cache
def _constants(file: Path) -> Mapping[str, Any]:
    """Return a file's module-level names that are literals."""
    found: dict[str, Any] = {}
    for node in _tree(file).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _literal(value, {})
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = _literal(value, {})
    return {name: value for name, value in found.items() if value is not _MISSING}


def _literal(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return _MISSING


@cache
def _read(arch: str, file: Path, name: str) -> Signature:
    definitions = {n.name: n for n in _tree(file).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    function = _constructor(name, definitions)
    if function is None:
        raise UsageError(f'the network file "{file}" names "{name}" in BUILDERS but does not define it')
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [
        *zip(plain, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    params = {a.arg: _param(a, d, _constants(file)) for a, d in pairs if a.arg != "self"}
    return Signature(arch, params, open=arguments.kwarg is not None)


def _constructor(
    name: str, definitions: Mapping[str, ast.FunctionDef | ast.ClassDef]
) -> ast.FunctionDef | None:
    """Return the function, or the class's __init__ (its own or that of a base in the same file)."""
    node = definitions.get(name)
    if not isinstance(node, ast.ClassDef):
        return node
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and child.name == "__init__":
            return child
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in definitions]
    return _constructor(bases[0], definitions) if bases else None


def _param(argument: ast.arg, default: ast.expr | None, names: Mapping[str, Any]) -> Param:
    annotation = argument.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if default is None:
        return Param(argument.arg, annotation, required=True)
    value = _literal(default, names)
    if value is _MISSING:
        return Param(argument.arg, annotation, readable=False)
    return Param(argument.arg, annotation, value)
