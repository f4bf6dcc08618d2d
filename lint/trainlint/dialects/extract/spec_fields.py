# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document to TrainSpec's fields, each with the places it came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from operator import getitem
from typing import Any, Final

from msgspec import Struct, field

from trainlint.dialects.check import plausibility
from trainlint.dialects.messages.value_wording import dotted, shown
from trainlint.dialects.schema.binding import OPTIONS_PREFIX, Binding, Derivation, Term
from trainlint.dialects.schema.check_budget import LEAF_TYPES
from trainlint.dialects.schema.dialect import Dialect, Filling
from trainlint.dialects.schema.document_expression import FAILED, DocumentScope, evaluate, plain
from trainlint.dialects.schema.typed_fields import LARGEST_INTEGER, typed
from trainlint.dialects.schema.visited_schema import KEPT_VALUES, Spoken, walked
from trainlint.dialects.unknown_values import Unknown
from trainlint.model.document import ELLIPSIS_WORD, Document, Path
from trainlint.model.job import Doubt, Problem
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value

UNSOUND_VALUE_PROBLEMS = ("wrong-type", "wrong-value", "number-as-string")

SCRIPT: Final = "@script"
ABRIDGED: Final = Term('what "..." stands for', "unknown")
"""What an abridged command leaves out of every figure: a flag that it does not show may change any."""

SWITCHES = ("enable", "enabled")
"""Keys by which a mapping of options is switched on and off."""


