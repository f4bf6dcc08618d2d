# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The first line of a job: which, on what, its verdict, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trainlint.model.finding import PART_OF_CONFIG, Level, Outcome
from trainlint.model.result import Result, does_not_fit_unsaid, memory_known_before
from trainlint.model.units import machine, plural
from trainlint.report.brief.reading_names import IF_IT_IS, either, only_launches, reading_words
from trainlint.report.brief.remark import Remark, remarks_of
from trainlint.report.brief.severity import Severity
from trainlint.report.brief.short_message import said
from trainlint.report.closing import NAMES, headline, open_memory, place_of
from trainlint.report.job_block import JobBlock, is_judged, runs_out
from trainlint.report.style import Style, printable

REASONS = {
    "vram-budget": "runs out of memory",
    "vram-validation": "validation runs out of memory",
    "session-budget": "too long for one session",
    "first-save-too-late": "no session gets to a save",
    "checkpoint-disk": "too much for the disk",
    "vram-tight": "memory is tight",
    "vram-validation-tight": "memory is tight at validation",
    "vram-fragmentation": "may run out of memory",
    "session-straddles": "may not end in one session",
    "save-loses-much": "saves too rarely",
}
"""Rules whose findings head a report, in a few words."""
MOST_REASONS = 2
"""Reasons that are said in words."""
MOST_REASON_WORDS = 12
"""Words of a message that is a reason."""
REASON_LIMITS = ((MOST_REASON_WORDS, MOST_REASONS), (8, MOST_REASONS), (MOST_REASON_WORDS, 1), (8, 1))
"""Words of a message, and reasons, the usual ones and those where a line is too short for them."""
CUT_MARK = "…"


def title(block: JobBlock, remarks: Sequence[Remark], style: Style) -> str:
    """Return the headline of a job."""
    outcome = headline(block.result)
    target = block.result.target
    cards = f" ({printable(machine(target))})" if target is not None and target.gpu is not None else ""
    open_ = open_memory(block.result) if does_not_fit_unsaid(block.result) else ""
    verdict = style.outcome(outcome, NAMES[outcome]) + open_
    why = reason(block, remarks)
    names = names_of(block.result)
    forms = [(names[0], cards, why), *((name, "", why) for name in names)]
    shorter = [reason(block, remarks, words, most) for words, most in REASON_LIMITS[1:]]
    forms += [
        (name, "", shorter_reason)
        for shorter_reason in shorter
        if shorter_reason and CUT_MARK not in shorter_reason
        for name in names
    ]
    forms.append((names[-1], "", why))
    room = style.width - len(f": {NAMES[outcome]}{open_}, ")
    name, cards, why = next((form for form in forms if sum(map(len, form)) <= room), forms[-1])
    return f"{style.paint('bold', name)}{cards}: {verdict}{f', {why}' if why else ''}"


def names_of(result: Result) -> list[str]:
    """Return what to call a job, the longest first: by its path, from here on, by its file's name."""
    path = Path(result.path)
    here = Path.cwd()
    paths = [path, *([path.relative_to(here)] if path.is_relative_to(here) else []), Path(path.name)]
    full = place_of(result)
    return list(dict.fromkeys(printable(full.replace(result.path, str(path), 1)) for path in paths))


