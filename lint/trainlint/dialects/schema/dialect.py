# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dialect: one JSON Schema that says how a trainer's configs look and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, convert

from trainlint.dialects.schema.binding import (
    OPTIONS_PREFIX,
    Binding,
    Derivation,
    Term,
    bindings,
    derivations,
    terms,
)
from trainlint.dialects.schema.saved_form import Form, form_of
from trainlint.dialects.schema.schema_walk import Schema, subschemas
from trainlint.dialects.schema.validity import is_known, satisfies
from trainlint.errors import RuleError
from trainlint.expressions.composed import condition, value
from trainlint.model.trainer import Signs
from trainlint.shipped.compiled import ShippedSchema

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

ANNOTATION: Final = "x-trainlint"
SIGNS: Final = ("id", "title", "loader", "formats", "unknown", "recognise")
"""What of that tells a dialect from others."""


class Keyless(Struct, frozen=True):
    """What a recognising expression is, by format, of a document with none of the outermost keys `heads`."""

    heads: frozenset[str]
    holds: Mapping[str, bool]


class Recognition(Struct, frozen=True):
    """How to see that a document speaks a dialect; `priority` decides where several claim it.

    `keyless` is worked out beforehand for the dialects that are shipped.
    """

    when: str | None = None
    files: tuple[str, ...] = ("*",)
    scripts: tuple[str, ...] = ()
    priority: int = 0
    keyless: Keyless | None = None


class SourceSign(Struct, frozen=True):
    """What a file of a trainer's source has, and what it lacks: texts as they are written there."""

    file: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class Releases(Struct, frozen=True):
    """Releases of a library, the first and the first that is none of them any more.

    `pinned` ones need a pin, and those of `no_other` one that leaves no other release open.
    """

    library: str
    since: str = "0"
    before: str = ""
    pinned: bool = False
    no_other: bool = False


class EarlierLoader(Struct, frozen=True):
    """Which releases of a trainer load a YAML file by PyYAML: those before one, whose `file` lacks a word."""

    library: str
    release: str
    file: str
    lacks: str


class Variant(Struct, frozen=True):
    """One of several readings of a document: fields it sets (expressions) and what it checks besides.

    `source` are the signs that a trainer's source is this version, and `told_by` what to look for, in words.
    `release` are those that it is of: where the files around a job pin others, it is no reading.
    """

    name: str
    when: str | None = None
    set: tuple[tuple[str, str], ...] = ()
    schema: str | None = None
    source: tuple[SourceSign, ...] = ()
    told_by: str = ""
    release: Releases | None = None


class Launching(Struct, frozen=True):
    """How a trainer's option files are started on several GPUs, where the file itself does not say.

    `divides_by` is what a trainer whose batch is that of all GPUs divides it by under a launcher: its
    "processes", or the GPUs that the config has "named". One that sets CUDA_VISIBLE_DEVICES itself does not
    heed what it was. One that starts a process for each GPU `by_itself` is launched where there are several.
    """

    launchers: tuple[str, ...]
    source: str
    divides_by: str = "processes"
    heeds_visible: bool = True
    by_itself: bool = False


class TrainingCommand(Struct, frozen=True):
    """What trains a config, and its words.

    `script` is a path from the root of its repository, or the name of a program that pip installs (`yolo`).
    """

    script: str
    words: str
    when: str | None = None

    @property
    def is_installed(self) -> bool:
        """Return whether it is a program of an installed package, by its name alone."""
        return "." not in self.script


class Exemption(Struct, frozen=True):
    """When a file trains nothing, and why; `checked` where the dialect's schema holds for it all the same."""

    when: str
    reason: str
    checked: bool = False


class Filling(Struct, frozen=True):
    """What a subschema fills: by a value as written, by defaults of its properties, and what is not counted.

    `defaults`: the property that is not there, its default, the field.
    """

    bindings: tuple[Binding, ...]
    defaults: tuple[tuple[str, Any, Binding], ...]
    terms: tuple[Term, ...]