class Extraction(Struct):
    """Fields as they fill up; `bad` are the paths whose values are not to be used."""

    document: Document
    dialect: Dialect
    scope: DocumentScope
    bad: Collection[Path]
    missing: Collection[Path]
    fields: dict[str, Value] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    unknown: Unknown = field(default_factory=Unknown)
    lost: set[str] = field(default_factory=set)
    """Fields that follow from what only the shell knows."""

    def run(self, sets: Mapping[str, str]) -> None:
        """Fill everything: written values, a variant's own, the trainer's defaults, then what follows."""
        fillings = _fillings(walked(self.document, self.dialect), self.dialect)
        for path, filling, value in fillings:
            for binding in filling.bindings:
                self._bind(binding, path, value)
        for name, text in sets.items():
            self._replace(name, text)
        for path, filling, value in fillings:
            if filling.defaults and isinstance(value, Mapping):
                self._defaults(path, filling, value)
        for derivation in self.dialect.derive:
            self._derive(derivation)
        terms = [(term, path, value) for path, filling, value in fillings for term in filling.terms]
        if self.document.meta.get("partial") == ELLIPSIS_WORD:
            terms.append((ABRIDGED, (SCRIPT,), ""))
        for term, path, value in terms:
            self._leave_out(term, path, value)
        for name in self.lost:
            self._drop(name)

    def _loses(self, name: str, path: Path | None, *texts: str | None) -> bool:
        """Return whether a field follows from what only the shell knows, and note it."""
        if not self.unknown.paths:
            return False
        if (path is not None and self.unknown.touches(path)) or any(
            self.unknown.read_by(text, self.lost) for text in texts if text is not None
        ):
            self.lost.add(name)
        return name in self.lost

    def _drop(self, name: str) -> None:
        """Leave out a field; an option with its place."""
        self.fields.pop(name, None)
        options, option = self.fields.get("options"), name.removeprefix(OPTIONS_PREFIX)
        if option != name and options is not None and option in options.value:
            index = [*options.value].index(option)
            kept = {key: item for key, item in options.value.items() if key != option}
            places = (*options.paths[:index], *options.paths[index + 1 :])
            self.fields["options"] = Value(kept, places, options.origin)

    def _sound(self, path: Path) -> bool:
        """Return whether neither the value nor, in a list, one of its items is wrong."""
        return not any(bad[: len(path)] == path for bad in self.bad)

    def _bind(self, binding: Binding, path: Path, value: Any) -> None:
        changed = None if binding.role is not None and self.unknown.spares(path) else path
        if self._loses(binding.field, changed, binding.when, binding.value, binding.role):
            return
        if value is None or path in self.bad or not self._holds(binding.when, value, path):
            return
        if binding.role is not None:
            self._append(binding, path, value)
        elif not isinstance(value, list | tuple) or self._sound(path):
            bound = self._without(value, binding.omit) if binding.value is None else None
            if binding.value is not None:
                bound = self._evaluate(binding.value, value, path)
            self._put(binding.field, bound, (path, *self._paths(binding.paths)), "written")

    def _append(self, binding: Binding, path: Path, value: Any) -> None:
        """Add one entry to a list field, less its unsound parts; without a type it is nothing at all."""
        role = self._evaluate(binding.role or "", value, path)
        if not isinstance(value, Mapping) or not value or path in self.missing or not isinstance(role, str):
            return
        kept = {
            key: item
            for key, item in value.items()
            if self._sound((*path, key)) and not self.unknown.touches((*path, key))
        }
        if "type" not in kept:
            return
        old = self.fields.get(binding.field, Value([]))
        entry = {"role": role, **plain(self._without(kept, binding.omit))}
        self.fields[binding.field] = Value([*old.value, entry], (*old.paths, path))

    def _leave_out(self, term: Term, path: Path, value: Any) -> None:
        """Note a term of memory that no tape holds, once; it may look at every field."""
        if (
            self._loses(UNCOUNTED_FIELD, path, term.when)
            or _is_off(value)
            or path in self.bad
            or not self._holds(term.when, value, path)
        ):
            return
        entry = {
            "what": term.what.replace("{key}", str(path[-1])).replace("{value}", str(value)),
            "direction": term.direction,
            "fork": term.fork,
            **({"only": term.only} if term.only else {}),
            **({"bound": True} if term.bound else {}),
            **({"keeps": term.keeps} if term.keeps else {}),
        }
        old = self.fields.get(UNCOUNTED_FIELD, Value([]))
        if entry not in old.value:
            self.fields[UNCOUNTED_FIELD] = Value([*old.value, entry], (*old.paths, path))

    def _defaults(self, path: Path, filling: Filling, value: Mapping[Any, Any]) -> None:
        for key, default, binding in filling.defaults:
            if key in value or binding.field in self.fields:
                continue
            if self._loses(binding.field, None, binding.when, binding.value):
                continue
            if self._holds(binding.when, default, (*path, key)):
                text = binding.value
                assumed = default if text is None else self._evaluate(text, default, (*path, key))
                self._put(binding.field, assumed, (*self._paths(binding.paths), path), "default")

    def _derive(self, derivation: Derivation) -> None:
        if derivation.field in self.fields:
            return
        zipped = [path for _, path in derivation.zip if self.unknown.touches(tuple(path.split(".")))]
        if zipped:
            self.lost.add(derivation.field)
        if self._loses(derivation.field, None, derivation.when, derivation.value):
            return
        if not self._holds(derivation.when, None, ()):
            return
        known = [place for name in derivation.of if name in self.fields for place in self.fields[name].paths]
        written = self._paths((*derivation.paths, *(path for _, path in derivation.zip)))
        if not all(map(self._sound, written)):
            return
        sources = (*known, *written)
        derived = (
            self._zipped(derivation) if derivation.zip else self._evaluate(derivation.value or "", None, ())
        )
        self._put(derivation.field, derived, sources, derivation.origin)

    def _replace(self, name: str, text: str) -> None:
        """Fill a field again (a variant's own value); it stays where it was written."""
        if self._loses(name, None, text):
            return
        old = self.fields.pop(name, None)
        replaced = self._evaluate(text, None, ())
        self._put(name, replaced, old.paths if old else (), old.origin if old else "derived")

    def _zipped(self, derivation: Derivation) -> Any:
        lists = [self.scope.flat.get(path) for _, path in derivation.zip]
        if not all(isinstance(items, list) for items in lists):
            return None
        names = [name for name, _ in derivation.zip]
        return [dict(zip(names, items, strict=True)) for items in zip(*lists, strict=False)]

    def _put(self, name: str, value: Any, paths: tuple[Path, ...], origin: str) -> None:
        """Fill a field once; options gather in one mapping whose n-th entry came from the n-th place."""
        if value is None or value is FAILED or name in self.fields:
            return
        if name.startswith(OPTIONS_PREFIX):
            old, option = self.fields.get("options", Value({})), name.removeprefix(OPTIONS_PREFIX)
            if option not in old.value:
                paths = (*old.paths, paths[0] if paths else ())
                self.fields["options"] = Value({**old.value, option: plain(value)}, paths, old.origin)
        else:
            final = self.scope.spec[name] = plain(value)
            self.fields[name] = Value(final, paths, origin)

    def _holds(self, text: str | None, value: Any, path: Path) -> bool:
        return text is None or self._evaluate(text, value, path) is True

    def _evaluate(self, text: str, value: Any, path: Path) -> Any:
        result = evaluate(text, self.scope, value, str(path[-1]) if path else "")
        if result is FAILED:
            self.failed.append(text)
        return result

    def _paths(self, names: tuple[str, ...]) -> tuple[Path, ...]:
        """Return dotted names as paths, those that the document has; a number may be a place in a list."""
        places = self.document.places
        written = (tuple(name.split(".")) for name in names)
        paths = (path if path in places else _indexed(path) for path in written)
        return tuple(path for path in paths if path in places)

    @staticmethod
    def _without(value: Any, keys: tuple[str, ...]) -> Any:
        if not keys or not isinstance(value, Mapping):
            return value
        return {key: item for key, item in value.items() if key not in keys}


