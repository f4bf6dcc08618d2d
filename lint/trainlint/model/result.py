# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a report is made of: one Result per job and target, and the Report around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.model.document import Document, Source
from trainlint.model.facts import Facts
from trainlint.model.finding import PART_OF_CONFIG, Finding, Fix, Level, Outcome, Skip
from trainlint.model.launcher import Launcher
from trainlint.model.start import Start
from trainlint.model.target import Target
from trainlint.model.trainer import Trainer, Version
from trainlint.model.verdict import Verdict

if TYPE_CHECKING:
    from trainlint.judge.rule import Rule
    from trainlint.model.recommendation import Recommendation
    from trainlint.tape import Network

MEMORY_IGNORED: Final = "vram-budget is ignored"
"""Why memory was not judged that is known: by settings, an option or a comment."""

NOT_SELECTED: Final = "vram-budget is not selected"
"""The same where other rules were selected."""

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
    version: Version | None = None
    """What shows that the trainer is the version of this reading."""
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
    abridged: bool = False
    """A command that leaves arguments out: "..." stands for them."""
    example: tuple[Result, ...] = ()
    """What our own example comes to, where a text only speaks of a training, or has a part of its config."""
    example_title: str = ""
    recommended: Recommendation | None = None
    """The edit that is advised first."""
    by_hand: bool = False
    """No command writes its fixes: a dry run edits nothing, nor is documentation edited that is not named."""
    alone: Outcome | None = None
    """The verdict of one of several readings by itself, before they were held against each other."""
    samples_seen: int | None = None
    """Samples that the whole run learns from, where that is known."""
    ignored: tuple[Finding, ...] = ()
    """What was found, and is hidden by a comment or by the settings of some files."""
    known_before: tuple[Finding, ...] = ()
    """What was found, and is in the baseline, or was so in the revision that is compared with."""
    narrowed: bool = False
    """Only the rules that were selected have judged it."""
    unselected: tuple[str, ...] = ()
    """The others that it fails by."""
    program: str = ""
    """A script that trains and that no dialect knows, where a command of a folder's file starts it."""

    def with_findings(self, findings: tuple[Finding, ...]) -> Result:
        """Return the result with other findings, and the outcome that they make."""
        return replace(self, findings=findings, outcome=outcome_of(findings, undecided=self.undecided))

    @property
    def is_part(self) -> bool:
        """Whether lines on a page are no config by themselves: what they lack is not looked for."""
        return any(finding.message.startswith(PART_OF_CONFIG) for finding in self.findings)

    @property
    def editable(self) -> bool:
        """Whether --fix can write what is offered: there is a file, and it is not its author's alone."""
        return not self.by_hand and not self.path.startswith("<")

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Order of a report: file, then place, then target; readings stay as they came."""
        return (self.path, self.line, self.document, self.target.name if self.target else "")


class AppliedFix(Struct, frozen=True):
    """A fix that was written to a file: its `edits` as (line, old, new), in the file as it was."""

    path: str
    edits: tuple[tuple[int, str, str], ...]
    summary: str
    rules: tuple[str, ...]
    safe: bool

    @classmethod
    def of(cls, source: Source, fix: Fix) -> AppliedFix:
        """Return a fix of a text as it is said and listed."""
        edits = tuple(
            (source.position(edit.span.start)[0], source.text[edit.span.start : edit.span.end], edit.text)
            for edit in fix.edits
        )
        return cls(source.path, edits, fix.summary, fix.rules, fix.safe)

    @property
    def place(self) -> str:
        """The file with the lines that were edited."""
        return f"{self.path}:{','.join(str(line) for line in dict.fromkeys(line for line, *_ in self.edits))}"


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
    fixes: tuple[AppliedFix, ...] = ()
    """What --fix wrote before."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Scripts that train and that no dialect knows, with the files met in folders that start them."""

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
    unheard = NOT_SELECTED if result.narrowed else MEMORY_IGNORED
    ignored = unheard if facts is not None and facts.memory is not None else None
    return reason or next(reasons, ignored) or next((skip.reason for skip in result.skips), NO_REASON)


def does_not_fit_unsaid(result: Result) -> bool:
    """Return whether a job needs more memory than there is, and no finding says so now."""
    return (
        (why_unjudged(result) in (MEMORY_IGNORED, NOT_SELECTED) or memory_known_before(result))
        and result.facts is not None
        and result.facts.memory is not None
        and result.facts.memory.exceeds
    )


def memory_known_before(result: Result) -> bool:
    """Return whether it is in the baseline, or was so in another revision, that a job does not fit."""
    return any(known.rule == "vram-budget" and known.level is Level.FAIL for known in result.known_before)
