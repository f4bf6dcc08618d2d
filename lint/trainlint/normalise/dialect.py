"""A dialect: one JSON Schema that says how a trainer's configs look and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.protocols import Validator

from trainlint.errors import RuleError, UnreadableError
from trainlint.normalise.binding import Binding, Derivation, Term, bindings, derivations, terms
from trainlint.normalise.bounded import check_bounded, target
from trainlint.normalise.expression import expression
from trainlint.normalise.schema import Schema, subschemas
from trainlint.normalise.strict import strict_validator
from trainlint.read.jsonc import parse_json
from trainlint.read.limits import FOREIGN_BYTES
from trainlint.read.source import regular_bytes, source_of
from trainlint.resources import resource
from trainlint.trainer import Signs

LOADERS: Final = ("pyyaml", "omegaconf", "msgspec", "json", "toml", "argparse")
"""How the trainer reads its file; it decides what a bare `1e-4` is."""

UNKNOWN: Final = ("reject", "ignore", "unused")
"""What the trainer does with a key it does not know."""

DIVISORS: Final = ("processes", "named")
"""By what a trainer divides the batch of all GPUs when it was launched."""

ANNOTATION: Final = "x-trainlint"


@dataclass(frozen=True, slots=True)
class Recognition:
    """How to tell that a document speaks a dialect; `priority` decides where several claim it."""

    when: str | None = None
    files: tuple[str, ...] = ("*",)
    scripts: tuple[str, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several readings of a document: fields it sets (expressions) and what it checks besides."""

    name: str
    when: str | None = None
    set: tuple[tuple[str, str], ...] = ()
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class Launching:
    """How a trainer's option files are started on several GPUs, where the file itself does not say.

    `divides_by` is what a trainer whose batch is that of all GPUs divides it by under a launcher: its
    "processes", or the GPUs that the config has "named".
    """

    launchers: tuple[str, ...]
    source: str
    divides_by: str = "processes"


@dataclass(frozen=True)
class Dialect:
    """A dialect as loaded; `schema` is the whole JSON Schema, annotations included."""

    id: str
    title: str
    loader: str
    formats: tuple[str, ...]
    unknown: str
    recognition: Recognition
    derive: tuple[Derivation, ...]
    variants: tuple[Variant, ...]
    skips: tuple[tuple[str, str], ...]
    schema: Schema
    trainer: Signs
    launching: Launching | None = None
    """None where a launcher is part of the command that is read, or the trainer knows none."""

    @cached_property
    def validator(self) -> Validator:
        """The jsonschema validator of this dialect (integers strict, tuples are lists)."""
        return strict_validator()(self.schema)

    @cached_property
    def defaults_flag(self) -> str | None:
        """The argument that names a file of defaults for all others."""
        named = (name for name, part in self.schema.get("properties", {}).items() if part.get("x-defaults"))
        return next(named, None)

    @cached_property
    def _bindings(self) -> dict[int, tuple[Binding, ...]]:
        return {id(part): tuple(bindings(part)) for part in subschemas(self.schema) if "x-spec" in part}

    def bindings(self, part: Schema) -> tuple[Binding, ...]:
        """Return the fields that a subschema of this dialect fills."""
        return self._bindings.get(id(part), ())

    @cached_property
    def _terms(self) -> dict[int, tuple[Term, ...]]:
        return {id(part): tuple(terms(part)) for part in subschemas(self.schema) if "x-uncounted" in part}

    def terms(self, part: Schema) -> tuple[Term, ...]:
        """Return the terms of memory that a subschema of this dialect says are not counted."""
        return self._terms.get(id(part), ())

    def valid(self, part: Schema, value: Any) -> bool:
        """Tell whether a value satisfies a subschema of this dialect."""
        return bool(self.validator.evolve(schema=part).is_valid(value))


def load_dialects(extra: Sequence[Path] = ()) -> tuple[Dialect, ...]:
    """Load the dialects that trainlint ships and those of `extra` (files or folders); later ids win."""
    found: dict[str, Dialect] = {}
    for path in _files((resource("schemas"),)):
        dialect = load_dialect(path)
        found[dialect.id] = dialect
    for path in _files(extra):
        dialect = load_dialect(path, shipped=False)
        found[dialect.id] = dialect
    return tuple(found.values())


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.glob("*.json")) if place.is_dir() else (place,)


