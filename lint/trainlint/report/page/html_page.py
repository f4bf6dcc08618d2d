# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The whole page: one file, its policy for what may run in it, its styles, its scripts and their data.

Nothing is loaded: the policy refuses the network, and every script and style but the two that are hashed in
it (https://www.w3.org/TR/CSP3/). What a config says is text or JSON in it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

from trainlint import __version__
from trainlint.model.result import Report, Result
from trainlint.report.closing import headline
from trainlint.report.closing import summary as in_all
from trainlint.report.job_block import WORST_FIRST
from trainlint.report.page.curves import Explained, curves
from trainlint.report.page.job_index import index, title_of
from trainlint.report.page.listing import listing
from trainlint.report.page.machines import advice, badge, machines, summary, switch
from trainlint.report.page.markup import Html, el
from trainlint.report.page.run_plan import plans
from trainlint.report.style import Style
from trainlint.shipped.resource_paths import PACKAGE

SCRIPTS: Final = ("uPlot.iife.min.js", "page.js")
STYLES: Final = ("uPlot.min.css", "page.css")
MOST_JOBS: Final = 200
"""Jobs of a page; of more, the worst."""
LEFT_OUT: Final = "trainlint explain CONFIG --html FILE draws the memory of a step over time"
"""Said on a page that has no curves."""
CURVE_NOTE: Final = (
    "Live tensors in the order in which they are allocated, and what each card leaves for them. Workspaces "
    "and the allocator's fragments come on top: whether a batch fits was found by replaying the allocator."
)
"""Said under the curves."""


def document(report: Report, explained: Mapping[str, Sequence[Explained]] | None = None) -> str:
    """Return a report's page; `explained` are the jobs' workloads by the key of `job_key`."""
    every = sorted((list(group) for _, group in groupby(report.results, job_key)), key=_worst)
    jobs = every[:MOST_JOBS]
    left = (
        el("p", f"+{len(every) - MOST_JOBS} more jobs, none worse than these")
        if len(every) > MOST_JOBS
        else Html()
    )
    drawn = {key: curves(explanations) for key, explanations in (explained or {}).items()}
    of_file = Counter(job[0].path for job in jobs)
    sections = [_job(number, job, drawn, of_file[job[0].path]) for number, job in enumerate(jobs)]
    notes = [el("li", note) for note in (*report.notes, *(crash.message for crash in report.crashes))]
    hint = el("p", LEFT_OUT, class_="note") if explained is None and report.results else Html()
    names = dict.fromkeys(result.path for result in report.results)
    title = ", ".join(names) if len(names) < 3 else f"{len(names)} files"  # noqa: PLR2004  # names that fit
    body = el(
        "body",
        el("header", el("h1", "trainlint"), el("p", in_all(report, Style()))),
        el(
            "main",
            index(report, jobs),
            *sections,
            left,
            hint,
            el("ul", *notes, class_="open") if notes else Html(),
        ),
        el("footer", el("p", f"trainlint {__version__}")),
        _data({str(number): drawn.get(job_key(job[0]), []) for number, job in enumerate(jobs)}),
        *(Html(f"<script>{_asset(name)}</script>") for name in _scripts(drawn, jobs)),
    )
    return f"<!DOCTYPE html>\n{el('html', _head(title), body, lang='en')}\n"


def _scripts(drawn: Mapping[str, Any], jobs: Sequence[Sequence[Result]]) -> Sequence[str]:
    """Return what the page needs: all for curves, its own script for a choice between readings."""
    if any(drawn.values()):
        return SCRIPTS
    return SCRIPTS[1:] if any(switch(job) for job in jobs) else ()


def job_key(result: Result) -> str:
    """Name a job of a file, whatever the target and the reading."""
    return f"{result.path}\n{result.document}\n{result.cell}\n{result.line}"


def _worst(results: Sequence[Result]) -> int:
    return min(WORST_FIRST.index(headline(result)) for result in results)


def _job(number: int, results: Sequence[Result], drawn: Mapping[str, Any], of_file: int) -> Html:
    first = results[0]
    parts = [
        el("h2", badge(WORST_FIRST[_worst(results)]), " ", first.name or first.path),
        el("p", title_of(first), class_="path"),
        summary(results),
        advice(results),
        switch(results),
        machines(results),
        _chart(number) if drawn.get(job_key(first)) else Html(),
        plans(results),
        listing(results, of_file),
    ]
    return el("article", *parts, data_job=str(number), id=f"job{number}")


def _chart(number: int) -> Html:
    """Return the place of a job's curves; the script fills it."""
    slider = el("input", type="range", class_="batch", id=f"batch{number}", min="1", max="1", value="1")
    return el(
        "section",
        el("h3", "Memory of a step"),
        el("div", el("label", "workload ", el("select", class_="workload")), class_="row"),
        el(
            "div",
            el("label", "batch per GPU ", el("output", class_="chosen"), for_=f"batch{number}"),
            slider,
            class_="row",
        ),
        el("p", class_="answer", role="status"),
        el("div", class_="chart"),
        el("ul", class_="legend"),
        el(
            "p",
            CURVE_NOTE,
            class_="note",
        ),
        el("noscript", el("p", "The curve needs JavaScript, which this page brings along.")),
        class_="memory",
    )  # fmt: skip


def _head(title: str) -> Html:
    style = "".join(_asset(name) for name in STYLES)
    scripts = " ".join(_hash(_asset(name)) for name in SCRIPTS)
    own = f"script-src {scripts}; style-src {_hash(style)}"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    return el(
        "head",
        el("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"{title} - trainlint"),
        Html(f"<style>{style}</style>"),
    )


def _data(data: Mapping[str, Any]) -> Html:
    """Return JSON in which nothing ends the element that holds it."""
    written = json.dumps(data, separators=(",", ":"))
    for char in "<>&":
        written = written.replace(char, f"\\u{ord(char):04x}")
    return Html(f'<script type="application/json" id="curves">{written}</script>')


@cache
def _asset(name: str) -> str:
    return (PACKAGE / "report" / "page" / name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
