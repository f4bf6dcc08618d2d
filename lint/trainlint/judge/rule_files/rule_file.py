# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A rule's file: YAML, held against the rules' schema, and compiled when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainlint.config.yaml import parse_yaml, safe_load
from trainlint.dialects import Dialect
from trainlint.errors import PlacedError, RuleError, UnreadableError
from trainlint.expressions.cel import Compiler, Expression, believed, compile_expression
from trainlint.expressions.composed import condition
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.judge.message_template import Template, compile_template
from trainlint.judge.rule import FixCandidate, Note, Rule
from trainlint.judge.rule_names import ALWAYS_KNOWN, NAMES, kind_of, meant_field, unknown
from trainlint.model.document import Document, Source
from trainlint.model.finding import Level
from trainlint.shipped import compiled

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Keys = tuple[str | int, ...]

SCHEMA = Path(__file__).with_name("rule.schema.json")

ALL_NAMES = frozenset({**NAMES, "it": "any"}.items())
"""Every name that a rule may use but for a document's own keys."""

_KEY = later(r"(?m)^\w")
"""A key at the start of a line: one of the rule's own."""


def load_rule(path: Path, dialects: Sequence[Dialect] = (), *, checked: bool = True) -> Rule:
    """Load one rule. Raises RuleError with file, line and what was expected.

    `dialects` are those that it may speak of. What is not `checked` is believed to be right, and still named
    where it is not.
    """
    if not checked:
        try:
            return _quick(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RuleError):
            pass  # read again below, to say what is wrong where
    from trainlint.judge.rule_files.rule_check import check_rule  # noqa: PLC0415  # not for what was checked before

    try:
        text = source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)).text
    except UnreadableError as error:
        raise _unreadable(path, error) from None
    return parse_rule(text, path, partial(check_rule, dialects=dialects))


