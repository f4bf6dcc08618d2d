# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether check, fit --best and fit --solve batch recommend one edit where a job needs too much memory.

    python -m bench advice                        the examples of each trainer on cards that are too small
    python -m bench advice FILE=TARGET ...        jobs of your own

Nothing is traced: a job whose step is not stored has no row. The exit status is 1 where two answers differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from bench.commands import parser_of
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.solve import best, solve
from trainlint.solve.fits_target import MEMORY

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZES = ("2GiB", "6GiB", "12GiB", "20GiB")
"""Each example is asked about on the first of these where its memory does not suffice, and on the last."""


class Answers(Struct, frozen=True):
    """The edit that each of them recommends first; "" where it has none."""

    check: str
    best: str
    solve: str

    @property
    def alike(self) -> bool:
        """Whether all of them say the same."""
        return self.check == self.best == self.solve


def listed(results: Sequence[Result]) -> str:
    """Return the edit that a report has first: the recommended one, or memory's of some readings."""
    advice = next((result.recommended for result in results if result.recommended is not None), None)
    if advice is not None:
        return advice.summary
    findings = [finding for result in results for finding in result.findings if finding.rule in MEMORY]
    return next((finding.fixes[0].summary for finding in findings if finding.fixes), "")


def asked(pipeline: Pipeline, jobs: Sequence[Job], target: Target) -> Answers | None:
    """Ask about a job on a target; None where its memory suffices or is not known."""
    results = tuple(pipeline.lint_path(jobs[0].document.source.path, named=True))
    results = tuple(result for result in results if result.line == jobs[0].document.line)
    if not any(finding.rule in MEMORY for result in results for finding in result.findings):
        return None
    changes = best(pipeline, jobs, target).changes
    solved = solve(pipeline, jobs, target, "batch", _nothing)
    return Answers(listed(results), changes[0] if changes else "", solved.advice)


def _nothing(*_: object) -> None:
    """Report no progress, and guess no batch to begin with."""


def rows(path: str, target: str) -> Iterator[tuple[str, Answers]]:
    """Yield the answers for each job of a file on a target."""
    settings = Settings(target=(target,))
    tapes = tapes_for(settings, _nothing, may_trace=False, beside=(path,))
    pipeline = pipeline_for(settings, tapes)
    for jobs in jobs_in(path, pipeline):
        placed_on = next(filter(None, pipeline.targets))
        if (answers := asked(pipeline, jobs, placed_on)) is not None:
            yield f"{path}:{jobs[0].document.line} on {target}", answers


def main() -> int:
    """Print a line for each job; 1 where answers differ."""
    parser = parser_of(__doc__)
    parser.add_argument("jobs", nargs="*", metavar="FILE=TARGET")
    written = [tuple(job.rpartition("=")[::2]) for job in parser.parse_args().jobs]
    examples = [str(path) for path in sorted((EXAMPLES / "trainers").iterdir())]
    examples += [str(path) for path in sorted(EXAMPLES.glob("*.yml"))]
    count = differing = 0
    for path, target in written or [(path, size) for path in examples for size in SIZES]:
        for name, answers in rows(path, target):
            count, differing = count + 1, differing + (not answers.alike)
            print(f"{'the same' if answers.alike else 'DIFFERENT'}  {name}", flush=True)
            for who in ("check",) if answers.alike else Answers.__struct_fields__:
                print(f"    {who}: {getattr(answers, who) or 'no edit'}", flush=True)
    print(f"{count} jobs, {count - differing} with one answer")
    return int(differing > 0)
