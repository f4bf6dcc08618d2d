# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a report is made of: one Result per job and target, and the Report around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.estimate.facts import Facts
from trainlint.estimate.run.launcher import Launcher
from trainlint.hardware import Target
from trainlint.judge.finding import Finding, Level, Outcome, Skip
from trainlint.judge.verdicts import Verdict
from trainlint.read.document import Document, Source
from trainlint.start import Start
from trainlint.tape import Network
from trainlint.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.judge.rule import Rule

NO_REASON: Final = "the config has errors"
"""Why a job was not judged that no rule spoke of."""


class Result(Struct, frozen=True):
    """The verdict on one job (or one file that gave none) against one target.

    `line` is the 1-based line where the job starts; `source` is the text that findings' spans point into.
    """

    path: str
    source: Source
    outcome: Outcome
    line: int = 1
    document: int = 0
    cell: int | None = None
    name: str | None = None
    dialect: str | None = None
    trainer: Trainer | None = None
    variant: str | None = None
    target: Target | None = None
    launcher: Launcher | None = None
    start: Start | None = None
    """The command under which the job was judged, where it is not a command itself."""
    networks: tuple[Network, ...] = ()
    facts: Facts | None = None
    findings: tuple[Finding, ...] = ()
    skips: tuple[Skip, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """What was judged, by family of facts (memory, time, disk, host)."""
    undecided: bool = False
    """Some rule of level fail could not be judged (what --strict refuses)."""
    origin: Document | None = None
    """The document that was judged, for reports that name its keys."""

    def with_findings(self, findings: tuple[Finding, ...]) -> Result:
        """Return the result with other findings, and the outcome that they make."""
        return replace(self, findings=findings, outcome=outcome_of(findings, undecided=self.undecided))

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Order of a report: file, then place, then target; readings stay as they came."""
        return (self.path, self.line, self.document, self.target.name if self.target else "")


class Crash(Struct, frozen=True):
    """trainlint itself failed on a file: the message to show, and the traceback for --debug."""

    path: str
    message: str
    traceback: str


class Report(Struct, frozen=True):
    """Everything one run of the command found.

    `files` counts the files that were opened; `unrecognised` are those met in folders that no dialect knows.
    """

    results: tuple[Result, ...] = ()
    files: int = 0
    unrecognised: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    crashes: tuple[Crash, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """The rules that were judged, for formats that explain them."""

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many results there are of each outcome."""
        return Counter(result.outcome for result in self.results)


def outcome_of(findings: tuple[Finding, ...], *, undecided: bool) -> Outcome:
    """Return the verdict: fail > warn > skipped (a rule of level fail was not judged) > pass."""
    levels = {finding.level for finding in findings}
    if Level.FAIL in levels:
        return Outcome.FAIL
    if Level.WARN in levels:
        return Outcome.WARN
    return Outcome.SKIPPED if undecided else Outcome.PASS


def why_unjudged(result: Result) -> str | None:
    """Return why a job's memory was not judged on its target; None where it was, or there is no target."""
    if result.target is None or result.verdicts.get("memory", Verdict.PASS) is not Verdict.NOT_JUDGED:
        return None
    facts = result.facts
    reason = facts.missing.get("memory") if facts is not None else None
    reasons = (skip.reason for skip in result.skips if skip.rule == "vram-budget")
    return reason or next(reasons, None) or next((skip.reason for skip in result.skips), NO_REASON)
