# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The run over its hours: sessions with their saves, and the disk as it fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.facts import Disk, Time
from trainlint.model.result import Result
from trainlint.model.target import Target
from trainlint.model.units import disk, hours, plural
from trainlint.report.brief.calendar_time import gpu_hours, run_hours, sessions
from trainlint.report.brief.reading_names import reading_label
from trainlint.report.page.markup import Html, el

WIDTH: Final = 600
HEIGHT: Final = 90
UNITS_PER_TICK: Final = 4
"""Units between two ticks at least; else there are none."""
CLOSE_SHARE: Final = 1e-6
"""Of an interval: a save at the end of the work that is kept is one."""
MOST_DRAWN: Final = 60
"""Sessions or saves that are drawn one by one."""


def plans(results: Sequence[Result]) -> Html:
    """Return the section of all targets whose time or disk is known."""
    parts = [part for result in results for part in _plan(result)]
    return el("section", el("h3", "The run"), *parts, class_="plans") if parts else Html()


def _plan(result: Result) -> Iterator[Html]:
    facts, target = result.facts, result.target
    if facts is None or target is None or (facts.time is None and facts.disk is None):
        return
    name = f"{target.name}, {reading_label(result.variant)}" if result.variant else target.name
    parts = [*_split(facts.time, target), *_disk(facts.disk, facts.time, target)]
    if parts:
        yield el("div", el("h4", name), *parts, class_="plan", data_reading=result.variant)


def _split(time: Time | None, target: Target) -> Iterator[Html]:
    if time is None or time.total_hours is None:
        return
    budget = target.session_budget_h
    words = gpu_hours(time)
    if budget is None:
        yield el("p", f"{words}; the machine has no session limit")
        return
    count = time.sessions[1] if time.sessions is not None else None
    words += f"; {sessions(time, target) or f'a session has {hours(budget)}'}"
    if count is None:
        yield el("p", words)
        return
    lost = time.lost_hours[1] if time.lost_hours is not None and count > 1 else 0.0
    if time.last_checkpoint is not None and count > 1:
        hour = time.last_checkpoint[1]
        words += f"; the first one saves last at iteration {hour:,}, {hours(lost)} of work after it are lost"
    yield el("p", words)
    if count <= MOST_DRAWN:
        yield _strip(time.total_hours[1], budget, count, lost, time.save_hours[1] if time.save_hours else 0)


def _strip(whole: float, budget: float, count: int, lost: float, every: float) -> Html:
    """Draw sessions side by side, with a tick for each save and the work after the last one set off."""
    scale = WIDTH / (budget * count)
    kept = budget - lost
    parts = []
    for index in range(count):
        start = index * budget
        left = min(budget, max(0.0, whole - index * kept)) if index == count - 1 else budget
        done = left if index == count - 1 else kept
        parts.append(_box("session", start * scale, done * scale))
        if left > done:
            parts.append(_box("lost", (start + done) * scale, (left - done) * scale))
        saves = int(done / every + CLOSE_SHARE) if every else 0
        if saves * count <= WIDTH // UNITS_PER_TICK:
            parts += [_tick((start + (save + 1) * every) * scale) for save in range(saves)]
    words = f"{plural(count, 'session')}; a tick is a save, red is work that is lost"
    return el("svg", el("title", words), *parts, class_="strip", viewBox=f"0 0 {WIDTH} 32", role="img")


def _box(name: str, start: float, wide: float) -> Html:
    width = max(0.5, round(wide - 1, 1))
    return el("rect", class_=name, x=round(start + 0.5, 1), y=8, width=width, height=16, rx=2)


def _tick(x: float) -> Html:
    return el("line", class_="save", x1=round(x, 1), x2=round(x, 1), y1=4, y2=28)


def _disk(kept: Disk | None, time: Time | None, target: Target) -> Iterator[Html]:
    if kept is None or not kept.total:
        return
    limit = f" of {disk(target.disk)}" if target.disk else ""
    words = f"{disk(kept.total)}{limit} of disk at the end: {kept.checkpoints} x {disk(kept.per_checkpoint)}"
    words += f" and {disk(kept.final)} last" if kept.final else ""
    if kept.images:
        words += f", images of {disk(kept.images[0])} to {disk(kept.images[1])} besides"
    words += f", logs {disk(kept.logs[0])} to {disk(kept.logs[1])}" if kept.logs else ""
    words += f"; not counted: {', '.join(kept.omits)}" if kept.omits else ""
    yield el("p", words)
    end = run_hours(time.total_hours) if time is not None and time.total_hours else "the end"
    yield _growth(kept, target.disk, end)


def _growth(kept: Disk, limit: int | None, end: str) -> Html:
    """Draw the disk's use from save to save, against its limit where that is near."""
    near = limit is not None and limit < 4 * kept.total
    top = max(kept.total, limit or 0) if near else kept.total
    low, high = HEIGHT - 14, 6

    def y(size: float) -> float:
        return round(low - (low - high) * size / (top * 1.04), 1)

    shown = min(kept.checkpoints, MOST_DRAWN)
    path = f"M0 {y(0)}"
    for index in range(1, shown + 1):
        path += (
            f"H{round(WIDTH * index / shown, 1)}V{y(kept.per_checkpoint * kept.checkpoints * index / shown)}"
        )
    path += f"V{y(kept.total)}H{WIDTH}"
    parts = [el("path", class_="area", d=f"{path}V{y(0)}Z"), el("path", class_="curve", d=path)]
    if near and limit is not None:
        parts.append(el("line", class_="limit", x1=0, x2=WIDTH, y1=y(limit), y2=y(limit)))
        parts.append(el("text", f"{disk(limit)}", x=4, y=y(limit) + 11, class_="label"))
    parts.append(el("text", "start", x=0, y=HEIGHT - 2, class_="label"))
    parts.append(el("text", end, x=WIDTH, y=HEIGHT - 2, class_="label", text_anchor="end"))
    title = el("title", f"disk used from the start to the end of the run: {disk(kept.total)}")
    return el("svg", title, *parts, class_="growth", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img")
