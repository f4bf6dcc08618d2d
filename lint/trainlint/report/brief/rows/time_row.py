# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a run takes, in how many sessions, and for which readings."""

from __future__ import annotations

from typing import Final

from trainlint.model.facts import Time
from trainlint.model.result import Result
from trainlint.model.units import count_between
from trainlint.model.verdict import Verdict
from trainlint.report.brief.calendar_time import gpu_hours, samples_of_session, sessions
from trainlint.report.brief.figures import step_words
from trainlint.report.brief.missing import HOW_MANY_SAMPLES, disk_wanted, measurement_wanted, time_wanted
from trainlint.report.brief.reading_names import reading_words
from trainlint.report.brief.rows.figure_row import Row
from trainlint.report.brief.rows.other_readings import others_in_brackets
from trainlint.report.job_block import JobBlock
from trainlint.report.style import printable

NEVER_RUNS: Final = "never runs"
WHOLE_RUN: Final = "all epochs"
"""What hours for each 1,000 samples are of: every epoch."""


def time_row(block: JobBlock, apart: bool) -> Row | None:
    """Return the row of time; its reading is named where it is `apart` from the one whose memory is shown."""
    facts = block.result.facts
    if facts is None:
        return None
    words = time_wanted(block.result)
    if facts.time is None:
        words = f"{printable(words)}{others_in_brackets(block, _sessions_of, apart=apart)}" if words else ""
        return Row("time", "not judged", words) if words else None
    others = others_in_brackets(block, _sessions_of, apart=apart)
    if facts.time.total_hours is None:
        step = step_words(facts) or NEVER_RUNS
        hours = "" if words.startswith(HOW_MANY_SAMPLES) else "hours: "
        what = "hours and disk: " if words == disk_wanted(block.result) else hours
        asked = f"{what}{printable(words)}{_by(facts.time)}" if words else ""
        said = "; ".join(filter(None, (_whole_run(block), _holds(block.result), asked)))
        return Row("time", step, f"{said}{others}".lstrip())
    failed = block.result.verdicts.get("time") is Verdict.FAIL  # which says how long a session is
    planned = sessions(facts.time, block.result.target, others=others, failed=failed)
    said = f"{planned or others.lstrip()}{_by(facts.time)}"
    remark = "; ".join(filter(None, (said, measurement_wanted(block.result))))
    return Row("time", gpu_hours(facts.time), remark, failed)


def _whole_run(block: JobBlock) -> str:
    """Say what hours for each 1,000 samples are of, and those of other versions where they differ."""
    if not _each(block.result):
        return ""
    name, others = reading_words(block.tightest), others_in_brackets(block, _each, named=True)
    return f"{WHOLE_RUN} {printable(name)}{others}" if others and block.tightest else f"{WHOLE_RUN}{others}"


def _each(result: Result) -> str:
    """Return the hours of a run with 1,000 samples, without the unit's name; "" where they are not known."""
    facts = result.facts
    known = facts is not None and facts.time is not None and facts.time.thousand_hours is not None
    return step_words(facts).partition(" per ")[0] if facts is not None and known else ""


def _holds(result: Result) -> str:
    """Say how many samples a run of unknown length may have that ends in one session."""
    facts, target = result.facts, result.target
    time = facts.time if facts is not None else None
    if facts is None or time is None or time.thousand_hours is None or not step_words(facts):
        return ""
    if target is None or target.session_budget_h is None:
        return ""
    budget = target.session_budget_h
    enough = samples_of_session(time.thousand_hours, budget)
    return f"a {budget:g} h session does {enough} {time.samples}"


def _by(time: Time) -> str:
    return f", by {time.measured}" if time.measured else ""


def _sessions_of(result: Result) -> str:
    time = result.facts.time if result.facts is not None else None
    if time is None or time.sessions is None:
        return ""
    return "no save" if time.sessions[1] is None else count_between(time.sessions)
