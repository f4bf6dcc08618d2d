# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a config hands to an optimizer or a scheduler, against the signature of the class that takes it.

torch's signatures come from torch_signatures.json (`python -m bench torch_signatures`), so that no torch is
needed; a trainer's own classes are in its schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path as File
from typing import Any, Final

from trainlint.dialects.messages.value_wording import MOST_CHOICES
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.model.document import Path
from trainlint.model.job import Doubt, Problem

TABLE: Final = File(__file__).with_name("torch_signatures.json")


def unknown_arguments(note: Mapping[str, Any], path: Path, value: Any) -> Iterator[Problem]:
    """Yield the keys of a mapping {type, ...} that the class of that name does not take.

    `note` is the schema's `x-arguments`: `of` names a part of the table, `own` the trainer's own classes
    (keywords, or the name of the torch class that is behind one), `folded` that case does not matter,
    `doubt` that some version of the trainer may take keys out before torch's class gets them.
    """
    kind = value.get("type") if isinstance(value, Mapping) else None
    taken, doubt = _taken(note, kind) if isinstance(kind, str) else (None, None)
    strange = [key for key in value if key != "type" and key not in taken] if taken is not None else []
    for key in strange[:MOST_CHOICES]:
        absent = [name for name in taken or () if name not in value]
        near = most_alike(str(key), absent, CLOSE_RATIO)
        hint = f'; did you mean "{near}"?' if near else ""
        message = f'{kind} takes no argument "{key}"{hint}'
        yield Problem("unknown-argument", message, (*path, key), on_key=True, suggestion=near, doubt=doubt)


def _taken(note: Mapping[str, Any], kind: str) -> tuple[Sequence[str] | None, Doubt | None]:
    """Return the keywords of a class, the trainer's own before torch's, and what a fork may have changed."""
    folded = note.get("folded", False)
    own = _find(note.get("own", {}), kind, folded=folded)
    if own is not None and not isinstance(own, str):
        return own, Doubt.ARGUMENT
    keywords = _find(_torch()[note["of"]], str(own or kind), folded=folded)
    return keywords, Doubt.KEY if note.get("doubt") else None


def _find(classes: Mapping[str, Any], name: str, *, folded: bool) -> Any:
    if not folded:
        return classes.get(name)
    return {known.lower(): taken for known, taken in classes.items()}.get(name.lower())


@cache
def _torch() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table