class Dialect(Struct, frozen=True, dict=True):
    """A dialect as loaded, from its JSON Schema; what that says besides is read when it is asked for."""

    id: str
    title: str
    loader: str
    formats: tuple[str, ...]
    unknown: str
    recognition: Recognition
    source: Schema | ShippedSchema
    networks: tuple[Path, ...] = ()
    """Files of networks that the user named."""

    @property
    def schema(self) -> Schema:
        """The whole JSON Schema, annotations included."""
        return self.source.schema if isinstance(self.source, ShippedSchema) else self.source

    @property
    def _notes(self) -> Mapping[str, Any]:
        notes: Mapping[str, Any] = self.schema[ANNOTATION]
        return notes

    @property
    def flags(self) -> bool:
        """Whether the keys of a file may be written as flags."""
        return bool(self._notes.get("flags"))

    @property
    def headings(self) -> bool:
        """Whether the tables of a file are only headings."""
        return bool(self._notes.get("headings"))

    @property
    def as_loaded(self) -> bool:
        """Whether a file's values are as its loader has them: a command's words alone are converted."""
        return bool(self._notes.get("as_loaded"))

    @property
    def loaded_before(self) -> EarlierLoader | None:
        """The releases that load a file by PyYAML; None where none does, or all do."""
        written = self._notes.get("loaded_before")
        return EarlierLoader(**written) if written else None

    @cached_property
    def form(self) -> Form | None:
        """What the trainer gets of a file that a window saved; None where there is none."""
        written = self._notes.get("form")
        if written is None:
            return None
        return form_of(written, condition(written["when"]), self.schema.get("properties", {}))

    @cached_property
    def derive(self) -> tuple[Derivation, ...]:
        """What of the spec follows from several values."""
        return tuple(derivations(self._notes.get("derive", [])))

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The readings of a document, if it has several."""
        return tuple(map(_variant, self._notes.get("variants", [])))

    @cached_property
    def skips(self) -> tuple[Exemption, ...]:
        """What shows that a file trains nothing."""
        return tuple(map(_exemption, self._notes.get("skip", [])))

    @cached_property
    def trainer(self) -> Signs:
        """What shows the trainer's source, and what of it is asked."""
        return Signs(**_with_tuples(self._notes.get("trainer", {})))

    @cached_property
    def launching(self) -> Launching | None:
        """None where a launcher is part of the command that is read, or the trainer knows none."""
        return Launching(**_with_tuples(self._notes["launch"])) if "launch" in self._notes else None

    @property
    def blanks(self) -> tuple[str, ...]:
        """Keys without which the trainer stops: a program fills in a file that has one of them empty."""
        return tuple(self._notes.get("blanks", ()))

    @property
    def twice(self) -> str:
        """What happens where a key is written twice in a mapping; "" where the last one counts."""
        return str(self._notes.get("twice", ""))

    @cached_property
    def commands(self) -> tuple[TrainingCommand, ...]:
        """The commands that train a config, the first whose script is there counts."""
        return tuple(map(_command, self._notes.get("commands", [])))

    @cached_property
    def validator(self) -> Validator:
        """The jsonschema validator of this dialect (integers strict, tuples are lists)."""
        from trainlint.dialects.schema.strict_schema import strict_validator  # noqa: PLC0415  # slow to import

        return strict_validator()(self.schema)

    @cached_property
    def _is_known(self) -> bool:
        return is_known(self.schema)

    @cached_property
    def defaults_flag(self) -> str | None:
        """The argument that names a file of defaults for all others."""
        named = (name for name, part in self.schema.get("properties", {}).items() if part.get("x-defaults"))
        return next(named, None)

    @cached_property
    def joined(self) -> Mapping[str, Mapping[str, Any]]:
        """The properties that name a file of data sets or prompts, and where in it these are."""
        properties = self.schema.get("properties", {})
        return {name: part["x-joined"] for name, part in properties.items() if "x-joined" in part}

    @cached_property
    def _annotated(self) -> Sequence[Schema]:
        """The subschemas that fill a field or say what is not counted."""
        return [part for part in subschemas(self.schema) if "x-spec" in part or "x-uncounted" in part]

    @cached_property
    def _bindings(self) -> dict[int, tuple[Binding, ...]]:
        return {id(part): tuple(bindings(part)) for part in self._annotated if "x-spec" in part}

    def bindings(self, part: Schema) -> tuple[Binding, ...]:
        """Return the fields that a subschema of this dialect fills."""
        return self._bindings.get(id(part), ())

    @cached_property
    def _terms(self) -> dict[int, tuple[Term, ...]]:
        return {id(part): tuple(terms(part)) for part in self._annotated if "x-uncounted" in part}

    def terms(self, part: Schema) -> tuple[Term, ...]:
        """Return the terms of memory that a subschema of this dialect says are not counted."""
        return self._terms.get(id(part), ())

    @cached_property
    def _fillings(self) -> dict[int, Filling | None]:
        return {}

    def filling(self, part: Schema) -> Filling | None:
        """Return what a subschema fills or says is not counted; None where that is nothing, as for most."""
        if id(part) not in self._fillings:
            several = (self.bindings(part), tuple(self._defaults(part)), self.terms(part))
            self._fillings[id(part)] = Filling(*several) if any(several) else None
        return self._fillings[id(part)]

    def _defaults(self, part: Schema) -> Iterator[tuple[str, Any, Binding]]:
        """Yield the properties of a subschema that fill a field where they are not written."""
        for key, inner in part.get("properties", {}).items():
            if isinstance(inner, Mapping) and "default" in inner:
                for binding in self.bindings(inner):
                    if binding.role is None:
                        yield key, inner["default"], binding

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields of the vocabulary that some config of this dialect fills; "options" for any option."""
        filled = [binding.field for several in self._bindings.values() for binding in several]
        filled += [derivation.field for derivation in self.derive]
        filled += [name for variant in self.variants for name, _ in variant.set]
        return frozenset("options" if name.startswith(OPTIONS_PREFIX) else name for name in filled)

    def valid(self, part: Schema, value: Any) -> bool:
        """Return whether a value satisfies a subschema of this dialect."""
        if self._is_known:
            return satisfies(self.schema, part, value)
        return bool(self.validator.evolve(schema=part).is_valid(value))


def parse_dialect(source: Schema | ShippedSchema) -> Dialect:
    """Return the dialect that a schema describes; RuleError where its annotations are not understood.

    Of a shipped one, which was checked, all but what tells it from others is read when it is asked for: of
    two dozen dialects a file speaks one. Expressions are compiled when they are needed; `check_dialect`
    compiles all.
    """
    if isinstance(source, ShippedSchema):
        return _dialect(source.signs, source)
    if ANNOTATION not in source:
        raise RuleError(f"not a dialect: no {ANNOTATION!r} at its root")
    dialect = _dialect(source[ANNOTATION], source)
    _ = dialect.derive, dialect.variants, dialect.skips, dialect.trainer, dialect.launching
    return dialect


def _dialect(signs: Mapping[str, Any], source: Schema | ShippedSchema) -> Dialect:
    return Dialect(
        id=signs["id"],
        title=signs["title"],
        loader=signs["loader"],
        formats=tuple(signs["formats"]),
        unknown=signs["unknown"],
        recognition=_recognition(signs["recognise"], source),
        source=source,
    )


def _recognition(entry: Mapping[str, Any], source: Schema | ShippedSchema) -> Recognition:
    when = {"when": condition(entry["when"])} if "when" in entry else {}
    keyless = convert(source.keyless, Keyless | None) if isinstance(source, ShippedSchema) else None
    return Recognition(**_with_tuples(entry) | when, keyless=keyless)


def _variant(entry: Mapping[str, Any]) -> Variant:
    when = {"when": condition(entry["when"])} if "when" in entry else {}
    fields = tuple((name, value(item)) for name, item in entry.get("set", {}).items())
    signs = tuple(SourceSign(**_with_tuples(sign)) for sign in entry.get("source", ()))
    release = Releases(**entry["release"]) if "release" in entry else None
    return Variant(**{**entry, **when, "set": fields, "source": signs, "release": release})


def _command(entry: Mapping[str, Any]) -> TrainingCommand:
    when = condition(entry["when"]) if "when" in entry else None
    return TrainingCommand(entry["script"], entry["words"], when)


def _exemption(entry: Mapping[str, Any]) -> Exemption:
    return Exemption(condition(entry["when"]), entry["reason"], entry.get("checked", False))


def _with_tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(item) if isinstance(item, list) else item for key, item in entry.items()}
