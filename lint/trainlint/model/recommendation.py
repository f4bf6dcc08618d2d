# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The one edit that a job is advised to make first, and what the job needs after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.model.finding import CHANGES_TRAINING, Edit

if TYPE_CHECKING:
    from trainlint.model.after_edit import After


class Recommendation(Struct, frozen=True):
    """The edit that was chosen of all that were verified; `edits` are (path, line, old, new).

    `changes_training`: it changes what is learned. `also_fixes` names the other rules whose findings go.
    `uncovers` those that fail then, and could not be judged before: the run stopped earlier.
    `nearer` says why the value next to it is not the one, in a few words; `effect` is the fix's.
    """

    edits: tuple[tuple[str, int, str, str], ...]
    summary: str
    after: After | None = None
    changes_training: bool = False
    also_fixes: tuple[str, ...] = ()
    uncovers: tuple[str, ...] = ()
    nearer: str = ""
    effect: str = CHANGES_TRAINING


def changed(text: str, edit: Edit) -> tuple[int, str, str]:
    """Return an edit's line and the text it replaces and puts there."""
    line = text.count("\n", 0, edit.span.start) + 1
    return line, text[edit.span.start : edit.span.end], edit.text
