# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The way through the house: read -> recognise -> normalise -> estimate -> judge, for each job and target."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.environment import environment_of
from trainlint.errors import TemplateError, TooLargeError, UnreadableError
from trainlint.estimate.facts import Facts
from trainlint.estimate.larger import Estimate, smallest_card
from trainlint.estimate.placement import Placing
from trainlint.hardware import Gpu, Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Level, Outcome, Skip
from trainlint.judge.relint import Tries, Trying
from trainlint.judge.result import Result, outcome_of
from trainlint.normalise import (
    Dialect,
    anothers,
    held_to_its_loader,
    normalise,
    recognise,
    resembles,
    trainer_of,
    unheld,
)
from trainlint.normalise.commands import Checkout
from trainlint.normalise.script import script_dialect, unknown_step
from trainlint.normalise.unsupported import family_of
from trainlint.pair import OF_FLAGS, Pair
from trainlint.read import is_option_file, load_source, read
from trainlint.read.document import Document, Source, Span
from trainlint.read.limits import JOBS
from trainlint.readings import Key, Wishes, key_of, on_target, readings, settled
from trainlint.report.units import gib
from trainlint.start import Start
from trainlint.trainer import Named

if TYPE_CHECKING:
    from trainlint.judge import RuleSet
    from trainlint.look import Look

UNREADABLE_RULE = "unreadable"
UNKNOWN_DIALECT_RULE = "unknown-dialect"
NOT_TRAINING_RULE = "not-a-training-job"
"""Names under which a result says what no rule said."""

DESCRIBE = "describe the job in a short YAML of trainlint's own (trainlint schema trainlint)"
"""What to do about a job that no dialect knows."""

MOST_LINES = 5
"""Lines named of a script that comes again and again."""


