# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A rule: one YAML file, checked against a schema and compiled when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from trainlint.cel import Expression, ExpressionError, compile_expression
from trainlint.composed import condition
from trainlint.errors import PlacedError, RuleError, UnreadableError
from trainlint.judge.finding import Level
from trainlint.judge.names import ALWAYS, kind_of
from trainlint.judge.template import Template, compile_template
from trainlint.read.limits import FOREIGN_BYTES
from trainlint.read.source import regular_bytes, source_of
from trainlint.read.yaml import parse_yaml

Keys = tuple[str | int, ...]

SCHEMA = Path(__file__).with_name("rule.schema.json")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Kind = Literal["assert", "problems", "ignores", "readings"]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark under the finding; `when` decides whether it is made."""

    text: Template
    when: Expression | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to mend a finding: values to try for one field, and what else to set with each.

    `given` keeps the order of the list; otherwise the value nearest to the present one is tried first.
    """

    field: str
    values: Expression
    also: Mapping[str, Expression]
    requires: tuple[str, ...]
    dialects: tuple[str, ...]
    when: Expression | None = None
    given: bool = False
    note: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field that this candidate sets."""
        return (self.field, *self.also)


@dataclass(frozen=True)
class Rule:
    """A compiled rule; `data` is the file as loaded, for its page and its tests."""

    name: str
    level: Level
    summary: str
    kind: Kind
    path: str
    data: Mapping[str, Any]
    requires: tuple[str, ...] = ()
    absent: Mapping[str, Any] | None = None
    dialects: tuple[str, ...] = ()
    when: Expression | None = None
    certain: Expression | None = None
    assertion: Expression | None = None
    message: Template | None = None
    notes: tuple[Note, ...] = ()
    at: tuple[str, ...] = ()
    fixes: tuple[Candidate, ...] = ()
    ignored_level: Level | None = None
    optional: bool = False

    @property
    def families(self) -> frozenset[str]:
        """The families of facts it reads: memory, time, disk, host."""
        return frozenset(name.split(".")[1] for name in self.requires if name.startswith("facts."))

    @property
    def needs_target(self) -> bool:
        """Tell whether it can be judged only against a machine."""
        return any(name.startswith(("target.", "facts.")) for name in self.requires)

    @property
    def once(self) -> bool:
        """Tell whether it is about the environment: what it says of one job it would say of all."""
        return any(name.startswith("env.") for name in self.requires)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the rule's facts come from."""
        source = self.data["source"]
        return (source,) if isinstance(source, str) else tuple(source)

    def speaks(self, dialect: str) -> bool:
        """Tell whether the rule is for this dialect."""
        return not self.dialects or dialect in self.dialects


def load_rule(path: Path, *, shipped: bool = False) -> Rule:
    """Load one rule file. Raises RuleError with the file, the line and what was expected.

    What is `shipped` was held to the rules' schema before it was: that takes most of the time.
    """
    try:
        text = path.read_text(encoding="utf-8") if shipped else _foreign(path)
    except (OSError, UnicodeDecodeError, UnreadableError) as error:
        raise RuleError(f'cannot read the rule "{path}": {error}') from error
    return parse_rule(text, path, shipped=shipped)


def _foreign(path: Path) -> str:
    """Read a rule that trainlint does not ship, bounded in size, depth and what its aliases stand for."""
    source = source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path))
    parse_yaml(source)
    return source.text


def parse_rule(text: str, path: Path, *, shipped: bool = False) -> Rule:
    """Check and compile the text of a rule, a shipped one without its schema. Raises RuleError."""
    try:
        data = yaml.load(text, _Loader)  # noqa: S506  # the safe loader, in C where there is one
    except yaml.YAMLError as error:
        raise RuleError(f"{path}: not valid YAML: {error}") from None
    wrong = None if shipped else best_match(_validator().iter_errors(data))
    if wrong is not None:
        where = tuple(wrong.absolute_path)
        raise RuleError(f"{path}:{_line(text, where)}: {_dotted(where)}{wrong.message}")
    if data["name"] != path.stem:
        raise RuleError(f'{path}: the rule is called "{data["name"]}", expected "{path.stem}" as the file is')
    try:
        return _Builder(data, str(path)).rule()
    except PlacedError as placed:
        line = _line(text, placed.path)
        raise RuleError(f"{path}:{line}: {_dotted(placed.path)}{placed}") from None


class _Builder:
    """Compiles the parts of one rule over the names it may use."""

    def __init__(self, data: Mapping[str, Any], path: str) -> None:
        self.data = data
        self.path = path
        self.requires: tuple[str, ...] = tuple(data.get("requires", ()))
        names = [*ALWAYS, *self.requires, *data.get("absent", {})]
        self.names = {name: self.kind(name, ("requires",)) for name in names}

    def rule(self) -> Rule:
        data = self.data
        return Rule(
            name=data["name"],
            level=Level(data["level"]),
            summary=data["summary"],
            kind=data.get("from", "assert"),
            path=self.path,
            data=data,
            requires=self.requires,
            absent=data.get("absent", {}),
            dialects=tuple(data.get("dialects", ())),
            when=self.condition(("when",), self.without_facts()) if "when" in data else None,
            certain=self.condition(("certain",), self.names) if "certain" in data else None,
            assertion=self.condition(("assert",), self.names) if "assert" in data else None,
            message=self.template(("message",)) if "message" in data else None,
            notes=tuple(self.notes()),
            at=self.at(),
            fixes=tuple(self.candidate(index) for index in range(len(data.get("fix", ())))),
            ignored_level=Level(data["ignored_level"]) if "ignored_level" in data else None,
            optional=data.get("optional", False),
        )

    def kind(self, name: str, path: Keys) -> str:
        kind = kind_of(name)
        if kind is None:
            raise PlacedError(f'unknown name "{name}"', path)
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
        try:
            return compile_expression(condition(self.at_path(path)), names, "BOOL")
        except RuleError as error:
            raise PlacedError(str(error), path) from None

    def expression(self, path: Keys, names: Mapping[str, str], want: str | None = None) -> Expression:
        try:
            return compile_expression(self.text(path).strip(), names, want)
        except ExpressionError as error:
            raise PlacedError(str(error), path) from None

    def template(self, path: Keys) -> Template:
        try:
            return compile_template(self.text(path).strip(), self.names)
        except ExpressionError as error:
            raise PlacedError(str(error), path) from None

    def notes(self) -> Iterator[Note]:
        for index, note in enumerate(self.data.get("notes", ())):
            when = self.condition(("notes", index, "when"), self.names) if "when" in note else None
            yield Note(self.template(("notes", index, "text")), when)

    def candidate(self, index: int) -> Candidate:
        data, here = self.data["fix"][index], ("fix", index)
        requires = tuple(data.get("requires", ()))
        names = self.names | {name: self.kind(name, (*here, "requires")) for name in requires}
        for field in (data["set"], *data.get("also", {})):
            self.kind(field, (*here, "set"))
        return Candidate(
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
            note=data.get("note", ""),
        )


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _dotted(path: Keys) -> str:
    return "".join(f"{step}: " for step in path)


def _line(text: str, path: Keys) -> int:
    """Return the 1-based line of a path in a YAML text, as deep as it can be followed."""
    node, line = yaml.compose(text, _Loader), 1
    for step in path:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == step), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
    return line