def reason(
    block: JobBlock,
    given: Sequence[Remark] | None = None,
    words: int = MOST_REASON_WORDS,
    most: int = MOST_REASONS,
    *,
    naming_rest: bool = False,
) -> str:
    """Say why a job has its verdict: what fails; where nothing does, what may.

    A message has so many `words`, and there are `most` of them; the rest are named by their rules where no
    line below has them.
    """
    remarks = remarks_of(block) if given is None else given
    worst = [remark for remark in remarks if remark.severity is Severity.ERROR]
    readings = (
        list(_unless(block)) if not any(remark.finding.rule == "vram-budget" for remark in worst) else []
    )
    named = [*readings, *dict.fromkeys(_words(remark, words) for remark in worst)]
    if readings and worst and not naming_rest:  # what only some readings have is not why a job fails
        most = max(most, MOST_REASONS)
    if not named:
        warned = [remark for remark in remarks if remark.finding.rule in REASONS and not remark.only]
        named = list(dict.fromkeys(_words(remark, words) for remark in warned))[:most]
    if not named:
        return _first(remarks, block, words, naming_rest=naming_rest)
    in_words = [remark for remark in worst if _words(remark, words) in named[:most]]
    return "; ".join(named[:most]) + (_also(worst, in_words) if naming_rest else "")


def _also(remarks: Sequence[Remark], in_words: Sequence[Remark]) -> str:
    """Name the rules of remarks that none of those said in words has."""
    known = {remark.finding.rule for remark in in_words}
    rules = dict.fromkeys(
        printable(remark.finding.rule) for remark in remarks if remark.finding.rule not in known
    )
    return f"; also {', '.join(rules)}" if rules else ""


def _words(remark: Remark, words: int) -> str:
    if remark.finding.message.startswith(PART_OF_CONFIG):
        return PART_OF_CONFIG
    return REASONS.get(remark.finding.rule) or printable(said(remark.finding, words))


def _first(remarks: Sequence[Remark], block: JobBlock, words: int, *, naming_rest: bool) -> str:
    """Say the first of some warnings."""
    if not remarks:
        return known_before(block)
    remarks = sorted(remarks, key=lambda remark: not remark.finding.message.startswith(PART_OF_CONFIG))
    only = f" ({printable(remarks[0].only)})" if remarks[0].only else ""
    also = _also(remarks, remarks[:1]) if naming_rest else ""
    return f"{_words(remarks[0], words)}{only}{also}"


def known_before(block: JobBlock) -> str:
    """Say what is in the baseline, errors first: it is no verdict that nothing is wrong.

    That the job does not fit is said by its verdict.
    """
    findings = [
        finding
        for reading in block.readings
        for finding in reading.known_before
        if finding.rule != "vram-budget" or not memory_known_before(block.result)
    ]
    rules = list(
        dict.fromkeys(
            finding.rule for finding in sorted(findings, key=lambda finding: finding.level is not Level.FAIL)
        )
    )
    if not rules:
        return ""
    more = f" and {plural(len(rules) - MOST_REASONS, 'other')}" if len(rules) > MOST_REASONS else ""
    return f"known before: {', '.join(rules[:MOST_REASONS])}{more}"


def _unless(block: JobBlock) -> Iterator[str]:
    """Say under which readings a job fails, or runs out of memory, where it does not under all of them."""
    failing = [reading for reading in block.readings if _fails(reading)]
    if len(failing) == len(block.readings):
        failing = [reading for reading in failing if runs_out(reading)]
    fitting = [reading for reading in block.readings if reading not in failing]
    if not failing or not fitting:
        return
    wrong = "out of memory" if all(map(runs_out, failing)) else "fails"
    names = [reading.variant or "" for reading in failing]
    if only_launches([*names, *(reading.variant or "" for reading in fitting)]) and is_judged(fitting[0]):
        started = reading_words(fitting[0].variant or "")
        yield f"{wrong} unless started {started}"
    elif len(fitting) == 1 and all(reading.version is not None for reading in block.readings):
        runs = "fits" if all(map(runs_out, failing)) else "works"
        yield f"{runs} with 1 of the {len(block.readings)} published versions"
    elif len(fitting) == 1 and (name := reading_words(fitting[0].variant or "")).startswith(IF_IT_IS):
        yield f"{wrong} unless {printable(name.removeprefix('if '))}"
    else:
        yield f"{wrong} {printable(either(names))}"


def _fails(reading: Result) -> bool:
    return reading.alone is Outcome.FAIL or runs_out(reading)
