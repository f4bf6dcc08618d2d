# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names that timm builds models and optimizers by, as a stored table has them (`python -m bench timm_names`).

Other versions have others, and so has a fork: a name is said to be wrong only where it is nearly one of
these, or one that the repository around it defines.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path as File
from typing import Any, Final

from trainlint.dialects.messages.typos import NAMES, one_edit
from trainlint.model.document import Path
from trainlint.model.job import Doubt, Problem

TABLE: Final = File(__file__).with_suffix(".json")
MOST_NEAR: Final = 3
"""Names that one message proposes."""

SOURCE_MARKS: Final = (":", "/")
"""What a name has that says where a model is loaded from (hf-hub:timm/resnet50)."""


def unknown_to_timm(note: Mapping[str, Any], path: Path, value: str, title: str) -> Iterator[Problem]:
    """Yield a name that timm does not have, where another one is near; else it is for the source to say."""
    known = names(note["table"])
    name = _plain(value, note["table"])
    if not name or name in known or any(mark in value for mark in SOURCE_MARKS):
        return
    near = sorted(other for other in known if one_edit(name, other))
    message = f'{title} knows no {note["what"]} "{value}"'
    if not near:
        message = f'no Python file of the repository has the {note["what"]} "{value}"'
        yield Problem(NAMES, message, path, doubt=Doubt.SOURCE)
    elif len(near) == 1:
        right = value.replace(name, near[0], 1) if name in value else None
        message = f'{message}; did you mean "{right or near[0]}"?'
        yield Problem(NAMES, message, path, suggestion=right, doubt=Doubt.CLASS)
    else:
        listed = ", ".join(f'"{other}"' for other in near[:MOST_NEAR])
        yield Problem(NAMES, f"{message}; close names are {listed}", path, doubt=Doubt.CLASS)


def _plain(value: str, table: str) -> str:
    """Return a name as timm looks it up: a model's without its weights, an optimizer's without lookahead_."""
    if table == "models":
        return value.partition(".")[0]
    return value.lower().removeprefix("lookahead_").replace("_", "")


@cache
def names(table: str) -> Collection[str]:
    """Return the names of a table."""
    listed: Collection[str] = frozenset(json.loads(TABLE.read_text(encoding="utf-8"))[table])
    return listed
