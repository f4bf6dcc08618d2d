# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From one jsonschema error to the problem a user reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dialects.messages import typos
from trainlint.dialects.messages.value_wording import (
    MOST_CHOICES,
    brief,
    dotted,
    either,
    expected,
    never_read,
    place,
    shown,
)
from trainlint.dialects.schema import number_words
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, covered, described, kinds, mappings
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.job import Doubt, Problem

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minLength": "at least {} characters",
    "minProperties": "at least {} keys",
    "pattern": "text like {}",
}

DOUBTS: Final[Mapping[str, Doubt]] = {
    "enum": Doubt.MEMBER,
    "const": Doubt.MEMBER,
    "anyOf": Doubt.TYPE,
    "oneOf": Doubt.TYPE,
}
"""What a fork may have changed where a keyword refuses a value; a bound is arithmetic, in every version."""

AT_TOP_LEVEL = " at the top level"
"""Where a key belongs that no other one holds."""


class Complaint(Struct, frozen=True):
    """A jsonschema error in its document: `word` is the keyword that refused `value`, `wanted` its argument.

    `alternatives` are the keywords that failed in the branches of an anyOf or oneOf.
    """

    document: Document
    dialect: Dialect
    path: Path
    value: Any
    schema: Mapping[str, Any]
    word: str
    wanted: Any
    text: str
    of_name: bool = False
    alternatives: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: ValidationError, document: Document, dialect: Dialect) -> Complaint:
        """Return what an error says, in types that are certain."""
        return cls(
            document,
            dialect,
            tuple(error.absolute_path),
            error.instance,
            error.schema if isinstance(error.schema, Mapping) else {},
            str(error.validator),
            error.validator_value,
            error.message,
            "propertyNames" in error.relative_schema_path,
            tuple(str(inner.validator) for inner in error.context or ()),
        )

    def problems(self) -> Iterator[Problem]:
        """Yield what to report: several problems only where several keys are unknown."""
        said = self.schema.get("x-said")
        for problem in self._problems():
            stops = f'{problem.message}: {self.dialect.title} stops with "{said}"'
            yield problem if said is None else replace(problem, message=stops, said=said)

    def _problems(self) -> Iterator[Problem]:
        if self.word == "additionalProperties":
            yield from self._unknown()
        elif self.of_name:
            yield self._name()
        else:
            special = {"required": self._missing, "type": self._type}
            if not (self.value is None and self.schema.get("x-truth")):  # nothing counts as false, as meant
                yield special.get(self.word, self._value)()

    def _note(self, otherwise: str) -> str:
        return str(self.schema.get("x-message", otherwise))

    def _unknown(self) -> Iterator[Problem]:
        schema, present, path = self.schema, self.value, self.path
        named = schema.get("properties", {})
        for key in present:
            if covered(schema, key):
                continue
            if self.dialect.defaults_flag and self.document.format != "command":
                yield from self._unread(str(key), [name for name in named if name not in present])
            elif self.dialect.unknown == "unused":
                message = f'"{key}"{place(path)} is accepted but never used by {self.dialect.title}'
                yield Problem("unused-key", message, (*path, key), on_key=True)
            else:
                near, hint = self._hint(str(key), [name for name in named if name not in present])
                message = f'{self.dialect.title} refuses the unknown key "{key}"{place(path)}{hint}'
                yield Problem(
                    "unknown-key", message, (*path, key), on_key=True, suggestion=near, doubt=Doubt.KEY
                )

    def _unread(self, key: str, absent: list[str]) -> Iterator[Problem]:
        """Say of a file of defaults what is nearly an argument and never read: set_defaults takes any key."""
        near = typos.nearest(key, absent)
        if near and typos.legible(key, near):
            message = never_read(key, place(self.path), near)
            yield Problem("unused-key", message, (*self.path, key), on_key=True, doubt=Doubt.KEY)

    def _hint(self, key: str, absent: list[str]) -> tuple[str | None, str]:
        """Return what an unknown key was meant to be, if that is sure, and the words that say so."""
        homes = sorted(home(self.dialect.schema, key))
        if homes:
            return None, f"; it belongs {either(homes)}"
        near = typos.nearest(key, absent)
        if near and typos.legible(key, near):
            return near if typos.sure(key, near) else None, f'; did you mean "{near}"?'
        return None, f": expected one of {', '.join(sorted(absent))}" if 0 < len(
            absent
        ) <= MOST_CHOICES else ""

    def _name(self) -> Problem:
        message = self._note(f'{self.dialect.title} knows no "{self.value}"{place(self.path)}')
        return Problem("unknown-key", message, (*self.path, self.value), on_key=True)

    def _missing(self) -> Problem:
        key = next(name for name in self.wanted if self.text.startswith(repr(name)))
        written = self._written_for(key)
        if written is not None:
            message = f'{self.dialect.title} reads "{key}"{place(self.path)} and finds "{written}"'
            return Problem(
                "missing-key", message, (*self.path, written), on_key=True, suggestion=key,
                lacks=key, doubt=Doubt.DEFAULT,
            )  # fmt: skip
        parts = described(self.dialect.schema, self.document.value, (*self.path, key), self.dialect.valid)
        want = next((text for part in parts if (text := expected(part))), "")
        about = f" (expected {want})" if want else ""
        message = self._note(f'missing key "{key}"{place(self.path) or AT_TOP_LEVEL}{about}')
        return Problem(
            "missing-key", message, self.path, on_key=bool(self.path), lacks=key, doubt=Doubt.DEFAULT
        )

    def _written_for(self, key: str) -> str | None:
        """Return the one unknown key that was surely written for a missing one."""
        parts = described(self.dialect.schema, self.document.value, self.path, self.dialect.valid)
        known = {name for part in parts for name in part.get("properties", {})}
        strange = [name for name in self.value if isinstance(name, str) and name not in known]
        near = [name for name in strange if typos.stands_for(name, key)]
        return near[0] if len(near) == 1 else None

    def _type(self) -> Problem:
        value, want = self.value, expected(self.schema)
        what = f' for "{dotted(self.path)}"' if self.path else ""
        numeric = not {"integer", "number"}.isdisjoint(kinds(self.schema))
        if numeric and number_words.bare_exponent(self.document, self.path, value, self.dialect.loader):
            return number_as_string(self.path, value, whole=want == "an integer", loader=self.dialect.loader)
        truth, sometimes = bool(self.schema.get("x-truth")), bool(self.schema.get("x-sometimes"))
        effect = f", which counts as {'true' if value else 'false'}" if truth else ""
        message = self._note(f"expected {want}{what}, found {shown(value)}{effect}")
        namespace = self.dialect.headings and self.document.format != COMMAND  # a fork may convert it
        figure = _is_figure(self.schema) and not _is_several(value) and not namespace
        doubt = Doubt.FIGURE if figure else Doubt.TYPE
        return Problem(
            "wrong-type",
            message,
            self.path,
            suggestion=_numeral(value, want, self.document.format),
            harmless=truth or sometimes,
            doubt=None if truth else doubt,
        )

    def _value(self) -> Problem:
        value, schema, word = self.value, self.schema, self.word
        known = [
            item for item in (*schema.get("enum", ()), *schema.get("x-known", ())) if isinstance(item, str)
        ]
        near = typos.nearest(value, known) if isinstance(value, str) else None
        if word in ("enum", "const", "anyOf", "oneOf"):
            want = expected(schema)
        else:
            want = str(schema.get("x-wanted") or BOUNDS.get(word, "something else").format(self.wanted))
        hint = f'; did you mean "{near}"?' if near else ""
        message = self._note(f'"{dotted(self.path)}" is {_counted(value, word)}, expected {want}{hint}')
        if "required" in self.alternatives:
            return Problem("missing-key", message, self.path, on_key=bool(self.path))
        rule = "wrong-type" if word in ("anyOf", "oneOf") else "wrong-value"
        doubt = DOUBTS.get(word) if "x-message" not in schema else None  # its words are the trainer's own
        if "x-wanted" in schema:
            doubt = Doubt.MEMBER
        return Problem(rule, message, self.path, suggestion=near, doubt=doubt)


