# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a run takes by the calendar: in sessions of a machine that is lent for some hours a week."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from trainlint.model.units import hours_between, plural

if TYPE_CHECKING:
    from trainlint.model.facts import Range, Time
    from trainlint.model.target import Target


def run_hours(total: Range) -> str:
    """Write a run's hours, always as this range ("60 to 141 h")."""
    return hours_between(total[0], total[2])


def gpu_hours(time: Time) -> str:
    """Return the run's length in hours of its GPUs ("60 to 141 h of GPU"), "" where it is not known."""
    return "" if time.total_hours is None else f"{run_hours(time.total_hours)} of GPU"


def sessions(time: Time, target: Target | None, *, quota: bool = True) -> str:
    """Say in how many sessions a run is done, and in how many weeks of which `quota`.

    "" for a run without such limits.
    """
    if time.total_hours is None or time.sessions is None or target is None:
        return ""
    budget, count = target.session_budget_h, time.sessions[1]
    if budget is None:
        return ""
    if count is None:
        return f"no session of {budget:g} h gets to a save"
    if count <= 1:
        return f"one session of {budget:g} h"
    return f"{plural(count, 'session')} of {budget:g} h{_weeks(time, target, quota=quota)}"


def _weeks(time: Time, target: Target, *, quota: bool) -> str:
    weeks = weeks_of(time, target)
    if weeks is None:
        return ""
    return f", about {plural(weeks, 'week')}{f' at {target.weekly_h:g} h a week' if quota else ''}"


def weeks_of(time: Time, target: Target) -> int | None:
    """Return the weeks of a run, every session but the last to its end; None for less, or without a quota."""
    count = time.sessions[1] if time.sessions is not None else None
    if count is None or target.weekly_h is None or target.session_budget_h is None:
        return None
    used = count * target.session_budget_h
    return ceil(used / target.weekly_h) if used > target.weekly_h else None


def length(time: Time, target: Target | None) -> list[str]:
    """Return the time until a run is done, as one waits for it: weeks of a quota, else hours and sessions."""
    if time.total_hours is None:
        return []
    weeks = weeks_of(time, target) if target is not None else None
    if weeks is not None:
        return [f"about {plural(weeks, 'week')}"]
    count = time.sessions[1] if time.sessions is not None else None
    several = [plural(count, "session")] if count is not None and count > 1 else []
    return [run_hours(time.total_hours), *several]
