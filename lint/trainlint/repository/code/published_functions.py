# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The functions that rules rest on, held against every published version of them.

A rule's `rests` names them: `function`, `Class.method`, or `*.method` for that of any class. A repository
that has a function of that name and of other code may do what the rule says is not done. The digests are in
published_functions.json (`python -m bench published_functions`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from trainlint.files.syntax_tree import tree_of
from trainlint.repository.survey.normal_form import Writer

TABLE: Final = Path(__file__).with_suffix(".json")
ANY_CLASS: Final = "*"


@cache
def published_functions() -> Mapping[str, Mapping[str, Collection[str]]]:
    """Return the digests by dialect and name."""
    table: dict[str, dict[str, list[str]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def own_function(rests: Iterable[str], dialect: str, files: Iterable[tuple[str, str]]) -> str | None:
    """Return the place of the first function in some files that a rule rests on and that was not published.

    `files` are paths with their code. None where all that are there were published, and where there is none:
    the trainer that is installed has it then.
    """
    known = published_functions().get(dialect, {})
    wanted = [name for name in rests if name in known]
    for path, text in files if wanted else ():
        for name in wanted:
            if f"def {name.rpartition('.')[2]}(" not in text:
                continue
            for line, digest in definitions(text, name):
                if digest not in known[name]:
                    return f"{name.removeprefix(f'{ANY_CLASS}.')} ({path}:{line})"
    return None


def definitions(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the line and digest of each definition of a function in a text."""
    owner, _, function = name.rpartition(".")
    tree = tree_of(text)
    for node in tree.body if tree is not None else ():
        if not owner:
            parts = [node]
        elif isinstance(node, ast.ClassDef) and owner in (ANY_CLASS, node.name):
            parts = node.body
        else:
            continue
        for part in parts:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name == function:
                yield part.lineno, Writer(_nowhere, owner or None).function(part).digest


def _nowhere(_: ast.expr) -> None:
    """Names are written as they are: what they lead to is another function's matter."""
