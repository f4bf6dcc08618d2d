# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The edit that a job is advised to make, in words, and what the job needs after it."""

from __future__ import annotations

from trainlint.expressions.patterns import later
from trainlint.model.after_edit import After
from trainlint.model.finding import Level
from trainlint.model.recommendation import Recommendation
from trainlint.model.result import Result
from trainlint.model.units import disk, gib_between, plural, sessions_between
from trainlint.report.brief.calendar_time import hours_each, run_hours
from trainlint.report.job_block import runs_out
from trainlint.report.style import printable

_INSTALLED = later(r"pip install [\w.-]+")


def in_row(result: Result) -> bool:
    """Return whether the line of a job among others says the edit that it is advised to make."""
    after = result.recommended.after if result.recommended is not None else None
    return after is not None and after.memory is not None and runs_out(result)


def advised(advice: Recommendation, result: Result, rule: str = "", line: int = 0, edit_line: int = 0) -> str:
    """Say what is recommended for a rule's finding and what follows from it.

    `line` was quoted above it; `edit_line` is where the edit is, of which the job that is shown is one
    of several.
    """
    also = [name for name in _fixed_by(advice, result) if name != rule]
    effect = ", ".join(filter(None, (advice.effect, _fewer(advice, result))))
    name = fix_named(effect if advice.changes_training else "", edit_line)
    edit = head_of(advice.summary)
    if len(advice.edits) == 1 and advice.edits[0][1] == line and all(advice.edits[0][2:]):
        edit = printable(" -> ".join(advice.edits[0][2:]))
    edit += _not_nearer(advice, result)
    others = f"; also fixes {', '.join(also)}" if also and rule else ""
    remaining = _remaining(advice, result) if rule and advice.after else ""
    uncovered = " and ".join(advice.uncovers)
    next_fail = f"; then {uncovered} {'fail' if len(advice.uncovers) > 1 else 'fails'}" if uncovered else ""
    return f"{name}: {edit}{then(advice.after, result)}{others}{remaining}{next_fail}"


def _fixed_by(advice: Recommendation, result: Result) -> list[str]:
    """Return the rules of the findings that the recommended edit fixes."""
    mine = {
        finding.rule
        for finding in result.findings
        for fix in finding.fixes[:1]
        if fix.summary == advice.summary
    }
    return list(dict.fromkeys((*sorted(mine), *advice.also_fixes)))


def _remaining(advice: Recommendation, result: Result) -> str:
    """Say which errors the recommended edit leaves: "; autocast-arguments remains"."""
    left = _left(advice, result)
    return f"; {' and '.join(left)} {'remains' if len(left) == 1 else 'remain'}" if left else ""


def _left(advice: Recommendation, result: Result) -> list[str]:
    """Return the rules of the errors that the recommended edit leaves."""
    fixed = _fixed_by(advice, result)
    return [name for name in _errors(result) if name not in fixed]


def _errors(result: Result) -> list[str]:
    """Return the rules of a result's errors."""
    return list(dict.fromkeys(finding.rule for finding in result.findings if finding.level is Level.FAIL))


def fix_named(effect: str, line: int = 0) -> str:
    """Return the word for a fix, with its line and what it does to the run."""
    place = f" at line {line}" if line else ""
    return f"fix{place} ({printable(effect)})" if effect else f"fix{place}"


def _fewer(advice: Recommendation, result: Result) -> str:
    """Say how much less is learned from after the edit, where that is known."""
    before, after = result.samples_seen, advice.after.samples if advice.after is not None else None
    if not before or after is None or after >= before:
        return ""
    return f"{max(1, round(100 * (before - after) / before))}% fewer samples"


def _not_nearer(advice: Recommendation, result: Result) -> str:
    """Say why the edit is no smaller one; of a batch that memory alone decides the limit says it."""
    memory = result.facts.memory if result.facts is not None else None
    safe = memory.safe.value if memory is not None and memory.safe is not None else None
    if not advice.nearer or advice.edits[0][3] == str(safe):
        return ""
    return f" ({printable(advice.nearer)})"


def head_of(summary: str) -> str:
    """Return what a fix does, and what has to be installed for it, without what it leads to."""
    head = summary.partition(" (")[0]
    needs = _INSTALLED.search(summary, len(head))
    return printable(f"{head} ({needs[0]})" if needs else head)


def edit_of_row(result: Result, *, short: bool = False) -> list[str]:
    """Return the edit that a job is advised to make, and what it needs then, for a line among others.

    The last of it is the size on disk, where that is known; a job that fails all the same has what it fails
    by after that, and no hours. [] where nothing is known of the edited job, or it fits as it is.
    """
    advice = result.recommended
    if advice is None or not in_row(result):
        return []
    first, *more = after_parts(advice.after, result, with_disk=True, short=short)
    edit, left = f"{head_of(advice.summary)}, then {first}", _left(advice, result)
    if not left:
        return [edit, *more]
    after = advice.after
    on_disk = f", {disk(after.disk)}" if after is not None and after.disk is not None else ""
    remain = "remains" if len(left) == 1 else "remain"
    return [f"{edit}{on_disk}; {plural(len(left), 'error')} {remain}"]


def after_parts(
    after: After | None, result: Result, *, with_disk: bool = False, short: bool = False
) -> list[str]:
    """Return what a job needs after an edit, of disk where that changes, or `with_disk` in any case."""
    before = result.facts.disk if result.facts is not None else None
    if after is None:
        return []
    parts = []
    if after.memory is not None:
        parts.append(_memory(after.memory))
    if after.hours is not None:
        parts.append(run_hours(after.hours))
    elif after.thousand_hours is not None:
        parts.append(hours_each(after.thousand_hours, after.named, short=short))
    if after.hours is not None and after.sessions is not None and after.sessions[2] != 1:
        parts.append(sessions_between(after.sessions))
    if after.disk is not None and (with_disk or before is None or disk(before.total) != disk(after.disk)):
        parts.append(disk(after.disk))
    return parts


def then(after: After | None, result: Result) -> str:
    """Say what a job needs after an edit: ", then 8.9 to 10.1 GiB, 65 h"; "" where that is not known."""
    parts = after_parts(after, result)
    return f", then {', '.join(parts)}" if parts else ""


def then_memory(after: After | None) -> str:
    """Say what memory a job needs after an edit, as short as that: ", then 8.90 to 10.06 GiB"."""
    return "" if after is None or after.memory is None else f", then {_memory(after.memory)}"


def _memory(needed: tuple[int, int]) -> str:
    return f"{gib_between(*needed)} GiB"
