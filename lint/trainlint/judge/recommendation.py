# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The one edit that a job is advised to make first, and what the job needs after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.judge.finding import Finding, Fix, Level
from trainlint.read.edit import Edit, apply_edits

if TYPE_CHECKING:
    from trainlint.estimate.facts import Facts, Range, Sessions


class After(Struct, frozen=True):
    """What a job needs once it is edited: bytes of memory and disk, hours and sessions; None: not known."""

    memory: tuple[int, int] | None = None  # least, expect
    hours: Range | None = None
    sessions: Sessions | None = None
    disk: int | None = None


class Recommendation(Struct, frozen=True):
    """The edit that was chosen of all that were verified; `edits` are (path, line, old, new).

    `changes_training`: it changes what is learned. `also_fixes` names the other rules whose findings go.
    """

    edits: tuple[tuple[str, int, str, str], ...]
    summary: str
    after: After | None = None
    changes_training: bool = False
    also_fixes: tuple[str, ...] = ()


def chosen_fix(findings: Sequence[Finding]) -> tuple[Finding, Fix] | None:
    """Return the first finding with a verified fix, those that fail before those that warn."""
    fixed = [finding for finding in findings if finding.fixes]
    first = min(fixed, key=lambda finding: finding.level is not Level.FAIL, default=None)
    return None if first is None else (first, first.fixes[0])


def recommendation(
    path: str, text: str, findings: Sequence[Finding], after: Facts | None
) -> Recommendation | None:
    """Return what is recommended for a text with these findings; `after` are the edited job's facts."""
    chosen = chosen_fix(findings)
    if chosen is None:
        return None
    finding, fix = chosen
    same = (one.rule for one in findings if one is not finding and fix.edits in [f.edits for f in one.fixes])
    edits = tuple((path, *changed(text, edit)) for edit in fix.edits)
    also = tuple(dict.fromkeys(rule for rule in same if rule != finding.rule))
    return Recommendation(edits, fix.summary, _after(after), not fix.safe, also)


def changed(text: str, edit: Edit) -> tuple[int, str, str]:
    """Return an edit's line and the text it replaces and puts there."""
    line = text.count("\n", 0, edit.span.start) + 1
    return line, text[edit.span.start : edit.span.end], edit.text


def edited_text(text: str, findings: Sequence[Finding]) -> str | None:
    """Return the text with the recommended edit; None where there is none."""
    chosen = chosen_fix(findings)
    return None if chosen is None else apply_edits(text, chosen[1].edits)


def _after(facts: Facts | None) -> After | None:
    if facts is None:
        return None
    memory, time, disk = facts.memory, facts.time, facts.disk
    gpus = [] if memory is None else [*memory.gpus, *([memory.validation] if memory.validation else [])]
    peak = max(gpus, key=lambda gpu: gpu.least - gpu.capacity, default=None)
    return After(
        None if peak is None else (peak.least, peak.expect),
        None if time is None else time.total_hours,
        None if time is None else time.sessions,
        None if disk is None else disk.total,
    )
