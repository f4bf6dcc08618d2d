# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The file of data sets or prompts that a config or a command names: read with the config's own values.

A property with `x-joined` names a YAML, JSON or TOML file, which is looked for as a file of defaults is
(`defaults_file`). Its data sets are in the document as `@NAME`, a list of mappings for expressions; where
they cannot be read, `@NAME` is {"unknown": why}. A file of prompts is read in the same way, of which a .txt
has one a line (`prompt_lines`). Keys that data sets may set are in the document itself as well, as these have
them (`over`), so that rules see what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec.structs import replace

from trainlint.config.prompt_lines import lines_of, prompt_of
from trainlint.dialects.schema.defaults_file import file_named
from trainlint.dialects.schema.dialect import Dialect
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document

MOST_JOINED_BYTES: Final = 1_000_000
"""The largest file that is read: one of sd-scripts or SimpleTuner has some lines for each data set."""
UNKNOWN: Final = "unknown"


def joined(document: Document, dialect: Dialect) -> Document:
    """Return a document with the data sets of the files that it names."""
    if not dialect.joined or not isinstance(document.value, Mapping):
        return document
    named = {name: text for name in dialect.joined if (text := document.value.get(name))}
    held = {
        f"@{name}": _sets(document, name, str(text), dialect.joined[name]) for name, text in named.items()
    }
    places = {(f"@{name}",): document.nearest((name,)) for name in named}
    value = {**document.value, **held}
    for name in named:
        over = dialect.joined[name].get("over")
        if over is None or not isinstance(held[f"@{name}"], list):
            continue
        for key, said in _said(held[f"@{name}"], over, document.value).items():
            value[key], places[(key,)] = said, document.nearest((name,))
    return replace(document, value=value, places={**document.places, **places})


def _said(
    sets: Sequence[Mapping[str, Any]], over: Mapping[str, Any], written: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what data sets say of keys that a document may have, too: where one does, or where all do.

    A part of a set goes before the set, and that before the document; `flags` are texts there.
    """
    parts = [
        {**item, **part}
        for item in sets
        for part in ([*filter(_is_mapping, item.get(over["parts"]) or ())] if "parts" in over else []) or [{}]
    ]
    said = {}
    for key in (*over.get("one", ()), *over.get("all", ())):
        if not any(key in part for part in parts):
            continue
        values = [part.get(key, written.get(key)) for part in parts]
        if key in over.get("one", ()):
            said[key] = next(filter(None, values), values[0])
        elif all(value == values[0] for value in values):
            said[key] = _flag(values[0]) if key in over.get("flags", ()) else values[0]
        else:
            said[key] = None
    return said


def _flag(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _sets(document: Document, name: str, text: str, where: Mapping[str, Any]) -> Any:
    """Return the data sets of a file, each with what all share, or why they are not known."""
    flags = where.get("flags", {})
    if (written := document.value.get(where.get("text"))) is not None:
        own = [prompt_of(line, flags) for line in lines_of(str(written))]
        return _with(where.get("default"), own) or {UNKNOWN: "there are no prompts"}
    if (name,) in document.meta.get("unresolved", ()) or "$" in text:
        return {UNKNOWN: f'"{text}" is only known when the command runs'}
    path = file_named(document, text)
    if isinstance(path, str):
        return {UNKNOWN: path}
    status = path.stat()
    value = _value(text, str(path), status.st_mtime_ns, status.st_size, lines=bool(flags))
    if isinstance(value, Mapping) and UNKNOWN in value:
        return value
    shared = _below(value, where["shared"]) if "shared" in where else None
    sets = _below(value, where["sets"]) if "sets" in where and isinstance(value, Mapping) else value
    if isinstance(sets, list) and flags:
        sets = [prompt_of(item, flags) if isinstance(item, str) else item for item in sets]
    if not isinstance(sets, list) or not sets or not all(isinstance(item, Mapping) for item in sets):
        return {UNKNOWN: f'"{text}" has no {"prompts" if flags else "data sets"}'}
    return _with(where.get("default"), _with(shared, sets))


def _with(shared: Any, sets: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return sets with what all of them have that do not say otherwise."""
    return [{**shared, **item} for item in sets] if isinstance(shared, Mapping) else sets


def _below(value: Any, path: str) -> Any:
    """Return what a mapping has at a dotted path; None where it has nothing there."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def forget() -> None:
    """Read every joined file again."""
    _value.cache_clear()


@lru_cache(maxsize=32)
def _value(text: str, path: str, _changed: int, _size: int, *, lines: bool) -> Any:
    """Read a file once for all documents that name it; `lines`: a .txt has a value on each of them."""
    from trainlint.documents.file_format import read  # noqa: PLC0415 - of such a document alone

    try:
        source = source_of(regular_bytes(path, MOST_JOINED_BYTES), path)
        if lines and path.endswith(".txt"):
            return lines_of(source.text)
        documents = read(source)
    except UnreadableError as error:
        return {UNKNOWN: f'"{text}" {error}'}
    return documents[0].value if documents else None