def check_schema(schema: Schema) -> None:
    """Refuse what is no JSON Schema; 80 ms each, so the tests do it for those that trainlint ships."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise RuleError(f"not a JSON Schema: {error.message} at {error.json_path}") from error
    except RecursionError:
        raise RuleError("is nested too deep to be checked") from None


def load_dialect(path: Path, *, shipped: bool = True) -> Dialect:
    """Load one schema; RuleError names the file and what is wrong with it."""
    try:
        if shipped:
            return parse_dialect(json.loads(path.read_text(encoding="utf-8")))
        return parse_dialect(_foreign(path))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuleError, UnreadableError) as error:
        raise RuleError(f"dialect {str(path)!r}: {error}") from error


def _foreign(path: Path) -> Mapping[str, Any]:
    """Read a schema that trainlint does not ship, bounded in all that it may cost."""
    source = source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path))
    (document,) = parse_json(source)
    schema = document.value
    if not isinstance(schema, Mapping):
        raise RuleError("not a dialect: a schema is a mapping")
    check_bounded(schema)
    check_schema(schema)
    return schema


def parse_dialect(schema: Mapping[str, Any]) -> Dialect:
    """Return the dialect that a schema describes, its annotations checked; RuleError where they are wrong."""
    if ANNOTATION not in schema:
        raise RuleError(f"not a dialect: no {ANNOTATION!r} at its root")
    notes = dict(schema[ANNOTATION])
    dialect = Dialect(
        id=notes.pop("id"),
        title=notes.pop("title"),
        loader=_choice(notes, "loader", LOADERS),
        formats=tuple(notes.pop("formats")),
        unknown=_choice(notes, "unknown", UNKNOWN),
        recognition=_recognition(notes.pop("recognise")),
        derive=tuple(derivations(notes.pop("derive", []))),
        variants=tuple(_variant(entry) for entry in notes.pop("variants", [])),
        skips=tuple((entry["when"], entry["reason"]) for entry in notes.pop("skip", [])),
        schema=schema,
        trainer=_signs(notes.pop("trainer", {})),
        launching=_launching(notes.pop("launch", None)),
    )
    if notes:
        raise RuleError(f"unknown key {next(iter(notes))!r} in {ANNOTATION!r}")
    _check(dialect)
    return dialect


def _choice(notes: dict[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = str(notes.pop(name))
    if value not in choices:
        raise RuleError(f"unknown {name} {value!r}: expected one of {', '.join(choices)}")
    return value


def _recognition(entry: Mapping[str, Any]) -> Recognition:
    return Recognition(**_with_tuples(entry))


def _signs(entry: Mapping[str, Any]) -> Signs:
    return Signs(**_with_tuples(entry))


def _with_tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(item) if isinstance(item, list) else item for key, item in entry.items()}


def _launching(entry: Mapping[str, Any] | None) -> Launching | None:
    if entry is None:
        return None
    made = Launching(tuple(entry["launchers"]), entry["source"], entry.get("divides_by", "processes"))
    if made.divides_by not in DIVISORS:
        raise RuleError(f"unknown divides_by {made.divides_by!r}: expected one of {', '.join(DIVISORS)}")
    return made


def _variant(entry: Mapping[str, Any]) -> Variant:
    return Variant(**{**entry, "set": tuple(entry.get("set", {}).items())})


def _check(dialect: Dialect) -> None:
    """Refuse what would only fail on some document: wrong references, fields, expressions."""
    for part in subschemas(dialect.schema):
        reference = part.get("$ref")
        if isinstance(reference, str):
            target(dialect.schema, reference)
        tuple(bindings(part))
        tuple(terms(part))
    expressions = [dialect.recognition.when, *(when for when, _ in dialect.skips)]
    for variant in dialect.variants:
        expressions += [variant.when, *(text for _, text in variant.set)]
        list(derivations([{"field": field, "value": text} for field, text in variant.set]))
        if variant.schema:
            target(dialect.schema, variant.schema)
    for text in expressions:
        if text is not None:
            expression(text)
