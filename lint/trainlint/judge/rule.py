# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A rule as compiled: what must hold, of whom, and what fixes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Protocol

from msgspec import Struct

from trainlint.expressions.cel import Expression
from trainlint.judge.message_template import Template
from trainlint.judge.rule_names import ALWAYS_KNOWN
from trainlint.model.finding import Level

Kind = Literal["assert", "problems", "ignores", "readings"]


class Note(Struct, frozen=True):
    """A remark under the finding; `when` decides whether it is made."""

    text: Template
    when: Expression | None = None


class FixCandidate(Struct, frozen=True):
    """A way to fix a finding: values to try for one field, and what else to set with each.

    `given` keeps the order of the list; otherwise the value nearest to the present one is tried first.
    `figure`: what it saves is said where that is not enough, too.
    """

    field: str
    values: Expression
    also: Mapping[str, Expression]
    requires: tuple[str, ...]
    dialects: tuple[str, ...]
    when: Expression | None = None
    given: bool = False
    figure: bool = False
    note: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field that this candidate sets."""
        return (self.field, *self.also)


class RuleParts(Protocol):
    """What compiles the parts of a rule."""

    def when(self) -> Expression | None:
        """Return what has to be so for the rule to apply."""

    def certain(self) -> Expression | None:
        """Return what has to be so for it to fail, and not only warn."""

    def assertion(self) -> Expression | None:
        """Return what must hold."""

    def message(self) -> Template | None:
        """Return what is said where it does not."""

    def short(self) -> Template | None:
        """Return the same in a few words."""

    def notes(self) -> tuple[Note, ...]:
        """Return the remarks below."""

    def at(self) -> tuple[str, ...]:
        """Return the names whose places a finding has."""

    def fixes(self) -> tuple[FixCandidate, ...]:
        """Return the ways to fix it."""


class Rule(Struct, frozen=True, dict=True):
    """A rule whose expressions are compiled when they are asked for; `data` is the file as loaded.

    A passing file asks for a third of them.
    """

    name: str
    level: Level
    summary: str
    kind: Kind
    path: str
    data: Mapping[str, Any]
    parts: RuleParts
    requires: tuple[str, ...] = ()
    absent: Mapping[str, Any] | None = None
    dialects: tuple[str, ...] = ()
    ignored_level: Level | None = None
    optional: bool = False
    family: str = ""
    """Whose verdict it belongs to, where it reads no facts of it."""
    hint: bool = False
    """No crash, memory or session hangs on it."""

    @cached_property
    def when(self) -> Expression | None:
        """What has to be so for the rule to apply."""
        return self.parts.when()

    @cached_property
    def certain(self) -> Expression | None:
        """What has to be so for it to fail, and not only warn."""
        return self.parts.certain()

    @cached_property
    def assertion(self) -> Expression | None:
        """What must hold."""
        return self.parts.assertion()

    @cached_property
    def message(self) -> Template | None:
        """What is said where it does not."""
        return self.parts.message()

    @cached_property
    def short(self) -> Template | None:
        """The same in a few words."""
        return self.parts.short()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The remarks below."""
        return self.parts.notes()

    @cached_property
    def at(self) -> tuple[str, ...]:
        """The names whose places a finding has."""
        return self.parts.at()

    @cached_property
    def fixes(self) -> tuple[FixCandidate, ...]:
        """The ways to fix it."""
        return self.parts.fixes()

    def all_parts(self) -> tuple[Any, ...]:
        """Compile all parts and return them. Raises PlacedError."""
        return (
            self.when, self.certain, self.assertion, self.message, self.short, self.notes, self.at,
            self.fixes,
        )  # fmt: skip

    @cached_property
    def families(self) -> frozenset[str]:
        """The families of facts it reads: memory, time, disk, host."""
        return frozenset(name.split(".")[1] for name in self.requires if name.startswith("facts."))

    @cached_property
    def asked(self) -> frozenset[str]:
        """What the config has to say for the rule to apply, but for keys of its own (`keys`)."""
        return frozenset(name for name in self.requires if not name.startswith(("target.", "facts.", "doc.")))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The config's own keys that it requires, as doc.<path>."""
        return tuple(name for name in self.requires if name.startswith("doc."))

    @cached_property
    def asked_of_target(self) -> tuple[str, ...]:
        """What the machine has to be known by."""
        return tuple(name for name in self.requires if name.startswith("target."))

    @cached_property
    def asked_of_facts(self) -> tuple[str, ...]:
        """What has to be worked out."""
        return tuple(name for name in self.requires if name.startswith("facts."))

    @cached_property
    def reads(self) -> frozenset[str]:
        """Every name that its expressions may read."""
        return frozenset((*ALWAYS_KNOWN, *self.requires, *(self.absent or {})))

    @cached_property
    def own_keys(self) -> tuple[str, ...]:
        """Those of them that are the config's own keys, as doc.<path>."""
        return tuple(name for name in self.reads if name.startswith("doc."))

    @cached_property
    def known_keys(self) -> frozenset[str]:
        """Those that have to be known: the rule does not say what it makes of an open one (`== null`)."""
        text = str(self.data)
        return frozenset(name for name in self.own_keys if f"{name} == null" not in text)

    @cached_property
    def of_config(self) -> bool:
        """Return whether its verdict follows from the config and what lies around it alone."""
        return not any(name.startswith(("target.", "facts.")) for name in self.reads)

    @cached_property
    def reads_facts(self) -> bool:
        """Return whether its verdict takes an estimate."""
        return any(name.startswith("facts.") for name in self.reads)

    @cached_property
    def looks(self) -> bool:
        """Return whether it can be judged only by a look at what the config names (--data)."""
        return any(name.startswith("data.") for name in self.requires)

    @property
    def needs_target(self) -> bool:
        """Return whether it can be judged only against a machine."""
        return any(name.startswith(("target.", "facts.")) for name in self.requires)

    @cached_property
    def once(self) -> bool:
        """Return whether it is about the environment: what it says of one job it would say of all."""
        return any(name.startswith("env.") for name in self.requires)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the rule's facts come from."""
        source = self.data["source"]
        return (source,) if isinstance(source, str) else tuple(source)

    def speaks(self, dialect: str) -> bool:
        """Return whether the rule is for this dialect."""
        return not self.dialects or dialect in self.dialects
