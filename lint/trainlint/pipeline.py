"""The way through the house: read -> recognise -> normalise -> estimate -> judge, for each job and target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from trainlint.errors import TemplateError, TooLargeError, UnreadableError
from trainlint.estimate.facts import Facts
from trainlint.estimate.larger import smallest_card
from trainlint.hardware import Gpu, Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Level, Outcome, Skip
from trainlint.normalise import Dialect, normalise, recognise, trainer_of
from trainlint.read import load_source, read
from trainlint.read.document import Document, Source, Span
from trainlint.report.result import Result, outcome_of
from trainlint.report.units import gib
from trainlint.trainer import Named

if TYPE_CHECKING:
    from trainlint.judge import RuleSet

UNREADABLE_RULE = "unreadable"
UNKNOWN_DIALECT_RULE = "unknown-dialect"
NOT_TRAINING_RULE = "not-a-training-job"
"""Names under which a result says what no rule said."""

DESCRIBE = "describe the job in a short YAML of trainlint's own (trainlint schema trainlint)"
"""What to do about a job that no dialect knows."""

MOST_LINES = 5
"""Lines named of a script that comes again and again."""


class Estimate(Protocol):
    """What works out facts; tapes and settings are already bound."""

    def __call__(self, job: Job, target: Target, *, largest: bool) -> Facts:
        """Return a job's facts on a target; `largest`: look for the largest batch too."""


