# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Edits of a file's own text: one value replaced or one key added, everything else left byte for byte."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import yaml

from trainlint.config.value_by_path import absent, dig
from trainlint.expressions.patterns import later
from trainlint.model.document import ENVIRONMENT, PYTHON, Document, Path, Span
from trainlint.model.finding import Edit

_TAG = later(r"(!\S+[ \t]+)?(.*)", re.DOTALL)
_HEADER = later(r"[ \t]*\[[^\[\]\r\n]*\][ \t]*(#[^\r\n]*)?(?=\r?\n|\Z)")

_BETWEEN_WORDS = later(r"(?:[ \t]|\\\r?\n)+")
_BEFORE = later(r"(?:[ \t]|\\\r?\n)+\Z")
"""What stands between two words of a command: spaces and lines that go on."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every edit made, back to front. Raises ValueError where two overlap."""
    last = len(text)
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        if edit.span.end > last:
            raise ValueError("two edits overlap")
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        last = edit.span.start
    return text


def set_value(
    document: Document, path: Path, value: Any, flag: str = "", before: Path | None = None
) -> Edit | None:
    """Return the edit that gives `path` a value: replaced where it is written, else added to its mapping.

    `flag` is how a command spells it; `before` the key of a mapping that it goes before, the first one
    without. None where that cannot be done safely: a block value, an empty mapping
    (but a table of TOML under its header), what a notebook's JSON would escape, a command in a script which
    is only called here.
    """
    if not path or document.meta.get("called"):
        return None
    written = path in document.places and path not in document.meta.get("borrowed", ())
    if document.format == "command" and (isinstance(value, list) or (written and isinstance(value, bool))):
        return None  # words would have to come or go with the flag, or the flag itself
    if written:
        return _as_it_is(document, _replace(document, path, value))
    added = (
        _add_flag(document, flag, value)
        if document.format == "command"
        else _insert(document, path, value, before)
    )
    return _as_it_is(document, added)


def _as_it_is(document: Document, edit: Edit | None) -> Edit | None:
    """Return an edit, but for one of a notebook's cell that JSON writes otherwise than the cell has it."""
    if edit is None or document.cell is None:
        return edit
    old = document.source.text[edit.span.start : edit.span.end]
    return edit if all(json.dumps(text) == f'"{text}"' for text in (old, edit.text)) else None


def rename_key(document: Document, path: Path, name: str) -> Edit | None:
    """Return the edit that spells a key differently, in the quotes it has."""
    place = document.places.get(path)
    if place is None or place.key is None or document.meta.get("called"):
        return None
    raw = document.source.text[place.key.start : place.key.end]
    quote = raw[0] if raw[:1] in ("'", '"') else ""
    if document.format != "command":
        return _as_it_is(document, Edit(place.key, f"{quote}{name}{quote}"))
    flag = document.meta["flags"].get(path[0])
    if not flag or f"{quote}{flag}{quote}" != raw:  # from a variable, or quoted in part
        return None
    prefix = "-" * (len(flag) - len(flag.lstrip("-")))
    return _as_it_is(document, Edit(place.key, f"{quote}{prefix}{name}{quote}"))


def delete_flag(document: Document, name: str) -> Edit | None:
    """Return the edit that takes a flag and its words out of a command, with the line they leave empty."""
    place = document.places.get((name,))
    borrowed = (name,) in document.meta.get("borrowed", ())
    if document.format != "command" or place is None or place.key is None or borrowed:
        return None
    if document.meta.get("called"):
        return None
    text, start, end = document.source.text, place.key.start, max(place.key.end, place.value.end)
    after = _BETWEEN_WORDS.match(text, end)
    if after is not None and after.end() < len(text) and text[after.end()] not in "\r\n":
        end = after.end()
    else:
        before = _BEFORE.search(text, 0, start)
        start = before.start() if before is not None else start
    return _as_it_is(document, Edit(Span(start, end), ""))


def _replace(document: Document, path: Path, value: Any) -> Edit | None:
    raw = document.raw(path)
    if "\n" in raw or not raw or isinstance(dig(document.value, path), Mapping):
        return None
    tag, old = _tag(document, raw)
    if raw.startswith(("&", "*")):
        return None
    return Edit(document.places[path].value, tag + _write(document.format, value, old))


def _tag(document: Document, raw: str) -> tuple[str, str]:
    match = _TAG.fullmatch(raw) if document.format == "yaml" else None
    return (match.group(1) or "", match.group(2)) if match else ("", raw)