def _no_wishes(_path: str) -> Wishes:
    return Wishes()


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
    repo: Path | None = None
    """Where the user says that the trainer's source lies."""
    wishes: Callable[[str], Wishes] = _no_wishes
    """What the user says of the questions that a file leaves open, by its path."""
    checkout: Checkout | None = None
    """Where the commands are looked for that start an option file; None: nowhere."""
    also: frozenset[str] = frozenset()
    """The real paths of files that are linted too: an option file among them is judged there."""
    look: Look | None = None
    """Looks at the data and weights that a config names; None: nobody does."""
    targets_at: Callable[[str], tuple[Target | None, ...]] | None = None
    """Returns the targets of a file by its path, where they are not the same for all."""
    reported: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was said of the environment, and of which file: it is not said again of the next."""

    def lint_path(self, path: str, *, named: bool) -> Iterator[Result]:
        """Lint one file; `named` says that the user named it, so that silence would mislead."""
        try:
            source = load_source(path)
        except UnreadableError as error:
            yield from self.unreadable(Source(path, ""), error, named=named)
        else:
            yield from self.lint_source(source, named=named)

    def lint_source(self, source: Source, *, named: bool, tries: Tries | None = None) -> Iterator[Result]:
        """Lint one text: a result for each job, variant and target; none where no dialect knows it.

        `tries`: for the fixes on all targets; without it each target has its own.
        """
        try:
            documents = read(source)
        except UnreadableError as error:
            if anothers(source, self.dialects):
                if named:
                    yield _skipped(source, f"{error}: no trainer known here reads that, another may")
            elif named or not is_option_file(source.path) or resembles(source.text, self.dialects):
                yield from self.unreadable(source, error, named=named)
            return
        share = partial(Tries.on_page, source.text, len(documents))
        each = [tries or share() for _ in self.targets_of(source.path)]
        linted = list(self._linted(documents, each, named=named))
        results = [self._once(one) for _, found in linted for one in found]
        if named:
            results += _unknown_scripts(document for document, found in linted if not found)
        yield from results
        if not results and named:
            yield _unknown(source, documents)

    def targets_of(self, path: str) -> tuple[Target | None, ...]:
        """Return what a file's jobs are judged against."""
        return self.targets if self.targets_at is None else self.targets_at(path)

    def _once(self, result: Result) -> Result:
        """Return a result without what was said of the environment in another file."""
        kept = tuple(
            finding
            for finding in result.findings
            if finding.rule not in self.rules.rules
            or not self.rules.rules[finding.rule].once
            or self.reported.setdefault((finding.rule, finding.message), result.path) == result.path
        )
        return result if len(kept) == len(result.findings) else result.with_findings(kept)

    def _linted(
        self, documents: Sequence[Document], tries: Sequence[Tries], *, named: bool
    ) -> Iterator[tuple[Document, list[Result]]]:
        """Yield each document with its results; after JOBS jobs the others are said not to be judged."""
        jobs, paired = 0, set[Pair]()
        for at, document in enumerate(documents):
            if jobs == JOBS:
                error = UnreadableError(_too_many(len(documents) - at), document.line)
                yield document, list(self.unreadable(document.source, error, named=True))
                return
            found = list(self._lint_document(document, tries, paired, named=named))
            jobs += any(result.dialect is not None for result in found)
            yield document, found

    def _lint_document(
        self, document: Document, tries: Sequence[Tries], paired: set[Pair], *, named: bool
    ) -> Iterator[Result]:
        """Lint one document: nothing where no dialect knows it.

        `paired` gathers the file's commands with their option files, so that each is judged once to an
        effect.
        """
        if document.broken is not None:
            yield from self.unreadable(document.source, document.broken, named=named)
            return
        try:
            jobs = self.jobs(document)
        except UnreadableError as error:  # more checks or deeper nesting than a schema is followed
            yield from self.unreadable(document.source, error, named=named)
            return
        pair = self._pair(jobs, paired) if jobs else None
        targets = self.targets_of(document.source.path)
        for target, share in zip(targets, tries, strict=True) if jobs else ():
            results = self.judge_all(jobs, target, tries=share)
            if (
                not named and not jobs[0].dialect.trainer.identified
            ):  # some script: nothing to say and nothing said
                results = tuple(result for result in results if result.findings)
            yield from results if pair is None else pair.judged(self, results, target, share)

    def _pair(self, jobs: Sequence[Job], paired: set[Pair]) -> Pair | None:
        """Return the option file that a command starts; None where it starts none that is there.

        The pair is new in `paired` unless the same file has one to that effect.
        """
        start = self.checkout.start_of(jobs[0]) if self.checkout is not None else None
        if self.checkout is None or start is None:
            return None
        path = next(iter(self.checkout.named(start)), None)
        if path is None:
            return None
        listed = os.path.realpath(path) in self.also
        known = [*(self.checkout.starts(path) if listed else ())]
        known += [pair.start for pair in paired if pair.path == path]
        pair = Pair(start, path, any(one.effect == start.effect for one in known))
        paired.add(pair)
        return pair

    def started(self, start: Start, path: str) -> Iterator[tuple[Job, ...]]:
        """Yield the jobs of an option file under the command that names it; none where it cannot be read."""
        with suppress(UnreadableError):
            for document in read(load_source(path)):
                if document.broken is None:
                    yield self.jobs(document, (Checkout.paired(start, path),))

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

    def jobs(self, document: Document, starts: Sequence[Start | None] | None = None) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect.

        `starts` are the commands to judge it under, in place of those that the checkout has for it.
        """
        dialect = recognise(document, self.dialects, prefer=self.trainer.id if self.trainer else None)
        if dialect is None:
            return self._script(document)
        trainer = trainer_of(document, dialect, self.trainer, self.repo)
        held_to_its_loader(document, dialect, trainer)
        known = self._starts(document, dialect) if starts is None else starts
        return tuple(
            job for start in known or (None,) for job in normalise(document, dialect, trainer, start)
        )

    def _script(self, document: Document) -> tuple[Job, ...]:
        """Return the job of a script that no dialect knows, where its own parser says what it takes."""
        dialect = script_dialect(document, self.repo)
        if dialect is None:
            return ()
        jobs = normalise(document, dialect, trainer_of(document, dialect, self.trainer, self.repo))
        return tuple(replace(job, own=unknown_step(document)) for job in jobs)

    def _starts(self, document: Document, dialect: Dialect) -> tuple[Start, ...]:
        """Return the commands in the checkout that start a document's job, unless the user says how it is."""
        path = document.source.path
        if self.checkout is None or dialect.launching is None or document.meta.get("fragment"):
            return ()
        return () if self.wishes(path).launcher is not None else self.checkout.starts(path)

    def readings(self, jobs: Sequence[Job], target: Target | None) -> tuple[Job, ...]:
        """Place one document's jobs on a target, in every reading that its text and the user leave open."""
        path = jobs[0].document.source.path
        wishes = self.wishes(path)
        if target is not None and (eager := environment_of(path).eager_torch):
            target = replace(target, eager=eager)
        return readings(jobs, on_target(target, wishes), wishes)

    def judge_all(
        self, jobs: Sequence[Job], target: Target | None, *, tries: Tries | None = None, largest: bool = True
    ) -> tuple[Result, ...]:
        """Judge one document's jobs on one target: a result for each reading; a fail holds in all of them.

        Fixes are tried, where there are `tries`, by judging the edited text again, in every reading. Without
        `largest` the largest batch is not looked for, which takes half of the time.
        """
        placed = self.readings(jobs, target)
        results = self._settled([self.judge(job, largest=largest) for job in placed])
        return results if tries is None else tuple(self._with_fixes(placed, target, results, tries))

    def _settled(self, results: Sequence[Result]) -> tuple[Result, ...]:
        held = settled(results, self.rules.of_readings())
        return tuple(replace(result, verdicts=self.rules.verdicts(result)) for result in held)

    def judge(self, job: Job, *, largest: bool = True) -> Result:
        """Judge one placed job, without fixes."""
        bare = _bare(job)
        if job.skip is not None:
            skip, found = Skip(NOT_TRAINING_RULE, job.skip), self.rules.of_schema(job)
            return replace(
                bare, outcome=outcome_of(found, undecided=True), findings=found, skips=(skip,), undecided=True
            )
        if self.look is not None:
            job = replace(job, looked=self.look.values(job))
        target = bare.target
        facts = self.estimate(job, target, largest=largest) if target is not None else None
        findings, skips = self.rules.judge(job, target, facts)
        if not job.dialect.trainer.identified:
            findings = tuple(replace(finding, level=Level.WARN) for finding in findings)
        undecided = any(self.rules.decides(skip.rule) for skip in skips)
        if unchecked := unheld(job):
            skips = (*skips, Skip(OF_FLAGS, unchecked))
        return replace(
            bare,
            outcome=outcome_of(findings, undecided=undecided),
            networks=facts.networks if facts else (),
            facts=facts,
            findings=findings,
            skips=skips,
            undecided=undecided,
        )

    def _larger(self, job: Job, facts: Facts | None) -> str | None:
        """Name the smallest card that would hold a placed job, with what torch sees of it."""
        target = job.placing.target if job.placing is not None else None
        if target is None or facts is None:
            return None
        card = smallest_card(job, target, facts, self.cards(), self.estimate)
        return None if card is None else f"{card.title} ({gib(card.memory)} GiB)"

    def _with_fixes(
        self, placed: Sequence[Job], target: Target | None, results: Sequence[Result], tries: Tries
    ) -> Iterator[Result]:
        """Yield the results with fixes; what several readings have is tried once."""
        judged: dict[str, tuple[Result, ...]] = {}

        def again(edited: Document) -> tuple[Result, ...]:
            text = edited.source.text
            if text not in judged:
                judged[text] = self.again(placed, target, edited)
                for result in judged[text]:
                    tries.replayed(result.facts)
            return judged[text]

        for result in results:
            tries.replayed(result.facts, free=True)
        known: dict[Key, Finding] = {}
        for at, (job, result) in enumerate(zip(placed, results, strict=True)):
            if job.skip is not None:
                yield result
                continue
            order = (at, *(other for other in range(len(results)) if other != at))
            trying = Trying(
                partial(_relinted, again, tuple(results[each] for each in order)),
                tries,
                tuple(results[other].findings for other in order[1:]),
                tuple(finding for finding in result.findings if key_of(finding) not in known),
                partial(self._larger, job, result.facts),
            )
            own = self.rules.fixed(job, result.facts, (result.findings, result.skips), trying)
            fixed = {(key_of(finding), finding.message): finding for finding in own}
            findings = tuple(
                fixed.get((key_of(one), one.message)) or replace(one, fixes=known[key_of(one)].fixes)
                for one in result.findings
            )
            known |= {key: finding for (key, _), finding in fixed.items()}
            yield replace(result, findings=findings)

    def again(self, placed: Sequence[Job], target: Target | None, edited: Document) -> tuple[Result, ...]:
        """Judge a job's edited document in all its readings; () where it is no longer that job."""
        starts = tuple(dict.fromkeys(one.start for one in placed))
        job = placed[0]
        jobs = [other for other in self.jobs(edited, starts) if other.dialect.id == job.dialect.id]
        if not jobs:
            return ()
        again = self.readings(jobs, target)
        judged = self._settled([self.judge(each, largest=False) for each in again])
        hidden = (
            self.rules.hidden(each, result.target, result.facts)
            for each, result in zip(again, judged, strict=True)
        )
        return tuple(replace(result, hidden=under) for result, under in zip(judged, hidden, strict=True))