@dataclass(frozen=True)
class Pipeline:
    """Everything that turns a text into results; `targets` is (None,) where there is no target."""

    dialects: tuple[Dialect, ...]
    rules: RuleSet
    targets: tuple[Target | None, ...]
    estimate: Estimate
    cards: Callable[[], tuple[Gpu, ...]] = tuple
    """Returns the GPUs among which the smallest that holds a job is looked for."""
    trainer: Named | None = None

    def lint_path(self, path: str, *, named: bool) -> Iterator[Result]:
        """Lint one file; `named` says that the user named it, so that silence would mislead."""
        try:
            source = load_source(path)
        except UnreadableError as error:
            yield from self.unreadable(Source(path, ""), error, named=named)
        else:
            yield from self.lint_source(source, named=named)

    def lint_source(self, source: Source, *, named: bool) -> Iterator[Result]:
        """Lint one text: a result for each job, variant and target; none where no dialect knows it."""
        try:
            documents = read(source)
        except UnreadableError as error:
            yield from self.unreadable(source, error, named=named)
            return
        linted = [(document, list(self._lint_document(document, named=named))) for document in documents]
        results = [one for _, found in linted for one in found]
        if named:
            results += _unknown_scripts(document for document, found in linted if not found)
        yield from results
        if not results and named:
            yield _unknown(source, documents)

    def _lint_document(self, document: Document, *, named: bool) -> Iterator[Result]:
        """Lint one document: nothing where no dialect knows it."""
        if document.broken is not None:
            yield from self.unreadable(document.source, document.broken, named=named)
            return
        try:
            jobs = self.jobs(document)
        except UnreadableError as error:  # more checks or deeper nesting than a schema is followed
            yield from self.unreadable(document.source, error, named=named)
            return
        for job in jobs:
            yield from (self.judge(job, target) for target in self.targets)

    @staticmethod
    def unreadable(source: Source, error: UnreadableError, *, named: bool) -> Iterator[Result]:
        """Say why a file could not be read; what is merely no config is only counted when met in a folder."""
        if isinstance(error, TemplateError):
            if named:
                yield _skipped(source, str(error))
        elif named or not isinstance(error, TooLargeError):
            start = source.offset(error.line or 1, error.column or 1)
            finding = Finding(UNREADABLE_RULE, Level.FAIL, str(error), (Span(start, start),))
            yield Result(source.path, source, Outcome.UNREADABLE, line=error.line or 1, findings=(finding,))

    def jobs(self, document: Document) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect."""
        dialect = recognise(document, self.dialects, prefer=self.trainer.id if self.trainer else None)
        return (
            ()
            if dialect is None
            else normalise(document, dialect, trainer_of(document, dialect, self.trainer))
        )

    def judge(self, job: Job, target: Target | None, *, fixes: bool = True, largest: bool = True) -> Result:
        """Judge one job on one target; `fixes` are tried by judging the edited text again.

        Without `largest` the largest batch is not looked for, which takes half of the time.
        """
        bare = _bare(job, target)
        if job.skip is not None:
            skip = Skip(NOT_TRAINING_RULE, job.skip)
            return replace(bare, outcome=Outcome.SKIPPED, skips=(skip,))

        def relint(text: str) -> Result | None:
            return self.again(job, target, text)

        facts = self.estimate(job, target, largest=largest) if target is not None else None
        larger = partial(self._larger, job, target, facts)
        findings, skips = self.rules.judge(job, target, facts, relint if fixes else None, larger)
        undecided = any(self.rules.decides(skip.rule) for skip in skips)
        return replace(
            bare,
            outcome=outcome_of(findings, undecided=undecided),
            networks=facts.networks if facts else (),
            facts=facts,
            findings=findings,
            skips=skips,
            hidden=() if fixes else self.rules.hidden(job, target, facts),
            undecided=undecided,
        )

    def _larger(self, job: Job, target: Target | None, facts: Facts | None) -> str | None:
        """Name the smallest card that would hold a job, with what torch sees of it."""
        if target is None or facts is None:
            return None
        card = smallest_card(job, target, facts, self.cards(), self.estimate)
        return None if card is None else f"{card.title} ({gib(card.memory)} GiB)"

    def again(self, job: Job, target: Target | None, text: str) -> Result | None:
        """Judge an edited text of the same job, without fixes; None where the job is no longer in it."""
        try:
            documents = read(replace(job.document.source, text=text))
        except UnreadableError:
            return None
        for document in documents:
            if (document.index, document.cell) == (job.document.index, job.document.cell):
                for other in self.jobs(document):
                    if (other.dialect.id, other.variant) == (job.dialect.id, job.variant):
                        return self.judge(other, target, fixes=False, largest=False)
        return None


def _bare(job: Job, target: Target | None) -> Result:
    """Return what is known of a job before it is judged."""
    document = job.document
    return Result(
        path=document.source.path,
        source=document.source,
        outcome=Outcome.PASS,
        line=document.line,
        document=document.index,
        cell=document.cell,
        name=job.spec.get("name"),
        dialect=job.dialect.id,
        trainer=job.trainer,
        variant=job.variant,
        target=target,
        origin=document,
    )


def _unknown_scripts(documents: Iterable[Document]) -> Iterator[Result]:
    """Yield a result for each script that no dialect knows, at its first command; the others are counted."""
    commands: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if document.broken is None and document.meta.get("script"):
            commands[document.meta["script"]].append(document)
    for script, (first, *others) in commands.items():
        skip = Skip(UNKNOWN_DIALECT_RULE, f'no dialect knows "{script}"{_again(others)}; {DESCRIBE}')
        yield replace(
            _skipped(first.source, ""),
            line=first.line,
            document=first.index,
            cell=first.cell,
            origin=replace(first, notes=()),
            skips=(skip,),
        )


def _again(others: Sequence[Document]) -> str:
    """Say how often a script comes again, and where."""
    if not others:
        return ""
    lines = ", ".join(str(document.line) for document in others[:MOST_LINES])
    more = f" and {len(others) - MOST_LINES} more" if len(others) > MOST_LINES else ""
    plural = "s" if len(others) > 1 else ""
    return f" ({len(others) + 1} commands, the other{plural} on line{plural} {lines}{more})"


def _unknown(source: Source, documents: Sequence[Document]) -> Result:
    reason = (
        f"no dialect knows this file; {DESCRIBE}" if documents else "there is no training job in this file"
    )
    notes = dict.fromkeys(note for document in documents for note in document.notes)
    return _skipped(source, "; ".join([reason, *notes]))


def _skipped(source: Source, reason: str) -> Result:
    skip = Skip(UNKNOWN_DIALECT_RULE, reason)
    return Result(source.path, source, Outcome.SKIPPED, skips=(skip,), undecided=True)
