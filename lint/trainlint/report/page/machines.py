# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The machines on the page: verdicts, memory against the card, hours, sessions and disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.facts import GpuMemory, Time
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.units import count_between, disk, gib, machine, seconds
from trainlint.report.brief.advised_edit import advised
from trainlint.report.brief.batch_limits import largest
from trainlint.report.brief.calendar_time import run_hours
from trainlint.report.brief.headline import reason
from trainlint.report.brief.reading_names import reading_label, reading_words
from trainlint.report.closing import NAMES, headline
from trainlint.report.fit_word import state_of
from trainlint.report.job_block import blocks
from trainlint.report.left_open import left_open
from trainlint.report.memory.decisive_figure import need_words, peak
from trainlint.report.page.markup import Html, el, join, table, text

HEAD = ("target", "verdict", "memory", "in GiB", "batch", "time", "sessions", "disk")
BAR_UNITS = 100
"""Units of a bar's length."""


def badge(outcome: Outcome) -> Html:
    """Return a verdict as a coloured word."""
    return el("span", NAMES[outcome], class_=f"badge {outcome.value}")


def machines(results: Sequence[Result]) -> Html:
    """Return the table of targets, a row for each reading; the switch leaves one of them."""
    shown = [reading for block in blocks(results) for reading in block.readings if reading.target is not None]
    if not shown:
        return Html()
    return el(
        "section",
        el("h3", "Targets"),
        table(HEAD, [_row(reading) for reading in shown], [reading.variant for reading in shown]),
        class_="targets",
    )


def switch(results: Sequence[Result]) -> Html:
    """Return the choice of one reading of a job, the one that needs most first; the script shows it."""
    all_blocks = list(blocks(results))
    names = dict.fromkeys(
        name
        for block in all_blocks
        for name in (block.tightest, *(reading.variant for reading in block.readings))
        if name
    )
    if len(names) < 2:  # noqa: PLR2004 - one reading leaves nothing to choose
        return Html()
    options = (el("option", reading_words(name), value=name) for name in names)
    label = el("label", "shown: the run ", el("select", *options, class_="reading"))
    return el("p", label, class_="row", hidden="")


def advice(results: Sequence[Result]) -> Html:
    """Return what is wrong with a job on each target, and the edit that is recommended first."""
    lines = []
    for block in blocks(results):
        why = reason(block)
        edit = block.result.recommended
        on = f"on {block.result.target.name}: " if block.result.target is not None else ""
        if why or edit is not None:
            said = f"{on}{why or 'ok'}"
            lines.append(
                el("p", said, *([el("br"), el("b", advised(edit, block.result))] if edit is not None else []))
            )
    return el("section", *lines, class_="advice") if lines else Html()


def _row(result: Result) -> Iterator[Html | str]:
    target = result.target
    name = target.name if target else ""
    about = [machine(target)] if target else []
    about += [reading_label(result.variant)] if result.variant else []
    yield join([el("b", name), el("small", ", ".join(about))])
    yield badge(headline(result))
    facts = result.facts
    memory = facts.memory if facts else None
    if memory is None:
        yield el("small", "; ".join(left_open(result)) or "not judged")
        yield from ("", "")
    else:
        gpu = peak(memory)
        yield bar(gpu, state_of(gpu, result)[0].value)
        yield need_words(gpu).removesuffix(" GiB")
        yield largest(memory) or ("none known" if memory.largest_open else "none fits")
    time = facts.time if facts else None
    yield from _time(time)
    kept = facts.disk if facts else None
    yield disk(kept.total) if kept else ""


def _time(time: Time | None) -> Iterator[Html | str]:
    if time is None:
        yield from ("", "")
        return
    step = f"{seconds(time.step_seconds[1])} per step"
    long = time.total_hours
    yield join([run_hours(long), el("small", step)]) if long else el("small", step)
    if time.sessions is None:
        yield ""
    else:
        yield "no session gets to a save" if time.sessions[0] is None else count_between(time.sessions)


def bar(gpu: GpuMemory, state: str) -> Html:
    """Draw what a step needs at least, and what is expected, on a scale that ends with the larger of both."""
    least, expect, capacity = gpu.least, gpu.expect, gpu.capacity
    whole = max(least, expect, capacity, 1)
    parts = [
        el("rect", class_="track", x=0, y=0, width=BAR_UNITS * capacity // whole, height=10, rx=2),
        *(
            el(
                "rect",
                class_=f"{name} {state}",
                x=0,
                y=2,
                width=max(1, BAR_UNITS * size // whole),
                height=6,
                rx=1,
            )
            for name, size in (("expect", expect), ("least", least))
        ),
        el(
            "line",
            class_="limit",
            x1=BAR_UNITS * capacity // whole,
            x2=BAR_UNITS * capacity // whole,
            y1=0,
            y2=10,
        ),
    ]
    words = f"at least {gib(least)}, expected {gib(expect)} of {gib(capacity)} GiB"
    return el(
        "svg", el("title", words), *parts, class_="bar", viewBox=f"-1 -1 {BAR_UNITS + 2} 12", role="img"
    )


def summary(results: Sequence[Result]) -> Html:
    """Return what a job is: networks and trainer."""
    first = results[0]
    networks = dict.fromkeys(
        f"{network.role} {network.arch}, {network.parameters:,} parameters"
        for result in results
        for network in result.networks
    )
    words = [first.dialect or "", *networks]
    return el("p", text("; ".join(filter(None, words))), class_="about")
