# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Command lines as their script's argparse reads them: the words of each flag, their types, its complaints.

What the parser knows is in the dialect's schema. A property is a flag; `boolean` is a switch without a
value (`"x-takes": 1` for argparse's `type=bool`, which makes any text true), `array` takes all words, every
other type one. `"x-yes-or-no": true` is a switch that "true" or "false" may follow, as transformers'
HfArgumentParser makes them. `x-flags` lists the spellings, ["--<property>"] when absent; `"x-dashes": true`
at the root says that the parser writes dashes where its names have underscores, "both" that it takes either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.number_words import as_number
from trainlint.dialects.schema.schema_walk import Schema, applicable, kinds
from trainlint.expressions.patterns import later
from trainlint.model.document import COMMAND, Document, Path, Place

YES_OR_NO: Final = "x-yes-or-no"

TOML: Final = "toml"
TRUTHS: Final = {"true": True, "True": True}
"""Texts that count as what they say where any text counts as true."""

ANSWERS: Final = {
    **dict.fromkeys(("yes", "true", "t", "y", "1"), True),
    **dict.fromkeys(("no", "false", "f", "n", "0"), False),
}
"""The words that may follow a switch (string_to_bool of transformers/hf_argparser.py)."""


_FILLED_IN: Final = later(r"(?:MY|NUM|NUMBER|YOUR)_")
"""How the name of a value that a page's reader fills in begins."""


def as_script_reads(document: Document, dialect: Dialect) -> Document:
    """Return a command, or a file of argparse's defaults, with the values that the parser makes of it.

    Texts that do not convert stay texts, so that the schema refuses them. Flags whose value is only known
    when the script runs are None, as are the absent ones of an abridged command: neither has a default.
    """
    known = flags(document, dialect)
    if document.format == COMMAND:
        document = _parsed(document, known, dialect)
    read = _as_they_are if _is_left_alone(document, dialect) else _convert
    value = {
        name: read(known[name], text) if name in known else text for name, text in document.value.items()
    }
    open_ended, words = unresolved(document), _words_of(document)
    document, lent = _with_defaults(document, dialect, known)
    value = lent | value
    value |= {name: None for name in open_ended if name in known}
    if document.meta.get("partial"):
        value = {name: None for name in known if name not in value} | value
    meta = {**document.meta, "unresolved": tuple((name,) for name in open_ended), "words": words}
    return replace(document, value=value, meta=meta)


def _words_of(document: Document) -> dict[str, tuple[tuple[Any, ...], frozenset[int]]]:
    """Return the words of each flag that has several or may, with which of them only the shell knows."""
    unknown: dict[str, set[int]] = {}
    for path in document.meta.get("unresolved", ()):
        unknown.setdefault(str(path[0]), set()).add(int(path[1]) if len(path) > 1 else 0)
    return {
        name: (tuple(text) if isinstance(text, list | tuple) else (text,), frozenset(unknown.get(name, ())))
        for name, text in document.value.items()
        if name in unknown or isinstance(text, list | tuple | str)
    }


def _with_defaults(
    document: Document, dialect: Dialect, known: Mapping[str, Schema]
) -> tuple[Document, dict[str, Any]]:
    """Return the values that a command takes from a file of defaults, found where the file is named.

    argparse converts a default that is text, and leaves any other as it is; a namespace it leaves whole.
    """
    if document.format != COMMAND:
        return document, {}
    from trainlint.dialects.schema.defaults_file import defaults_of  # noqa: PLC0415 - of a command alone

    defaults = defaults_of(document, dialect)
    if defaults is None:
        return document, {}
    if defaults.unknown:
        note = f"the defaults that the command on line {document.line} takes are unknown: {defaults.unknown}"
        meta = {**document.meta, "partial": True}
        lent: dict[str, Any] = {"@defaults": defaults.unknown}
        return replace(document, meta=meta, notes=(*document.notes, note)), lent
    names = [name for name in defaults.values if name in known and name not in document.value]
    place = Place(document.places[defaults.flag,].value)
    where = {name: f"{defaults.path}:{line}" for name, line in defaults.lines.items()}
    meta = {
        **document.meta,
        "borrowed": {(name,): where[name] for name in names},
        "strange": {name: where[name] for name in defaults.values if name not in known},
    }
    lent_places: dict[Path, Place] = {(name,): place for name in names}
    places = {**document.places, **lent_places}
    return replace(document, places=places, meta=meta), {
        name: _convert(known[name], value) if isinstance(value, str) and not dialect.headings else value
        for name, value in defaults.values.items()
        if name in names
    }


def flags(document: Document, dialect: Dialect) -> dict[str, Schema]:
    """Return the flags of this document's script: name -> what the schema says of it."""
    parts: dict[str, Schema] = {}
    for part in applicable(dialect.schema, dialect.schema, document.value, dialect.valid):
        for name, inner in part.get("properties", {}).items():
            if isinstance(inner, Mapping) and not name.startswith("@"):
                parts.setdefault(name, inner)
    return parts


def unresolved(document: Document) -> set[str]:
    """Return the flags whose value holds a variable that is not set, or is what a page has in its place."""
    texts = (
        (name, text)
        for name, text in document.value.items()
        if isinstance(name, str) and isinstance(text, str)  # a key of YAML may be null
    )
    open_ended = {name for name, text in texts if "$" in text or _stands_for(name, text)}
    return open_ended | {str(path[0]) for path in document.meta.get("unresolved", ())}


def _stands_for(name: str, text: str) -> bool:
    """Return whether a text is a word of the flag's own name in capitals: `--lr BASE_LR`, `--dim RANK_DIM`.

    `--max_epochs YOUR_VALUE` and `--max_epochs NUM_LOOPS` are for the page's reader to fill in, too.
    """
    own = {name.upper(), *re.split("[-_]", name.upper())}
    return text.isupper() and (not own.isdisjoint(text.split("_")) or _FILLED_IN.match(text) is not None)


def spellings(name: str, part: Schema, dialect: Dialect) -> tuple[str, ...]:
    """Return what the parser knows a flag by, the usual spelling last."""
    dashes = dialect.schema.get("x-dashes")
    usual = name.replace("_", "-") if dashes else name
    either = (f"--{usual}", f"--{name}") if dashes == "both" else (f"--{usual}",)
    return tuple(part.get("x-flags", either))


def _parsed(document: Document, known: Mapping[str, Schema], dialect: Dialect) -> Document:
    from trainlint.commands.training_command import as_parsed  # noqa: PLC0415  # not for option files

    takes = {name: _words(part) for name, part in known.items()}
    aliases = {
        spelling.lstrip("-").replace("-", "_"): name
        for name, part in known.items()
        for spelling in spellings(name, part, dialect)
    }
    is_whole = dialect.schema.get("additionalProperties") is not True  # else a beginning may be another flag
    return as_parsed(
        document,
        switches={name for name, count in takes.items() if count == 0},
        takes={name: count for name, count in takes.items() if count},
        names=set(known) if is_whole else (),
        aliases=aliases,
    )


def _words(part: Schema) -> int | None:
    """Return how many words a flag takes; None for all of them."""
    if "x-takes" in part:
        return int(part["x-takes"])
    types = kinds(part)
    if "array" in types:
        return None
    return 0 if "boolean" in types and "string" not in types and not part.get(YES_OR_NO) else 1


def _is_left_alone(document: Document, dialect: Dialect) -> bool:
    """Return whether the parser converts none of a file's values: it begins with them, or never gets them."""
    is_namespace = dialect.headings and document.format == TOML
    return is_namespace or (dialect.as_loaded and document.format != COMMAND)


def _as_they_are(part: Schema, value: Any) -> Any:
    """Return a value that the parser leaves alone; what is only tested for truth as it counts.

    A text that the trainer takes apart itself is several.
    """
    if not isinstance(value, str):
        return value
    if "x-takes" in part and {"array", "string"} <= {*kinds(part)}:
        return [value]
    return TRUTHS.get(value, value) if part.get("x-truth") else value


def _convert(part: Schema, value: Any) -> Any:
    """Convert a text, or each of several, by the types of a flag."""
    types = kinds(part)
    if "array" in types and not ("object" in types and isinstance(value, Mapping)):
        items = [] if value is True else value if isinstance(value, list | tuple) else [value]
        # null: a saved default that was never set
        return None if value is None else [_convert(part.get("items", {}), item) for item in items]
    if not isinstance(value, str):
        return value
    if part.get(YES_OR_NO):
        return ANSWERS.get(value.lower(), value)
    if "boolean" in types and "string" not in types:
        return bool(value)
    number = as_number(types, value)
    return value if number is None else number
