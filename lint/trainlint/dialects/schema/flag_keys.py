# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that the trainer makes flags of: --lora_rank is lora_rank, and "1e-4" the number that argparse reads.

Read: bghira/SimpleTuner bc8e6ab, helpers/configuration/cli_utils.py (mapping_to_cli_args, _is_truthy).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.dialects.schema.number_words import as_number
from trainlint.dialects.schema.schema_walk import Schema, kinds
from trainlint.model.document import Document

if TYPE_CHECKING:
    from trainlint.dialects.schema.dialect import Dialect

DASHES: Final = "--"
TRUTHS: Final = {"true": True, "false": False}
"""Words that a flag without a value is given or left out for."""


def as_flags(document: Document, dialect: Dialect) -> Document:
    """Return a document with its keys as names and its texts as the parser reads them.

    A text that the parser makes no number of stays one, so that the schema refuses it.
    """
    value = document.value
    if not isinstance(value, Mapping):
        return document
    parts = dialect.schema["properties"]
    named = {_bare(key): _read(parts.get(_bare(key), {}), item) for key, item in value.items()}
    places = {(_bare(path[0]), *path[1:]) if path else path: place for path, place in document.places.items()}
    return replace(document, value=named, places=places)


def _bare(key: Any) -> Any:
    return key.removeprefix(DASHES) if isinstance(key, str) else key


def _read(part: Schema, item: Any) -> Any:
    if not isinstance(item, str):
        return item
    types = kinds(part)
    number = None if "string" in types else as_number(types, item.strip())
    return TRUTHS.get(item.lower(), item) if number is None else number
