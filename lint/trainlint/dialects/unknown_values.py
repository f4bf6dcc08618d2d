# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values of an option file that a command sets to what only the shell knows, and what follows from them.

So are those of a program that only its run knows (documents/trainer_calls.py), and those of a template, which
has the name of a variable in their place. The file's own value stays
in the document, so that everything can be read; what fills a field from it, or reads it on the way, leaves
that field unknown. A key that names a class takes its whole mapping along: which keys belong there is
unknown, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.config.value_by_path import dig
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.document_expression import reads
from trainlint.expressions.patterns import later
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.job import Problem

_VARIABLE: Final = later(r"\b(?:doc|flat|spec)\b")
_SECTION: Final = later(r"\bdoc((?:\.\w+\b(?!\s*\())+)")
_DOC: Final = later(r"\bdoc\b")
_PLACEHOLDER: Final = later(r"\$\{[\w.:-]+\}|\{\{[^{}\n]*\}\}")
"""What a template has in place of a value, to be filled in before the trainer reads it."""
ALL_FIELDS: Final = "*"
"""Stands for every field of a spec."""
SIZELESS_KEYS: Final = frozenset(("lr",))
"""Keys of an optimizer that change no tensor's size."""
FILLER: Final = "who fills in the template"
MOST_NAMED: Final = 5
"""Values that a message names."""
NO_FIELD: Final = "\0"
_PLACED: Final = ("gpus", "parallel", "batch.", "workers.")
DERIVED_FIELDS: Final[Mapping[str, str | tuple[str, ...]]] = {
    "gpus": _PLACED,
    "parallel": _PLACED,
    "launcher": _PLACED,
    "batch": "batch.",
    "workers": "workers.",
    "networks": "networks.",
}
"""Fields that a placed spec works out from others, by how these begin."""
ON_KEYS: Final = ("unknown-key", "unused-key")
"""Rules about a key, whatever its value."""


def is_class(key: object) -> bool:
    """Return whether a key names a class: `type`, `model_type`, `task`."""
    return isinstance(key, str) and (key in {"type", "model", "task"} or key.endswith("_type"))


class Unknown(Struct, frozen=True):
    """The paths that a command sets to what only the shell knows."""

    paths: tuple[Path, ...] = ()

    @classmethod
    def of(cls, document: Document) -> Unknown:
        """Return a document's."""
        paths: Iterable[Path] = document.meta.get("unknown", ())
        return cls(tuple(path[:-1] if path and is_class(path[-1]) else path for path in paths))

    def touches(self, path: Path) -> bool:
        """Return whether a value is one of them, in one of them, or holds one."""
        return any(path[: len(unknown)] == unknown[: len(path)] for unknown in self.paths)

    def holds(self, path: Path) -> bool:
        """Return whether a value is one of them or in one of them."""
        return any(path[: len(unknown)] == unknown for unknown in self.paths)

    def spares(self, path: Path) -> bool:
        """Return whether a mapping is the same class with the same tensors, whatever they are."""
        return not self.holds(path) and all(
            unknown[-1] in SIZELESS_KEYS for unknown in self.paths if unknown[: len(path)] == path
        )

    def read_by(self, text: str, fields: Collection[str]) -> bool:
        """Return whether an expression may read one of them, or one of the unknown `fields`."""
        if not self.paths or not _VARIABLE.search(text):
            return False
        names = reads(text)
        if "flat" in text and any(
            self.touches(path) if is_read else self._decides(path)
            for path, is_read in _paths(names.get("flat"))
        ):
            return True
        if _DOC.search(text) and any(map(self.touches, _sections(text))):
            return True
        spec = names.get("spec")
        return "spec" in text and bool(fields) and (spec is None or not set(spec).isdisjoint(fields))

    def _decides(self, path: Path) -> bool:
        """Return whether one of them decides that a value is there: they are set, and what holds them is."""
        return any(len(path) > len(unknown) and path[: len(unknown)] == unknown for unknown in self.paths)

    def spared(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return the problems without those of unknown values."""
        return tuple(
            problem
            for problem in problems
            if (problem.rule in ON_KEYS and problem.on_key) or not self.holds(problem.path)
        )


def _paths(names: Mapping[str, bool] | None) -> Iterable[tuple[Path, bool]]:
    """Return what is read of the flat document, or asked for; the root where that is not written out."""
    known = names.items() if names is not None else ()
    return [((), True)] if names is None else [(tuple(name.split(".")), read) for name, read in known]


def _sections(text: str) -> Iterable[Path]:
    sections = _SECTION.findall(text)
    return (
        [tuple(section.split(".")[1:]) for section in sections]
        if len(sections) == len(_DOC.findall(text))
        else [()]
    )


def of_a_template(document: Document) -> Document:
    """Return a config whose values are unknown where it has the name of a variable in their place."""
    if document.format == COMMAND or not _PLACEHOLDER.search(document.source.text):
        return document
    texts = {path: dig(document.value, path) for path in document.places}
    names = {
        path: text for path, text in texts.items() if isinstance(text, str) and _PLACEHOLDER.fullmatch(text)
    }
    if not names:
        return document
    meta = {"knower": FILLER, **document.meta, "unknown": {**document.meta.get("unknown", {}), **names}}
    return replace(document, meta=meta)


def why_unknown(unknown: Mapping[str, str], name: str) -> str | None:
    """Return why a field is not known, or what it was placed by; None where it is known."""
    for lost, why in unknown.items():
        if lost in (ALL_FIELDS, name) or name.startswith(
            DERIVED_FIELDS.get(lost.partition(".")[0], NO_FIELD)
        ):
            return why
    return None


def unknown_fields(
    document: Document, dialect: Dialect, lost: Collection[str], place: str
) -> Mapping[str, str]:
    """Return why fields are unknown: those `lost`, or all of them.

    All are where the shell may set any key, or decides which variant is read.
    """
    unknown = Unknown.of(document)
    conditions = [variant.when for variant in dialect.variants if variant.when is not None]
    if () in unknown.paths or any(unknown.read_by(text, ()) for text in conditions):
        lost = (ALL_FIELDS,)
    known = [*dict.fromkeys(document.meta.get("unknown", {}).values())]
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    texts = ", ".join(known[:MOST_NAMED]) + more
    knower = document.meta.get("knower", "the shell")
    return dict.fromkeys(sorted(lost), f"only {knower} knows {texts}{f' ({place})' if place else ''}")