def located(path: Path, keys: Keys) -> str:
    """Return "file:line" of a place in a rule that could be loaded."""
    (document,) = parse_yaml(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    return document.located(keys)


def _quick(path: Path) -> Rule:
    """Return a shipped rule as it was kept, or read; its examples are read when they are asked for."""
    kept = compiled.data().rules.get(path.stem)
    data = _WithExamples(kept or without_examples(path), path)
    rule = _Builder(data, partial(believed, among=ALL_NAMES)).rule(str(path))
    if kept is None:
        rule.all_parts()
    return rule


def without_examples(path: Path) -> Any:
    """Read a rule without its examples where they come last: half of the text."""
    text = path.read_text(encoding="utf-8")
    head, _, tail = text.partition("\nexamples:\n")
    return safe_load(head if tail and not _KEY.search(tail) else text)


class _WithExamples(dict[str, Any]):
    """A rule's data whose examples are read when they are asked for."""

    def __init__(self, data: Mapping[str, Any], path: Path) -> None:
        super().__init__(data)
        self.path = path

    def __missing__(self, key: str) -> Any:
        self[key] = safe_load(self.path.read_text(encoding="utf-8"))[key]
        return self[key]


def parse_rule(text: str, path: Path, check: Callable[[Rule], None] = lambda _: None) -> Rule:
    """Return the rule that a text is, compiled and passed by `check`. Raises RuleError with file and line."""
    try:
        documents = parse_yaml(Source(str(path), text))
    except UnreadableError as error:
        raise _unreadable(path, error) from None
    document, *others = documents
    try:
        for extra in others:
            raise RuleError(f"{extra.located(())}: another document begins, expected one rule in a file")
        rule = _built(document, path)
        check(rule)
    except PlacedError as error:
        keys = "".join(f"{step}: " for step in error.path)
        raise RuleError(f"{document.located(error.path)}: {keys}{error}") from None
    return rule


def _unreadable(path: Path, error: UnreadableError) -> RuleError:
    line = f":{error.line}" if error.line else ""
    return RuleError(f"{path}{line}: {error}")


def _built(document: Document, path: Path) -> Rule:
    """Return a rule held against the rules' schema and compiled. Raises PlacedError."""
    for twice in document.duplicates:
        raise PlacedError("it is written twice in one mapping", twice.path)
    from trainlint.config.schema_errors import hold  # noqa: PLC0415  # not for what was checked before

    try:
        hold(_validator(), document.value)
    except PlacedError as error:
        raise PlacedError(f"{error}{_without_group(document.value, error.path)}", error.path) from None
    name = document.value["name"]
    if name != path.stem:
        raise PlacedError(f'the rule is called "{name}", expected "{path.stem}" as the file is', ("name",))
    rule = _Builder(document.value).rule(str(path))
    rule.all_parts()
    return rule


def _without_group(value: Any, path: Keys) -> str:
    """Say which field is meant where one is written as `trainlint spec` prints it; "" for anything else."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else value[key]
    return meant_field(value) if isinstance(value, str) else ""


def rebuilt(rule: Rule, data: Mapping[str, Any]) -> Rule:
    """Return the rule that a file with other data would be. Raises RuleError where it is none."""
    new_rule = _Builder(data).rule(rule.path)
    new_rule.all_parts()
    return new_rule


class _Builder:
    """Compiles the parts of one rule over the names it may use."""

    def __init__(self, data: Mapping[str, Any], compiled: Compiler = compile_expression) -> None:
        self.data = data
        self.compiled = compiled
        self.requires: tuple[str, ...] = tuple(data.get("requires", ()))

    @cached_property
    def names(self) -> dict[str, str]:
        """The names that it may use, and their types."""
        names = [*ALWAYS_KNOWN, *self.requires, *self.data.get("absent", {})]
        return {name: self.kind(name, ("requires",)) for name in names}

    def rule(self, path: str) -> Rule:
        data = self.data
        return Rule(
            name=data["name"],
            level=Level(data["level"]),
            summary=data["summary"],
            kind=data.get("from", "assert"),
            path=path,
            data=data,
            parts=self,
            requires=self.requires,
            absent=data.get("absent", {}),
            dialects=tuple(data.get("dialects", ())),
            ignored_level=Level(data["ignored_level"]) if "ignored_level" in data else None,
            optional=data.get("optional", False),
            family=data.get("family", ""),
            hint=data.get("hint", False),
        )

    def when(self) -> Expression | None:
        return self.condition(("when",), self.without_facts()) if "when" in self.data else None

    def certain(self) -> Expression | None:
        return self.condition(("certain",), self.names) if "certain" in self.data else None

    def assertion(self) -> Expression | None:
        return self.condition(("assert",), self.names) if "assert" in self.data else None

    def message(self) -> Template | None:
        return self.template(("message",)) if "message" in self.data else None

    def short(self) -> Template | None:
        return self.template(("short",)) if "short" in self.data else None

    def fixes(self) -> tuple[FixCandidate, ...]:
        return tuple(self.candidate(index) for index in range(len(self.data.get("fix", ()))))

    def kind(self, name: str, path: Keys) -> str:
        kind = kind_of(name)
        if kind is None:
            raise PlacedError(f'unknown name "{name}"{unknown(name)}', path)
        return kind

    def without_facts(self) -> dict[str, str]:
        return {name: kind for name, kind in self.names.items() if not name.startswith("facts.")}

    def at(self) -> tuple[str, ...]:
        names = tuple(self.data.get("at", ()))
        for name in names:
            self.kind(name, ("at",))
        return names or tuple(
            name for name in self.names if name.startswith(("spec.", "doc.", "command.", "start."))
        )

    def at_path(self, path: Keys) -> Any:
        value: Any = self.data
        for step in path:
            value = value[step]
        return value

    def text(self, path: Keys) -> str:
        return str(self.at_path(path))

    def condition(self, path: Keys, names: Mapping[str, str]) -> Expression:
        with self._placed(path, names):
            return self.compiled(condition(self.at_path(path)), names, "BOOL")

    def expression(self, path: Keys, names: Mapping[str, str], want: str | None = None) -> Expression:
        with self._placed(path, names):
            return self.compiled(self.text(path).strip(), names, want)

    def template(self, path: Keys) -> Template:
        with self._placed(path, self.names):
            return compile_template(self.text(path).strip(), self.names, self.compiled)

    @contextmanager
    def _placed(self, path: Keys, names: Mapping[str, str]) -> Iterator[None]:
        """Say where an expression is that is wrong: PlacedError; of a name that there is, what it lacks."""
        try:
            yield
        except RuleError as error:
            undeclared = getattr(error, "undeclared", None) or ""
            name = _known(undeclared)
            if not name or name in names:
                meant = "" if "did you mean" in str(error) else meant_field(undeclared)
                raise PlacedError(f"{error}{meant}", path) from None
            lacks = f'"{name}" may be absent: add it to "requires"'
            if name in self.names:
                lacks = f'"{name}" is not known yet where "{path[-1]}" is asked: ask for it in "assert"'
            raise PlacedError(lacks, path) from None

    def notes(self) -> tuple[Note, ...]:
        return tuple(self.note(index) for index in range(len(self.data.get("notes", ()))))

    def note(self, index: int) -> Note:
        here = ("notes", index)
        when = self.condition((*here, "when"), self.names) if "when" in self.at_path(here) else None
        return Note(self.template((*here, "text")), when)

    def candidate(self, index: int) -> FixCandidate:
        data, here = self.data["fix"][index], ("fix", index)
        requires = tuple(data.get("requires", ()))
        names = self.names | {name: self.kind(name, (*here, "requires")) for name in requires}
        for field in (data["set"], *data.get("also", {})):
            self.kind(field, (*here, "set"))
        return FixCandidate(
            field=data["set"],
            values=self.expression((*here, "try"), names),
            also={
                field: self.expression((*here, "also", field), names | {"it": "any"})
                for field in data.get("also", {})
            },
            requires=requires,
            dialects=tuple(data.get("dialects", ())),
            when=self.condition((*here, "when"), names) if "when" in data else None,
            given=data.get("order") == "given",
            figure=data.get("figure", False),
            note=data.get("note", ""),
        )


def _known(name: str) -> str:
    """Return the name that a rule may use and that a longer one begins with; "" where there is none."""
    while name and kind_of(name) is None:
        name = name.rpartition(".")[0]
    return name


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # as above

    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