def _indexed(path: tuple[str, ...]) -> Path:
    return tuple(int(part) if part.isdecimal() else part for part in path)


Filled = tuple[Path, Filling, Any]
"""A value that fills something, and what."""

_FILLED: Final[dict[int, tuple[Spoken, tuple[Filled, ...]]]] = {}
"""What is filled from lists and mappings, which an edit leaves as they are but for those around it."""


def _fillings(spoken: Spoken, dialect: Dialect) -> tuple[Filled, ...]:
    """Return what is filled from a value and from all that it holds, in the order of the document."""
    known = _FILLED.get(id(spoken))
    if known is not None and known[0] is spoken:
        return known[1]
    filled: list[Filled] = []
    for part, inner in spoken.parts:
        filling = dialect.filling(part)
        if filling is not None:
            filled.append((spoken.path, filling, spoken.value))
        for child in inner:
            if type(child.value) in LEAF_TYPES:
                fillings = (dialect.filling(part) for part, _ in child.parts)
                filled += [(child.path, filling, child.value) for filling in fillings if filling is not None]
            else:
                filled += _fillings(child, dialect)
    if len(_FILLED) >= KEPT_VALUES:
        _FILLED.clear()
    _FILLED[id(spoken)] = spoken, tuple(filled)
    return tuple(filled)


def extract(
    document: Document,
    dialect: Dialect,
    scope: DocumentScope,
    problems: tuple[Problem, ...],
    sets: Mapping[str, str],
) -> tuple[TrainSpec, tuple[Problem, ...], frozenset[str]]:
    """Return the spec, the problems of values that fit the schema but not the vocabulary, and fields lost.

    The last follow from what only the shell knows.
    `sets` are a variant's own fields: name -> expression.
    """
    bad = {problem.path for problem in problems if problem.rule in UNSOUND_VALUE_PROBLEMS}
    missing = {
        problem.path[:-1] if problem.suggestion else problem.path
        for problem in problems
        if problem.rule == "missing-key"
    }
    work = Extraction(document, dialect, scope, bad, missing, unknown=Unknown.of(document))
    work.run(sets)
    values, wrong = typed({name: item.value for name, item in work.fields.items()})
    fields = {name: Value(value, *_rest(work.fields[name])) for name, value in values.items()}
    fields["dialect"] = Value(dialect.id, ())
    reported = [name for name in sorted(wrong) if _is_reported(work, name)]
    unfit = tuple(_unfit(document, name, work.fields[name]) for name in reported)
    return TrainSpec(fields), unfit, frozenset(work.lost)


def _rest(value: Value) -> tuple[tuple[Path, ...], str]:
    return value.paths, value.origin


def _is_reported(work: Extraction, name: str) -> bool:
    value = work.fields[name]
    return value.origin == "written" and bool(value.paths) and value.paths[0] not in work.bad


def _unfit(document: Document, name: str, value: Value) -> Problem:
    """Return the problem of a value that no field takes, shown as written: expressions cut integers short."""
    written = value.value
    if value.paths[0] in document.places:
        written = reduce(getitem, value.paths[0], document.value)
    most = plausibility.SIZES.get(name) or plausibility.DURATIONS.get(name)
    if most and any(plausibility.beyond(written, LARGEST_INTEGER)):
        return plausibility.problem(value.paths[0], written, most, harmless=name in plausibility.DURATIONS)
    message = f'"{dotted(value.paths[0])}" cannot be {shown(written)} here'
    return Problem("wrong-type", message, value.paths[0], doubt=Doubt.FIGURE)


def _is_off(value: Any) -> bool:
    """Return whether an option is switched off: `key: null`, `key: false`, `key: {enabled: false, ...}`."""
    if isinstance(value, Mapping):
        return any(value.get(name) is False for name in SWITCHES)
    return value is None or value is False