def home(schema: Schema, key: str) -> Iterator[str]:
    """Yield, in words, the mappings of a dialect that know a key, two levels deep."""
    for path, part in mappings(schema, schema, 2):
        if key in part.get("properties", {}):
            yield f'in "{dotted(path)}"' if path else "at the top of the file"


def number_as_string(path: Path, value: str, *, whole: bool, loader: str) -> Problem:
    """Return the problem of a number that YAML 1.1 reads as text; `whole`: write an integer if it is one.

    PyYAML can be taught another resolver; msgspec makes a loader of its own for each file.
    """
    better = number_words.as_integer(value) if whole else None
    why = "" if better else "a float needs a dot and a signed exponent, "
    better = better or number_words.as_float(value)
    message = f'"{dotted(path)}" is the string "{value}" to PyYAML, not a number: {why}write {better}'
    doubt = Doubt.FIGURE if loader == "msgspec" else Doubt.NUMBER
    return Problem("number-as-string", message, path, suggestion=better, doubt=doubt)


def _is_figure(schema: Mapping[str, Any]) -> bool:
    """Return whether every version computes with a value: it takes numbers alone."""
    return {*kinds(schema)} <= {"integer", "number", "null"}


def _is_several(value: Any) -> bool:
    """Return whether a value holds others: no slip of the pen, and a fork may take one for each phase."""
    return isinstance(value, (list, Mapping))


def _numeral(value: Any, want: str, written: str) -> str | None:
    """Return a quoted number without its quotes, where a number was expected."""
    numeric = want in ("an integer", "a number", "a whole number")
    if not numeric or not isinstance(value, str) or not number_words.NUMERAL.fullmatch(value):
        return None
    bare = written == "yaml" and number_words.BARE_EXPONENT.fullmatch(value)
    return number_words.as_float(value) if bare else value


def _counted(value: Any, word: str) -> str:
    counted = word in ("minItems", "maxItems")
    return f"a list of {len(value)}" if counted else brief(value)
