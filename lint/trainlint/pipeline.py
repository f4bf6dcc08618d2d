"""The way through the house: read -> recognise -> normalise -> estimate -> judge, for each job and target."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.errors import UnreadableError
from trainlint.estimate.facts import Facts
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Level, Outcome, Skip
from trainlint.normalise import normalise, recognise
from trainlint.read import load_source, read
from trainlint.read.document import Document, Source, Span
from trainlint.report.result import Crash, Report, Result, outcome_of

if TYPE_CHECKING:
    from trainlint.judge import RuleSet
    from trainlint.normalise.dialect import Dialect
    from trainlint.read import Candidate

Estimate = Callable[[Job, Target], Facts]
"""A job on a target -> its facts; the tapes and the settings are already bound."""

UNREADABLE_RULE = "unreadable"
UNKNOWN_DIALECT_RULE = "unknown-dialect"
"""Names under which results report what is not a rule's finding."""


@dataclass(frozen=True)
class Pipeline:
    """Everything that turns texts into results; `targets` holds None where there is no target."""

    dialects: tuple[Dialect, ...]
    rules: RuleSet
    targets: tuple[Target | None, ...]
    estimate: Estimate

    def run(self, candidates: Iterable[Candidate], progress: Callable[[str], None]) -> Report:
        """Lint files one after the other; trainlint's own failure on one does not stop the others."""
        results: list[Result] = []
        unrecognised, crashes, notes, files = [], [], [], 0
        for candidate in candidates:
            files += 1
            progress(candidate.path)
            try:
                found = list(self.lint_path(candidate.path, named=candidate.explicit))
            except Exception as error:  # noqa: BLE001  # one file must not take the others with it
                crashes.append(_crash(candidate.path, error))
                continue
            results += found
            notes += [note for result in found if result.origin for note in result.origin.notes]
            if not found:
                unrecognised.append(candidate.path)
        progress("")
        return Report(
            results=tuple(sorted(results, key=lambda result: result.sort_key)),
            files=files,
            unrecognised=tuple(unrecognised),
            notes=tuple(dict.fromkeys(notes)),
            crashes=tuple(crashes),
        )

    def lint_path(self, path: str, *, named: bool) -> Iterator[Result]:
        """Lint one file; `named` says that the user named it, so that silence would be a lie."""
        try:
            source = load_source(path)
        except UnreadableError as error:
            yield _unreadable(Source(path, ""), error)
            return
        yield from self.lint_source(source, named=named)

    def lint_source(self, source: Source, *, named: bool) -> Iterator[Result]:
        """Lint one text: a result for each of its jobs, variants and targets."""
        try:
            documents = read(source)
        except UnreadableError as error:
            yield _unreadable(source, error)
            return
        found = False
        for document in documents:
            for job in self.jobs(document):
                found = True
                yield from (self.judge(job, target) for target in self.targets)
        if not found and named:
            yield _unknown(source, documents)

    def jobs(self, document: Document) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect."""
        dialect = recognise(document, self.dialects)
        return () if dialect is None else normalise(document, dialect)

    def judge(self, job: Job, target: Target | None) -> Result:
        """Judge one job on one target, with fixes that were tried."""
        facts = self.estimate(job, target) if target is not None else None
        findings, skips = self.rules.judge(job, target, facts, relint=lambda text: self._again(job, target, text))
        undecided = any(self.rules.level(skip.rule) is Level.FAIL for skip in skips)
        return Result(
            path=job.document.source.path,
            source=job.document.source,
            outcome=outcome_of(findings, undecided=undecided),
            line=job.document.line,
            document=job.document.index,
            cell=job.document.cell,
            name=job.spec.get("name"),
            dialect=job.dialect.id,
            variant=job.variant,
            target=target,
            networks=facts.networks if facts else (),
            facts=facts,
            findings=findings,
            skips=skips,
            undecided=undecided,
            origin=job.document,
        )


def _unreadable(source: Source, error: UnreadableError) -> Result:
    """Turn a file that cannot be read into a result that says so at the line."""
    start = source.offset(error.line or 1, error.column or 1)
    finding = Finding(UNREADABLE_RULE, Level.FAIL, str(error), (Span(start, start),))
    return Result(source.path, source, Outcome.UNREADABLE, line=error.line or 1, findings=(finding,))


def _unknown(source: Source, documents: Sequence[Document]) -> Result:
    reason = "no dialect knows this file" if documents else "there is no training job in this file"
    notes = [note for document in documents for note in document.notes]
    skip = Skip(UNKNOWN_DIALECT_RULE, "; ".join([reason, *notes]))
    return Result(source.path, source, Outcome.SKIPPED, skips=(skip,), undecided=True)


def _crash(path: str, error: Exception) -> Crash:
    message = f"internal error on {path}: {type(error).__name__}: {error}; please report it (--debug shows where)"
    return Crash(path, message, "".join(traceback.format_exception(error)))
