# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files whose keys are written as the flags that the trainer makes of them: --lora_rank is lora_rank.

Read: bghira/SimpleTuner bc8e6ab, helpers/configuration/cli_utils.py (mapping_to_cli_args, _is_truthy).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from trainlint.model.document import Document

DASHES: Final = "--"
TRUTHS: Final = {"true": True, "false": False}
"""Words that a flag without a value is given or left out for."""


def without_dashes(document: Document) -> Document:
    """Return a document whose keys have no dashes in front; the same one where none has any."""
    value = document.value
    if not isinstance(value, Mapping) or not any(map(_dashed, value)):
        return document
    named = {_bare(key): _flag(item) for key, item in value.items()}
    places = {(_bare(path[0]), *path[1:]) if path else path: place for path, place in document.places.items()}
    return replace(document, value=named, places=places)


def _dashed(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(DASHES)


def _bare(key: Any) -> Any:
    return key.removeprefix(DASHES) if _dashed(key) else key


def _flag(item: Any) -> Any:
    return TRUTHS.get(item.lower(), item) if isinstance(item, str) else item
