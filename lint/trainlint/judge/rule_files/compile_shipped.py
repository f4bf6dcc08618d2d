# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compiling all that trainlint ships at once, so that the runs after this one need not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from trainlint.dialects import Dialect, load_dialects
from trainlint.dialects.load.dialect_files import whole_schema
from trainlint.dialects.schema.binding import Binding, Derivation, Term
from trainlint.dialects.schema.document_expression import expression
from trainlint.dialects.schema.schema_walk import subschemas
from trainlint.estimate.speed import rate_factors
from trainlint.expressions.cel import MATCHES, Expression, engine
from trainlint.hardware.hardware_tables import GPUS, shipped_tables
from trainlint.judge.message_template import Template
from trainlint.judge.rule_files.rule_file import load_rule, without_examples
from trainlint.shipped import compiled
from trainlint.shipped.resource_paths import resource


def compile_all() -> None:
    """Read and compile the shipped rules, dialects and tables, and keep them."""
    expressions = [part for path in _rules() for part in _of_rule(load_rule(path, checked=False).all_parts())]
    expressions += [expression(text) for dialect in load_dialects() for text in _of_dialect(dialect)]
    expressions.append(MATCHES)
    compiled.keep_all(
        shipped_data(),
        {compiled_expression.key: compiled_expression.serialized() for compiled_expression in expressions},
        engine(),
    )


def shipped_data() -> Mapping[str, Mapping[str, Any]]:
    """Read the shipped rules, dialects and tables from their files."""
    return {
        "rules": {path.stem: without_examples(path) for path in _rules()},
        "schemas": {path.stem: whole_schema(path) for path in sorted(resource("schemas").glob("*.json"))},
        "tables": {GPUS: shipped_tables(), rate_factors.NAME: rate_factors.shipped_factors()},
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
