# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job: one document in one dialect (and one variant of it), ready to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import force_setattr

from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.placing import Placing
from trainlint.model.spec import TrainSpec
from trainlint.model.trainer import Trainer, Version

if TYPE_CHECKING:
    from trainlint.dialects.schema.dialect import Dialect
    from trainlint.dialects.schema.schema_walk import Schema
    from trainlint.model.start import Start
    from trainlint.repository.trainer.library_pins import Pin
    from trainlint.repository.trainer.own_classes import Own


class Doubt(StrEnum):
    """What a fork of the trainer may have changed, so that a value is not wrong for it."""

    KEY = "key"  # it may read the key
    MEMBER = "member"  # it may know the value
    NUMBER = "number"  # its loader may read the word as a number
    TYPE = "type"  # it may take another type
    DEFAULT = "default"  # it may not read the missing key: its own source alone says so
    CLASS = "class"  # its registry may have the class
    SPELLING = "spelling"  # the same name in another case or with underscores: its own source alone has it
    ARGUMENT = "argument"  # its own class may take the argument
    SOURCE = "source"  # only its own source says whether it is wrong: without it nothing is said
    FIGURE = "figure"  # every published version computes with it: its own source alone says otherwise


class Problem(Struct, frozen=True):
    """What the schema, the reader or a network's signature has to say about one value.

    `rule` names the rule file that carries level and explanation (missing-key, unknown-key, wrong-type,
    wrong-value, duplicate-key, number-as-string, unused-key, network-arguments); `path` the value meant
    (the enclosing mapping for a missing key); `suggestion` the likely intended key or value, if sure;
    `harmless` says that the trainer goes on whatever the value is, or that it may be another trainer.
    `lacks` is the key that is missing; `doubt` is what a fork may have changed about it (None: no published
    version takes it); `parts` are the problems that this one sums up. `said` is what the trainer itself says
    when it stops for this, word for word.
    """

    rule: str
    message: str
    path: Path
    on_key: bool = False
    suggestion: str | None = None
    harmless: bool = False
    lacks: str | None = None
    doubt: Doubt | None = None
    parts: tuple[Problem, ...] = ()
    said: str | None = None

    def __post_init__(self) -> None:
        """Keep the message on one line, whatever a key of the user's holds."""
        line = self.message.replace("\r", "\\r").replace("\n", "\\n")
        force_setattr(self, "message", line)


class Job(Struct, frozen=True):
    """What normalise hands on: the spec, what is wrong with the document, and which reading of it this is.

    `skip` is why there is no step to judge (an option file that only tests), None for a training job;
    `checked` whether its problems count all the same.
    `placing` says on which machine and by which launcher its spec is placed; None as normalise returns it.
    `pins` are what the files around it ask of the library that decides its networks; `own` the classes that
    its trainer's repository defines.
    `reading` names what was assumed where the input leaves several readings open: the variant, the launcher.
    `looked` is what the data and weights that it names were seen to be, where the user lets look.
    `flags` are those that a command's script takes: name -> what the dialect's schema says of it.
    `unknown` says of fields why they are not known, and of what else follows from them ("*": of all).
    `start` is the command under which it is judged, None where none is known or it is a command itself.
    """

    document: Document
    dialect: Dialect
    spec: TrainSpec
    problems: tuple[Problem, ...] = ()
    variant: str | None = None
    skip: str | None = None
    trainer: Trainer | None = None
    placing: Placing | None = None
    reading: str | None = None
    pins: tuple[Pin, ...] = ()
    start: Start | None = None
    looked: Mapping[str, Any] = field(default_factory=dict)
    own: Own | None = None
    checked: bool = True
    flags: Mapping[str, Schema] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> Version | None:
        """What shows that the trainer is the version of this reading; None where nothing says it."""
        script = self.document.value.get("@script", "") if self.document.format == "command" else ""
        for variant in self.dialect.variants:
            if variant.name == self.variant and variant.told_by:
                return Version(variant.told_by, bool(variant.source), str(script))
        return None

    @property
    def blank(self) -> str | None:
        """The key that is left for a program to fill in, which may set any other then; None where none is."""
        value = self.document.value
        if self.document.format == COMMAND or not isinstance(value, Mapping):
            return None
        return next((key for key in self.dialect.blanks if key in value and not value[key]), None)

    @property
    def runs_elsewhere(self) -> bool:
        """Return whether its trainer is known by the command that trains alone: its step is not modelled."""
        return bool(self.dialect.commands) and not self.spec.get("recipe")

    @property
    def tests(self) -> bool:
        """Return whether it is an option file that only tests, by a trainer whose test is known."""
        return self.skip is not None and self.checked