@dataclass(frozen=True, slots=True)
class _Relinted:
    """An edited text in the reading that is fixed, and in the job's others."""

    findings: tuple[Finding, ...]
    skips: tuple[Skip, ...]
    hidden: tuple[Finding, ...]
    facts: Facts | None
    others: tuple[tuple[Finding, ...], ...]


def _relinted(
    again: Callable[[Document], tuple[Result, ...]], wanted: Sequence[Result], edited: Document
) -> _Relinted | None:
    """Return an edited document's results in the order of `wanted`, which begins with the one that is fixed.

    A text that leaves one reading only is judged by that one; None where a reading is gone among several.
    """
    found = {result.variant: result for result in again(edited)}
    one = next(iter(found.values())) if len(found) == 1 else None
    results = [found.get(result.variant, one) for result in wanted]
    present = [result for result in results if result is not None]
    if len(present) < len(results):
        return None
    mine, *others = present
    return _Relinted(
        mine.findings, mine.skips, mine.hidden, mine.facts, tuple(other.findings for other in others)
    )


def _bare(job: Job) -> Result:
    """Return what is known of a placed job before it is judged."""
    document, placing = job.document, job.placing or Placing()
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
        variant=job.reading,
        target=placing.target,
        launcher=placing.launcher,
        start=job.start,
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


