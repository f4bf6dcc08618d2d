# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compiling all that trainlint ships at once, so that the runs after this one need not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from trainlint import compiled
from trainlint.cel import MATCHES, Expression, engine
from trainlint.estimate.speed import factors
from trainlint.hardware.tables import GPUS, shipped_tables
from trainlint.judge.rule_file import load_rule, without_examples
from trainlint.judge.template import Template
from trainlint.normalise import Dialect, load_dialects
from trainlint.normalise.binding import Binding, Derivation, Term
from trainlint.normalise.dialect_files import whole_schema
from trainlint.normalise.expression import expression
from trainlint.normalise.schema import subschemas
from trainlint.resources import resource


def compile_all() -> None:
    """Read and compile the shipped rules, dialects and tables, and keep them."""
    made = [one for path in _rules() for one in _of_rule(load_rule(path, checked=False).all_parts())]
    made += [expression(text) for dialect in load_dialects() for text in _of_dialect(dialect)]
    made.append(MATCHES)
    compiled.keep_all(shipped_data(), {one.key: one.serialized() for one in made}, engine())


def shipped_data() -> Mapping[str, Mapping[str, Any]]:
    """Read the shipped rules, dialects and tables from their files."""
    return {
        "rules": {path.stem: without_examples(path) for path in _rules()},
        "schemas": {path.stem: whole_schema(path) for path in sorted(resource("schemas").glob("*.json"))},
        "tables": {GPUS: shipped_tables(), factors.NAME: factors.shipped_factors()},
    }


def _rules() -> Sequence[Path]:
    return sorted(resource("rules").glob("*.yaml"))


def _of_rule(part: Any) -> Iterator[Expression]:
    """Yield every expression in the parts of a rule, wherever it is."""
    if isinstance(part, Expression):
        yield part
    elif isinstance(part, Template):
        yield from _of_rule(part.parts)
    elif isinstance(part, Struct):
        for name in part.__struct_fields__:
            yield from _of_rule(getattr(part, name))
    elif isinstance(part, dict | tuple):
        for item in part.values() if isinstance(part, dict) else part:
            yield from _of_rule(item)


def _of_dialect(dialect: Dialect) -> Iterator[str]:
    """Yield the text of every expression in a dialect."""
    conditions = [dialect.recognition.when, *(skip.when for skip in dialect.skips)]
    for variant in dialect.variants:
        conditions += [variant.when, *(text for _, text in variant.set)]
    parts: list[Binding | Derivation | Term] = [*dialect.derive]
    for schema in subschemas(dialect.schema):
        parts += [*dialect.bindings(schema), *dialect.terms(schema)]
    for part in parts:
        conditions += [part.when, getattr(part, "value", None), getattr(part, "role", None)]
    yield from filter(None, conditions)