def _insert(document: Document, path: Path, value: Any, before: Path | None) -> Edit | None:
    """Add a key before another or the first one of its mapping, in that mapping's style and indentation."""
    parent, key = path[:-1], path[-1]
    siblings = dig(document.value, parent)
    if absent(siblings) or not isinstance(siblings, Mapping) or document.format in ("command", PYTHON):
        return None
    keys = [document.places[(*parent, name)].key for name in siblings if (*parent, name) in document.places]
    starts = sorted(span.start for span in keys if span is not None)
    key = document.meta.get("fields", {}).get(key, key)
    if not isinstance(key, str):
        return None
    if document.format == ENVIRONMENT:
        return _set_variable(document, key, value, starts)
    if not starts:
        return _under_header(document, parent, f"{key} = {_write('toml', value, '')}")
    neighbour = None if before is None or before not in document.places else document.places[before].key
    text, start = document.source.text, starts[0] if neighbour is None else neighbour.start
    line_start = text.rfind("\n", 0, start) + 1
    lead = text[line_start:start]
    own_line = not lead.strip(" \t-")
    separator = {"json": ",", "yaml": "," if _is_flow(document, parent) else ""}.get(document.format, "")
    name = json.dumps(key) if document.format == "json" else key
    between = " = " if document.format == "toml" else ": "
    gap = _line_end(text) + " " * len(lead) if own_line else " "
    return Edit(Span(start, start), f"{name}{between}{_write(document.format, value, '')}{separator}{gap}")


def _set_variable(document: Document, name: str, value: Any, starts: Sequence[int]) -> Edit | None:
    """Set a variable on a line of its own, before the first; None where the trainer reads none for it."""
    is_read = name in document.meta.get("fields", {}).values()
    if not is_read or not isinstance(value, bool | int | float | str):
        return None
    text = document.source.text
    start = text.rfind("\n", 0, starts[0]) + 1
    return Edit(Span(start, start), f"export {name}={_write(ENVIRONMENT, value, '')}{_line_end(text)}")


def _under_header(document: Document, table: Path, line: str) -> Edit | None:
    """Write the first line of a table of TOML that has a header and nothing else."""
    place = document.places.get(table)
    if document.format != "toml" or place is None or place.key is None:
        return None
    text = document.source.text
    start = text.rfind("\n", 0, place.key.start) + 1
    header = _HEADER.match(text, start)
    return None if header is None else Edit(Span(header.end(), header.end()), f"{_line_end(text)}{line}")


def _add_flag(document: Document, flag: str, value: Any) -> Edit | None:
    """Add a flag before a command's first one, else after its script: no other flag's words are split."""
    if not flag or value is False:
        return None
    text = flag if value is True else f"{flag} {shlex.quote(str(value))}"
    borrowed = document.meta.get("borrowed", ())
    keys = [
        place.key.start
        for path, place in document.places.items()
        if len(path) == 1 and place.key is not None and path not in borrowed
    ]
    if keys:
        return Edit(Span(min(keys), min(keys)), f"{text} ")
    script = document.places.get(("@script",))
    return None if script is None else Edit(Span(script.value.end, script.value.end), f" {text}")


def _is_flow(document: Document, path: Path) -> bool:
    return document.raw(path).lstrip().startswith("{")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _write(format_name: str, value: Any, old: str) -> str:
    writers: Mapping[str, Callable[[Any, str], str]] = {
        "yaml": _yaml,
        "command": lambda value, _: shlex.quote(str(value)),
        PYTHON: lambda value, _: repr(value),
    }
    return writers.get(format_name, _json)(value, old)


def _json(value: Any, _: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _yaml(value: Any, old: str) -> str:
    """Write a scalar, a flat list or mapping as YAML 1.1 reads it back, in the quotes of the old text."""
    match value:
        case bool() | None:
            return json.dumps(value)
        case float():
            return _yaml_float(value)
        case int():
            return str(value)
        case list():
            return f"[{', '.join(_yaml(item, '') for item in value)}]"
        case Mapping():
            pairs = (f"{_yaml(name, '')}: {_yaml(item, '')}" for name, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return _yaml_string(str(value), old)


def _yaml_float(value: float) -> str:
    """Write a float with the dot and the signed exponent that PyYAML asks for."""
    mantissa, mark, exponent = repr(value).partition("e")
    if not mark:
        return mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent):+d}"


def _yaml_string(value: str, old: str) -> str:
    if old.startswith("'"):
        return "'" + value.replace("'", "''") + "'"
    plain = re.fullmatch(r"[A-Za-z_][\w./-]*", value) and yaml.safe_load(value) == value
    return value if plain and not old.startswith('"') else json.dumps(value, ensure_ascii=False)


def raw_edit(document: Document, path: Path, text: str) -> Edit | None:
    """Return the edit that writes `text` as it is in place of a scalar."""
    if path not in document.places or path in document.meta.get("borrowed", ()):
        return None
    if document.meta.get("called") or "\n" in document.raw(path):
        return None
    return _as_it_is(document, Edit(document.places[path].value, text))
