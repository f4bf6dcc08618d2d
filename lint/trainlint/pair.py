# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command and the option file that it names: one job, whose findings are in either of two files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge import RuleSet
from trainlint.judge.finding import Finding
from trainlint.judge.relint import Tries
from trainlint.judge.result import Result, outcome_of
from trainlint.readings import key_of
from trainlint.start import Start

OF_FLAGS: Final = "unknown-key"
"""The rule of a command's flags, which its option file says nothing of."""


class Judge(Protocol):
    """What the pipeline does of it."""

    @property
    def rules(self) -> RuleSet:
        """The rules of the run."""

    def started(self, start: Start, path: str) -> Iterator[tuple[Job, ...]]:
        """Yield an option file's jobs under a command."""

    def judge_all(self, jobs: Sequence[Job], target: Target | None, *, tries: Tries) -> tuple[Result, ...]:
        """Judge one document's jobs on a target."""


class Pair(Struct, frozen=True):
    """A command and the option file at `path` that it starts.

    `elsewhere`: the file is linted by itself too, and under a command to the same effect.
    """

    start: Start
    path: str
    elsewhere: bool

    def judged(
        self, judge: Judge, own: Sequence[Result], target: Target | None, tries: Tries
    ) -> Iterator[Result]:
        """Yield the command's `own` results, and those of its option file on the same target.

        `tries` are those of the page, which all its option files share. What is wrong with the command is
        said there, at the words that it is about.
        """
        if self.elsewhere:
            yield from (_without_skips(result) for result in own)
            return
        tries = Tries(0) if tries.one else tries  # a page is fixed, not what it starts
        found = [
            result
            for jobs in judge.started(self.start, self.path)
            if jobs
            for result in judge.judge_all(jobs, target, tries=tries)
        ]
        if not found:
            yield from own
            return
        moved = {
            key_of(finding)[0]: self._moved(judge, finding)
            for result in found
            for finding in result.findings
            if _of_the_command(judge, finding)
        }
        yield from (
            _without_skips(result.with_findings((*result.findings, *moved.values()))) for result in own
        )
        for result in found:
            kept = (one for one in result.findings if not _of_the_command(judge, one))
            yield result.with_findings(tuple(kept))

    def _moved(self, judge: Judge, finding: Finding) -> Finding:
        """Return a finding at the words of the command that its rule points at."""
        document = self.start.document
        if document is None:
            return finding
        from trainlint.judge.spans import span_at  # noqa: PLC0415 - not for what passes

        name = judge.rules.rules[finding.rule].at[0].removeprefix("start.")
        paths = [(each,) for each in (name, f"@{name}") if (each,) in document.places]
        message = finding.message.removesuffix(f" ({self.start.place})")
        return replace(finding, message=message, spans=(span_at(document, next(iter(paths), ())),), fixes=())


def _of_the_command(judge: Judge, finding: Finding) -> bool:
    rule = judge.rules.rules.get(finding.rule)
    return rule is not None and bool(rule.at) and rule.at[0].startswith("start.")


def _without_skips(result: Result) -> Result:
    """Return a command's result without what only its option file says: that is judged by itself."""
    own = tuple(skip for skip in result.skips if skip.rule == OF_FLAGS)
    outcome = outcome_of(result.findings, undecided=False)
    return replace(result, skips=own, undecided=False, verdicts={}, outcome=outcome)
