# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write lint/trainlint/documents/call_signatures.json: what classes of trl, peft and transformers take.

    python -m bench call_signatures WHEELS

WHEELS is a folder of unpacked wheels, each in LIBRARY-VERSION, one of each minor release:
`pip download --no-deps trl==1.16.0` and `unzip`. They are read, not imported.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench import ROOT
from bench.commands import parser_of

TARGET = ROOT / "lint" / "trainlint" / "documents" / "call_signatures.json"
OBJECTIVES: Final = ("SFT", "DPO", "ORPO", "KTO", "CPO", "GRPO", "RLOO", "Reward")
CLASSES: Final = {
    "trl": tuple(f"{objective}{kind}" for objective in OBJECTIVES for kind in ("Config", "Trainer")),
    "peft": ("LoraConfig",),
    "transformers": ("Trainer", "TrainingArguments", "Seq2SeqTrainer", "Seq2SeqTrainingArguments"),
}
"""The classes of a training that is written out as calls."""
FOLDERS: Final = {"trl": ("trainer", "experimental"), "peft": (".",), "transformers": (".",)}
"""Where they are written."""
ANY: Final = "**"
"""Stands for every argument, where a constructor takes `**kwargs`."""

Release = tuple[int, int]


class Library:
    """The classes of one release, by the text of its files."""

    def __init__(self, folder: Path, library: str) -> None:
        self.library = library
        self.classes: dict[str, ast.ClassDef] = {}
        for inner in FOLDERS[library]:
            for path in sorted((folder / library / inner).rglob("*.py")):
                for node in ast.parse(path.read_text("utf-8")).body:
                    if isinstance(node, ast.ClassDef):
                        self.classes.setdefault(node.name, node)
        start = (folder / library / "__init__.py").read_text("utf-8")
        self.exported = _words(start) & self.classes.keys()

    def arguments(self, name: str) -> Iterator[str]:
        """Yield what a constructor takes; of a class of another library's `library.Class`."""
        node = self.classes.get(name)
        if node is None:
            if name in ("TrainingArguments", "Trainer"):
                yield f"transformers.{name}"
            return
        constructor = next((part for part in node.body if _is_constructor(part)), None)
        if isinstance(constructor, ast.FunctionDef):
            yield from _of_constructor(constructor)
            return
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and _is_field(part):
                yield part.target.id
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id != name:
                yield from self.arguments(base.id)


def _words(text: str) -> set[str]:
    tree = ast.parse(text)
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    return {word for word in texts if isinstance(word, str)} | imported


def _is_constructor(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _of_constructor(node: ast.FunctionDef) -> Iterator[str]:
    """Yield a constructor's arguments, and those that a decorator of transformers' still takes."""
    given = node.args
    yield from (word.arg for word in [*given.posonlyargs, *given.args][1:] + given.kwonlyargs)
    if given.kwarg is not None:
        yield ANY
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "deprecate_kwarg":
            yield ast.literal_eval(decorator.args[0])


def _is_field(part: ast.AnnAssign) -> bool:
    return "ClassVar" not in ast.unparse(part.annotation) and not (
        part.value is not None and "init=False" in ast.unparse(part.value)
    )


def releases(folder: Path, library: str) -> dict[Release, Library]:
    """Return the unpacked wheels of a library, oldest first."""
    paths = {_release(path.name.partition("-")[2]): path for path in folder.glob(f"{library}-*")}
    return {release: Library(paths[release], library) for release in sorted(paths)}


def _release(version: str) -> Release:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def table(folder: Path) -> dict[str, Any]:
    """Return library -> the releases that were read, and what each class takes in which of them."""
    whole: dict[str, Any] = {}
    for library, names in CLASSES.items():
        read = releases(folder, library)
        whole[library] = {
            "releases": " ".join(map(_said, read)),
            "classes": {name: _class(read, name) for name in names},
        }
    return whole


def _class(read: Mapping[Release, Library], name: str) -> dict[str, str]:
    """Return range of releases -> arguments; "" is the range of the class itself, which "is" names."""
    order = list(read)
    having = [release for release in order if name in read[release].exported]
    taken: dict[str, list[Release]] = {}
    for release in having:
        for argument in dict.fromkeys(read[release].arguments(name)):
            taken.setdefault(argument, []).append(release)
    grouped: dict[str, list[str]] = {"is": _ranges(having, order)}
    for argument, those in taken.items():
        grouped.setdefault("" if those == having else " ".join(_ranges(those, order)), []).append(argument)
    return {ranges: " ".join(sorted(arguments)) for ranges, arguments in grouped.items()}


def _ranges(having: list[Release], order: list[Release]) -> list[str]:
    """Return runs of releases as SINCE-BEFORE, with nothing where the table begins or ends."""
    ranges: list[list[str]] = []
    for index, release in enumerate(order):
        if release not in having:
            continue
        if index and order[index - 1] in having and ranges:
            continue
        ending = next((later for later in order[index:] if later not in having), None)
        ranges.append([_said(release) if index else "", _said(ending) if ending else ""])
    return ["-".join(pair) for pair in ranges]


def _said(release: Release) -> str:
    return f"{release[0]}.{release[1]}"


def main() -> None:
    """Write the table, a class a line."""
    parser = parser_of(__doc__)
    parser.add_argument("wheels", type=Path)
    parts = []
    for library, known in table(parser.parse_args().wheels).items():
        rows = (f"   {json.dumps(name)}: {json.dumps(taken)}" for name, taken in known["classes"].items())
        written = ",\n".join(rows)
        parts.append(
            f'{json.dumps(library)}: {{\n  "releases": {json.dumps(known["releases"])},\n'
            f'  "classes": {{\n{written}\n  }}\n }}'
        )
    TARGET.write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")
