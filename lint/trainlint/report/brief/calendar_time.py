# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a run takes by the calendar: in sessions of a machine that is lent for some hours a week."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

from trainlint.model.units import hours_alone, hours_between, plural, sessions_between

if TYPE_CHECKING:
    from trainlint.model.facts import Range, Time
    from trainlint.model.target import Target


THOUSAND: Final = 1000
FEW_DIGITS: Final = 10
"""Hours from which no fraction is written."""
FEW_HOURS: Final = 0.005
"""Hours that would be written as 0.00."""


def run_hours(total: Range) -> str:
    """Write a run's hours, always as this range ("60 to 141 h")."""
    return hours_between(total[0], total[2])


def hours_each(thousand: Range, samples: str, *, short: bool = False) -> str:
    """Write the hours of a run with 1,000 samples: "0.36 to 1.5 h per 1,000 images"; minutes for 0.00 h.

    `short` is for a line among others: "0.36 to 1.5 h/1k images".
    """
    scale, unit = (60, "min") if thousand[0] < FEW_HOURS else (1, "h")
    amount = hours_alone(thousand[0] * scale, thousand[2] * scale)
    return f"{amount} {unit}{'/1k' if short else ' per 1,000'} {samples}"


def hours_at_most(hours: float) -> str:
    """Write a bound of a run's hours, rounded up."""
    return f"at most {ceil(hours):,} h" if hours > FEW_DIGITS else f"at most {ceil(10 * hours) / 10:.1f} h"


def samples_of_session(thousand: Range, budget: float) -> str:
    """Write how many samples the run may have that surely ends in a session of so many hours."""
    samples = budget / thousand[2] * THOUSAND
    rounded = 10.0 ** max(0, floor(log10(samples)) - 1) if samples >= 1 else 1
    return f"{floor(samples / rounded) * rounded:,.0f}"


def gpu_hours(time: Time) -> str:
    """Return the run's length in hours of its GPUs ("60 to 141 h of GPU"), "" where it is not known."""
    return "" if time.total_hours is None else f"{run_hours(time.total_hours)} of GPU"


def sessions(time: Time, target: Target | None, *, others: str = "", failed: bool = False) -> str:
    """Say in how many sessions a run is done, with those of `others`, and in how many weeks.

    What has `failed` says elsewhere how long a session is. "" for a run without such limits.
    """
    if time.total_hours is None or time.sessions is None or target is None:
        return ""
    budget, (least, middle, most) = target.session_budget_h, time.sessions
    if budget is None:
        return ""
    if middle is None:
        perhaps = "perhaps " if least is not None else ""
        return f"{perhaps}no session of {budget:g} h gets to a save{others}"
    if most == 1:
        return f"one session of {budget:g} h{others}"
    weeks = weeks_of(time, target)
    quota = f" at {target.weekly_h:g} h a week" if weeks and not others else ""
    length = "" if failed else f" of {budget:g} h"
    return f"{sessions_between(time.sessions)}{length}{others}{f', {weeks}' if weeks else ''}{quota}"


def weeks_of(time: Time, target: Target) -> str:
    """Write the weeks of a run whose machine has a quota ("3 to 6 weeks"); "" for less than one.

    Every session but the last is used to its end, with what it loses.
    """
    least, _, most = time.sessions or (None, None, None)
    weekly, budget, total = target.weekly_h, target.session_budget_h, time.total_hours
    if least is None or weekly is None or budget is None or total is None:
        return ""
    low = ceil(max(total[0], (least - 1) * budget) / weekly)
    if most is None:
        return f"{low} or more weeks"
    lost = time.lost_hours[2] if time.lost_hours is not None else budget
    high = max(low, ceil(min(most * budget, total[2] + (most - 1) * lost) / weekly))
    if high == 1:
        return ""
    return plural(high, "week") if low == high else f"{low} to {high} weeks"


def length(time: Time, target: Target | None) -> list[str]:
    """Return the time until a run is done, as one waits for it: weeks of a quota, else hours and sessions."""
    if time.total_hours is None:
        return []
    if target is not None and (weeks := weeks_of(time, target)):
        return [weeks]
    several = [sessions_between(time.sessions)] if time.sessions is not None and time.sessions[2] != 1 else []
    return [run_hours(time.total_hours), *several]
