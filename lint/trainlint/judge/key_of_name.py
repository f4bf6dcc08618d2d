# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a name in a rule to the key of the config that sets it: where it is written, or where it would go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.config.value_by_path import absent, dig
from trainlint.dialects.schema.schema_walk import Schema, applicable, members
from trainlint.judge.rule_scope import Scope
from trainlint.model.document import Path
from trainlint.model.job import Job

SIDE: Final = "image.side"


def key_of(job: Job, scope: Scope, name: str) -> Path | None:
    """Return the path whose value is this field as it is; None where no single key sets it.

    A field worked out from others has none; a default's is where the dialect's schema would have it.
    Raises TooLargeError where the document has cost all the checks that it may.
    """
    if name not in scope.keys:
        scope.keys[name] = _path_of(job, scope, name)
    return scope.keys[name]


def _path_of(job: Job, scope: Scope, name: str) -> Path | None:
    if name.startswith("doc."):
        own = _steps(job.document.value, name.split(".")[1:])
        return own if isinstance(dig(job.document.value, own[:-1]), Mapping) else None
    field = name.removeprefix("spec.")
    for path in scope.spec.at(field):
        if _could_be(job, path):
            return path
        written = dig(job.document.value, path)
        if _is_written(written, scope.spec[field], of_both=field == SIDE):
            return path
    if field in scope.spec and scope.spec.fields[field].origin != "default":
        return None
    return next(_unwritten(job, field), None)


def _steps(value: Any, names: Sequence[str]) -> Path:
    """Return a path by the names of its steps, of which one into a list is a number."""
    path: Path = ()
    for name in names:
        path = (*path, int(name) if isinstance(dig(value, path), list) and name.isdigit() else name)
    return path


def _is_written(written: Any, value: Any, *, of_both: bool) -> bool:
    """Return whether a document's value is the field's own; a command's are all strings.

    `of_both`: the side of a square, which may be written for its width and for its height, as "512,512".
    """
    if absent(written) or isinstance(written, Mapping):
        return False
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not isinstance(written, str):
        return bool(written == value)
    return {part.strip() for part in (written.split(",") if of_both else [written])} == {str(value)}


def _could_be(job: Job, path: Path) -> bool:
    """Return whether a field names a key that is not there yet in a mapping that is."""
    value = job.document.value
    return bool(path) and absent(dig(value, path)) and isinstance(dig(value, path[:-1]), Mapping)


def _unwritten(job: Job, field: str) -> Iterator[Path]:
    """Yield keys that the schema would read the field from, in mappings that the document has."""
    stack: list[tuple[Path, Schema, Any]] = [((), job.dialect.schema, job.document.value)]
    while stack:
        path, schema, value = stack.pop(0)
        for part in applicable(job.dialect.schema, schema, value, job.dialect.valid):
            for key, inner in part.get("properties", {}).items():
                plain = (binding for binding in job.dialect.bindings(inner) if binding.value is None)
                if isinstance(value, Mapping) and key not in value and any(b.field == field for b in plain):
                    yield (*path, key)
            stack += [((*path, key), inner, value[key]) for key, inner in members(part, value)]


def key_near(job: Job, path: Path) -> Path | None:
    """Return the written key that the schema lists nearest to a new one, which goes under its heading.

    The trainer reads a key under any heading, but a reader looks for it where its like is.
    """
    names = {name: number for number, name in enumerate(job.dialect.schema.get("properties", {}))}
    here = names.get(str(path[-1]))
    written = [key for key in job.document.places if len(key) == 1 and key[0] in names]
    if here is None or not written:
        return None
    return min(written, key=lambda key: abs(names[str(key[0])] - here))
