# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which edit a job is advised to make first, of all that were verified."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.model.after_edit import After
from trainlint.model.finding import OUT_OF_MEMORY, Finding, Fix, Level
from trainlint.model.recommendation import Recommendation, changed

if TYPE_CHECKING:
    from trainlint.model.facts import Facts
    from trainlint.model.result import Result

HELPED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "session-budget": ("first-save-too-late", "save-loses-much")
}
"""A rule that no edit fixes without learning less, and the warnings whose fixes make that cheaper."""


def chosen_fix(
    findings: Sequence[Finding], only: Collection[str] | None = None
) -> tuple[Finding, Fix] | None:
    """Return the finding to fix first, of the rules `only`, and how; None where no edit can be advised.

    One that fails goes before one that warns, of these one whose edit is more than an argument less, and of
    these one of memory: what does not fit is edited so that another rule is no longer in its way either. An
    edit for a problem that only some readings of the job have is not advised. Of a finding's fixes whose
    result is known, the first that leaves alone what is learned is taken, else the first.
    """
    failing = {finding.rule for finding in findings if finding.level is Level.FAIL}
    helping = {name for rule in failing for name in HELPED_BY.get(rule, ())}
    fixed = [finding for finding in findings if finding.writable and (only is None or finding.rule in only)]
    first = min(
        fixed,
        key=lambda candidate: (
            candidate.level is not Level.FAIL,
            candidate.rule not in helping,
            not any(edit.text for edit in candidate.writable[0].edits),
            candidate.rule not in OUT_OF_MEMORY,
        ),
        default=None,
    )
    if first is None:
        return None
    return first, next((fix for fix in first.writable if fix.safe), first.writable[0])


def chosen_of_readings(
    results: Sequence[Result], only: Collection[str] | None = None
) -> tuple[Finding, Fix] | None:
    """Return the finding to fix first and how, whichever of a job's readings have it.

    That of a problem of all of them comes first; of one that some have alone, which of them it is was not
    asked.
    """
    chosen = chosen_fix(results[0].findings, only)
    if chosen is not None:
        return chosen
    return chosen_fix(
        [replace(finding, holds_in=None) for result in results for finding in result.findings], only
    )


def advised(result: Result, edited: Result | None) -> Result:
    """Return a result with the edit that is recommended, which comes first among its finding's fixes.

    `edited` is the result of the text that it makes.
    """
    chosen = chosen_fix(result.findings)
    if chosen is None:
        return result
    finding, fix = chosen
    fixes = (fix, *(kept_fix for kept_fix in finding.fixes if kept_fix is not fix))
    findings = tuple(replace(kept, fixes=fixes) if kept is finding else kept for kept in result.findings)
    edits = tuple((result.path, *changed(result.source.text, edit)) for edit in fix.edits)
    gone = () if edited is None else _gone(result.findings, edited.findings)
    also = tuple(rule for rule in gone if rule != finding.rule)
    facts = edited.facts if edited is not None else None
    after = None if edited is None or facts is None else needed_after(facts, edited.samples_seen)
    return replace(
        result,
        findings=findings,
        recommended=Recommendation(
            edits, fix.summary, after, not fix.safe, also, _uncovered(result, edited), fix.nearer, fix.effect
        ),
    )


def _gone(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[str, ...]:
    """Return the rules that found something before an edit and nothing after it."""
    left = {finding.rule for finding in after}
    return tuple(dict.fromkeys(finding.rule for finding in before if finding.rule not in left))


def _uncovered(before: Result, after: Result | None) -> tuple[str, ...]:
    """Return the rules that fail after an edit and did not before it, when they could not be judged."""
    known = {finding.rule for finding in before.findings}
    failing = (finding.rule for finding in (after.findings if after else ()) if finding.level is Level.FAIL)
    return tuple(dict.fromkeys(rule for rule in failing if rule not in known))


def needed_after(facts: Facts, samples: int | None) -> After:
    """Return what a job needs whose edited text has these facts, and learns from so many samples."""
    memory, time, disk = facts.memory, facts.time, facts.disk
    gpus = [] if memory is None else [*memory.gpus, *([memory.validation] if memory.validation else [])]
    peak = max(gpus, key=lambda gpu: gpu.least - gpu.capacity, default=None)
    return After(
        None if peak is None else (peak.least, peak.expect),
        None if time is None else time.total_hours,
        None if time is None else time.sessions,
        None if disk is None else disk.total,
        samples,
        None if time is None else time.thousand_hours,
        "images" if time is None else time.samples,
    )
