# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""All that trainlint ships, read from its files, and its expressions compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, json

from trainlint.catalogue.zoo import generated_tables, listed_names
from trainlint.catalogue.zoo.packages import OWN
from trainlint.dialects import Dialect
from trainlint.dialects.load.dialect_files import kept_schema, load_dialect, whole_schema
from trainlint.dialects.schema.binding import Binding, Derivation, Term
from trainlint.dialects.schema.document_expression import VARIABLES
from trainlint.dialects.schema.schema_walk import subschemas
from trainlint.estimate.speed import rate_factors
from trainlint.expressions.cel import MATCHES_EXPRESSION, Expression, believed, engine
from trainlint.hardware.hardware_tables import GPUS, shipped_tables
from trainlint.judge.message_template import Template
from trainlint.judge.rule_files.rule_file import load_rule, without_examples
from trainlint.shipped import compiled
from trainlint.shipped.compiled import Shipped
from trainlint.shipped.resource_paths import PACKAGE, resource
from trainlint.tape import provenance


def wheel_files() -> Mapping[str, bytes]:
    """Return what a wheel has of what is made here: paths of files in the wheel -> their contents."""
    in_package = {
        compiled.BUILT_DATA.name: compiled.encoded(shipped_data()),
        compiled.BUILT_FORMS.name: compiled.built_forms(shipped_forms(), engine()),
        listed_names.KEPT_NAMES: json.encode(listed_names.listed()),
        provenance.KEPT_SOURCES: json.encode(provenance.shipped_sources()),
    }
    in_zoo = {name: text.encode() for name, text in generated_tables.tables().items()}
    return {
        **{f"{PACKAGE.name}/{name}": content for name, content in in_package.items()},
        **{f"{OWN}/{name}": content for name, content in in_zoo.items()},
    }


def shipped_data() -> Shipped:
    """Read the shipped rules, dialects and tables from their files."""
    return Shipped(
        rules={path.stem: without_examples(path) for path in _rules()},
        schemas={path.stem: kept_schema(schema) for path, schema in _whole() if compiled.is_plain(schema)},
        tables={GPUS: shipped_tables(), rate_factors.NAME: rate_factors.shipped_factors()},
        expressions=frozenset(expression.key for expression in _expressions()),
    )


def shipped_forms() -> Mapping[str, bytes]:
    """Compile all expressions that are shipped: key -> form."""
    return {expression.key: expression.serialized() for expression in _expressions()}


def _expressions() -> Iterator[Expression]:
    """Yield the expressions of the shipped rules and dialects, and our own."""
    for path in _rules():
        yield from _of_rule(load_rule(path, checked=False).all_parts())
    for path in _schemas():
        for text in _of_dialect(load_dialect(path, "shipped", checked=False)):
            yield believed(text, VARIABLES)
    yield MATCHES_EXPRESSION


def _rules() -> Sequence[Path]:
    return sorted(resource("rules").glob("*.yaml"))


def _whole() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    return ((path, whole_schema(path)) for path in _schemas())


def _schemas() -> Sequence[Path]:
    return sorted(resource("schemas").glob("*.json"))


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
