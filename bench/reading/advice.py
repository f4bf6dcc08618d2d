# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether one edit is recommended by all that recommend one, where a job needs too much memory.

    python -m bench advice                        the examples of each trainer on cards that are too small
    python -m bench advice FILE=TARGET ...        jobs of your own
    python -m bench advice --trace FILE=TARGET    those too whose step is not stored: torch traces it

They are check, fit --best, fit --solve batch, the page, the editor and the line `first:`. The exit status is
1 where two answers differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

from msgspec import Struct

from bench.commands import parser_of
from trainlint.editor.offered_fixes import repairs
from trainlint.model.finding import OUT_OF_MEMORY
from trainlint.model.job import Job
from trainlint.model.result import Report, Result
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.page.html_page import document
from trainlint.report.style import Style
from trainlint.report.text.first_step import first_step
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.solve import best, solve

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZES = ("2GiB", "6GiB", "12GiB", "20GiB")
"""Each example is asked about on the first of these where its memory does not suffice, and on the last."""


PAGE_EDIT = re.compile(r'<section class="advice">.*?<b>fix(?: \(.*?\))?: (.*?)</b>')
LISTED_EDIT = re.compile(
    r"<small>\[vram-\w+\]</small></p>(?:<p class=.note.>[^<]*</p>)*<div><p>fix: (.*?) <small>"
)
FIRST_EDIT = re.compile(r"^first: \S+ (.* -> .*|add .*) \[[\w-]+\]")


class Answers(Struct, frozen=True):
    """The edit that each of them recommends first; "" where it has none, None where it says nothing."""

    check: str
    best: str
    solve: str
    page: str
    editor: str
    first: str | None

    @property
    def alike(self) -> bool:
        """Whether all of them say the same: the page says the edit alone, without what it does."""
        said = (self.check, self.best, self.solve, self.page, self.editor, self.first)
        return (
            self.check == self.best == self.solve
            and len({_edit(each) for each in said if each is not None}) == 1
        )


def _edit(answer: str) -> str:
    """Return an answer without what follows from the edit."""
    return answer.partition(" (")[0].partition(", then ")[0]


def listed(results: Sequence[Result]) -> str:
    """Return the edit that a report has first: the recommended one, or memory's of some readings."""
    advice = next((result.recommended for result in results if result.recommended is not None), None)
    if advice is not None:
        return advice.summary
    findings = [finding for result in results for finding in result.findings if finding.rule in OUT_OF_MEMORY]
    return next((finding.fixes[0].summary for finding in findings if finding.fixes), "")


def on_page(results: Sequence[Result]) -> str:
    """Return the edit at the top of the page; of what only some readings need, the first below a line."""
    page = document(Report(results=tuple(results)))
    edit = PAGE_EDIT.search(page) or LISTED_EDIT.search(page)
    return unescape(edit.group(1)) if edit else ""


def in_editor(results: Sequence[Result]) -> str:
    """Return the first edit that an editor offers where memory does not suffice."""
    spans = [
        finding.spans[0] for result in results for finding in result.findings if finding.rule in OUT_OF_MEMORY
    ]
    offered = [repair for span in spans for repair in repairs(results, results[0].path, span)]
    return offered[0].title if offered else ""


def said_first(results: Sequence[Result]) -> str | None:
    """Return the edit of the line `first:`; None where there is no such line."""
    lines = list(first_step(Report(results=tuple(results)), Style()))
    edit = FIRST_EDIT.match(lines[0]) if lines else None
    return (edit.group(1) if edit else "") if lines else None


def asked(pipeline: Pipeline, jobs: Sequence[Job], target: Target) -> Answers | None:
    """Ask about a job on a target; None where its memory suffices or is not known."""
    results = tuple(pipeline.lint_path(jobs[0].document.source.path, named=True))
    results = tuple(result for result in results if result.line == jobs[0].document.line)
    if not any(finding.rule in OUT_OF_MEMORY for result in results for finding in result.findings):
        return None
    changes = best(pipeline, jobs, target).changes
    solved = solve(pipeline, jobs, target, "batch", _nothing)
    return Answers(
        check=listed(results),
        best=changes[0] if changes else "",
        solve=solved.advice,
        page=on_page(results),
        editor=in_editor(results),
        first=said_first(results),
    )


def _nothing(*_: object) -> None:
    """Report no progress, and guess no batch to begin with."""


def rows(path: str, target: str, *, may_trace: bool = False) -> Iterator[tuple[str, Answers]]:
    """Yield the answers for each job of a file on a target."""
    settings = Settings(target=(target,))
    tapes = tapes_for(settings, _nothing, may_trace=may_trace, beside=(path,))
    pipeline = pipeline_for(settings, tapes)
    for jobs in jobs_in(path, pipeline):
        placed_on = next(filter(None, pipeline.targets))
        if (answers := asked(pipeline, jobs, placed_on)) is not None:
            yield f"{path}:{jobs[0].document.line} on {target}", answers


def main() -> int:
    """Print a line for each job; 1 where answers differ."""
    parser = parser_of(__doc__)
    parser.add_argument("jobs", nargs="*", metavar="FILE=TARGET")
    parser.add_argument("--trace", action="store_true")
    chosen = parser.parse_args()
    written = [tuple(job.rpartition("=")[::2]) for job in chosen.jobs]
    examples = [str(path) for path in sorted((EXAMPLES / "trainers").iterdir())]
    examples += [str(path) for path in sorted(EXAMPLES.glob("*.yml"))]
    count = differing = 0
    for path, target in written or [(path, size) for path in examples for size in SIZES]:
        for name, answers in rows(path, target, may_trace=chosen.trace):
            count, differing = count + 1, differing + (not answers.alike)
            print(f"{'the same' if answers.alike else 'DIFFERENT'}  {name}", flush=True)
            for who in ("check",) if answers.alike else Answers.__struct_fields__:
                answer = getattr(answers, who)
                print(f"    {who}: {'says nothing' if answer is None else answer or 'no edit'}", flush=True)
    print(f"{count} jobs, {count - differing} with one answer")
    return int(differing > 0)