def _too_many(left: int) -> str:
    """Say that the rest of a file is not judged."""
    rest = f"the {left:,} commands and configs" if left > 1 else "the command or config"
    return f"{JOBS} training jobs of this file are judged, {rest} from here on not: split the file"


def _again(others: Sequence[Document]) -> str:
    """Say how often a script comes again, and where."""
    if not others:
        return ""
    lines = ", ".join(str(document.line) for document in others[:MOST_LINES])
    more = f" and {len(others) - MOST_LINES} more" if len(others) > MOST_LINES else ""
    plural = "s" if len(others) > 1 else ""
    return f" ({len(others) + 1} commands, the other{plural} on line{plural} {lines}{more})"


def _unknown(source: Source, documents: Sequence[Document]) -> Result:
    notes = dict.fromkeys(note for document in documents for note in document.notes)
    return _skipped(source, "; ".join([why_unknown(documents), *notes]))


def why_unknown(documents: Sequence[Document]) -> str:
    """Say that no dialect knows a file's documents, what they look like, and what to do about it."""
    family = next(filter(None, (family_of(document.value) for document in documents)), None)
    if family:
        what = (
            f"this looks like a config of {family}, which is not supported (trainlint dialects lists what is)"
        )
    else:
        what = "no dialect knows this file" if documents else "no training job was recognised in this file"
    return f"{what}; {DESCRIBE}{', see docs/native.md' if family else ''}"


def _skipped(source: Source, reason: str) -> Result:
    skip = Skip(UNKNOWN_DIALECT_RULE, reason)
    return Result(source.path, source, Outcome.SKIPPED, skips=(skip,), undecided=True)
