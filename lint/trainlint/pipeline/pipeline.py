# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The way through the house: read -> jobs -> place -> estimate -> judge -> fix, for each job and target."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from trainlint.dialects import Dialect, resembles
from trainlint.documents.discover import is_program
from trainlint.documents.file_format import is_option_file, is_set_by_flags, read, words_again
from trainlint.errors import EncodingError, UnreadableError
from trainlint.files.read_limits import MOST_PAGE_JOBS
from trainlint.files.safe_open import failures
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Document, Source
from trainlint.model.facts import Facts
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.target import Target
from trainlint.pipeline.estimator import Estimator
from trainlint.pipeline.fix_finder import FixFinder
from trainlint.pipeline.job_judge import JobJudge
from trainlint.pipeline.job_reader import JobReader
from trainlint.pipeline.not_judged import (
    check_all_read,
    skipped,
    too_many,
    unknown,
    unknown_programs,
    unknown_scripts,
    unreadable,
)
from trainlint.pipeline.placer import Placer, Wishes
from trainlint.pipeline.smaller_images import without_smaller

if TYPE_CHECKING:
    from trainlint.judge import RuleSet
    from trainlint.pipeline.command_with_options import CommandWithOptions

__all__ = ["Estimator", "JobJudge", "JobReader", "Pipeline", "Placer", "Wishes"]


class Pipeline(Struct, frozen=True, kw_only=True):
    """Everything that turns a text into results; `targets` is (None,) where there is no target."""

    reader: JobReader
    placer: Placer = field(default_factory=Placer)
    judge: JobJudge
    targets: tuple[Target | None, ...] = (None,)
    targets_at: Callable[[str], tuple[Target | None, ...]] | None = None
    """Returns the targets of a file by its path, where they are not the same for all."""
    also: frozenset[str] = frozenset()
    """The real paths of files that are linted too: an option file among them is judged there."""
    allow_shorter: bool = False
    """An edit may lower iterations, epochs or milestones."""
    reported: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """What was said of the environment, and of which job: it is not said again of the next."""

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        """The dialects that are known."""
        return self.reader.dialects

    @property
    def rules(self) -> RuleSet:
        """The rules of the run."""
        return self.judge.rules

    @property
    def fixes(self) -> FixFinder:
        """What looks for fixes."""
        return FixFinder(self.reader, self.placer, self.judge, self.allow_shorter)

    def targets_of(self, path: str) -> tuple[Target | None, ...]:
        """Return what a file's jobs are judged against."""
        return self.targets if self.targets_at is None else self.targets_at(path)

    def jobs(self, document: Document) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect.

        As `readings` and `judge_all`: UnreadableError where something around it could not be read.
        """
        jobs = self.reader.jobs(document)
        check_all_read()
        return jobs

    def readings(self, jobs: Sequence[Job], target: Target | None) -> tuple[Job, ...]:
        """Place one document's jobs on a target, in every reading."""
        placed = self.placer.readings(jobs, target)
        check_all_read()
        return placed

    def estimate(self, job: Job, *, largest: bool = True) -> Facts | None:
        """Return what a placed job needs; None without a target."""
        return self.judge.estimator.facts(job, largest=largest)

    def judge_all(
        self, jobs: Sequence[Job], target: Target | None, *, tries: Tries | None = None, largest: bool = True
    ) -> tuple[Result, ...]:
        """Place, estimate, judge and fix one document's jobs on one target: a result for each reading.

        Fixes are looked for where there are `tries`. Without `largest` the largest batch is not looked for.
        """
        placed = self.placer.readings(jobs, target)
        placed, results = without_smaller(placed, self.judge.judge_all(placed, largest=largest))
        if tries is not None:
            results = tuple(self.fixes.with_fixes(placed, target, results, tries))
        check_all_read()
        return results

    def lint_path(self, path: str, *, named: bool) -> Iterator[Result]:
        """Lint one file; `named` says that the user named it, so that silence would mislead."""
        try:
            source = load_source(path)
        except UnreadableError as error:
            text = error.text if isinstance(error, EncodingError) and not named else None
            if text is None or not is_option_file(path) or resembles(text, self.dialects):
                yield from unreadable(Source(path, ""), error, named=named)
        else:
            yield from self.lint_source(source, named=named)

    def lint_source(
        self, source: Source, *, named: bool, tries: Tries | None = None, thorough: bool = False
    ) -> Iterator[Result]:
        """Lint one text: a result for each job, variant and target; none where no dialect knows it.

        `tries`: for the fixes on all targets; without it each target has its own, which on a long page are
        few for each of its commands unless the search is `thorough`.
        """
        failures(forget=True)
        try:
            documents = read(source)
        except UnreadableError as error:
            if named or not is_program(source.path):
                yield from self._unread(source, error, named=named)
            return
        if not named:
            documents = tuple(document for document in documents if not is_set_by_flags(document))
        share_of = Tries.per_document if thorough else Tries.on_page
        tries_of_targets = [tries or share_of(len(documents)) for _ in self.targets_of(source.path)]
        for share in tries_of_targets if documents else ():
            share.values = max(len(document.places) + len(document.duplicates) for document in documents)
            share.words = words_again(source, documents)
        try:
            linted = self._all_linted(documents, tries_of_targets, named=named)
        except UnreadableError as error:
            yield from unreadable(source, error, named=True)
            return
        results = [
            self.once(self._with_example(result, document) if named and result.is_part else result)
            for document, of_document in linted
            for result in of_document
        ]
        unread = (document for document, of_document in linted if not of_document)
        results += unknown_scripts(unread, self.dialects) if named else unknown_programs(unread)
        yield from results
        if not results and named:
            result = unknown(source, documents)
            yield result if documents else self._with_example(result)

    def _with_example(self, result: Result, document: Document | None = None) -> Result:
        from trainlint.pipeline.named_trainers import with_example  # noqa: PLC0415 - of what is no whole config

        return with_example(self, result, document)

    def once(self, result: Result) -> Result:
        """Return a result without what was said of the environment at another job."""
        job = result.path, result.document
        kept = tuple(
            finding
            for finding in result.findings
            if finding.rule not in self.rules.rules
            or not self.rules.rules[finding.rule].once
            or self.reported.setdefault((finding.rule, finding.message), job) == job
        )
        return result if len(kept) == len(result.findings) else result.with_findings(kept)

    def _unread(self, source: Source, error: UnreadableError, *, named: bool) -> Iterator[Result]:
        """Say why a text could not be read, unless it is none of ours."""
        from trainlint.dialects.extract.other_programs import anothers, reader_around  # noqa: PLC0415 - for what cannot be read

        if (reader := reader_around(source.path)) is not None:
            if named or resembles(source.text, self.dialects):
                yield skipped(source, f"{error}: this repository reads JSON by {reader}, trainlint does not")
        elif anothers(source, self.dialects):
            if named:
                yield skipped(source, f"{error}: no trainer known here reads that, another may")
        elif named or not is_option_file(source.path) or self._resembles(source):
            yield from unreadable(source, error, named=named)

    def _resembles(self, source: Source) -> bool:
        """Return whether an option file looks like a trainer's; JSON begins as JSON or a comment does."""
        begun = not source.path.lower().endswith(".json") or source.text.lstrip("\ufeff \t\r\n")[:1] in "{[/#"
        return begun and resembles(source.text, self.dialects)

    def _all_linted(
        self, documents: Sequence[Document], tries: Sequence[Tries], *, named: bool
    ) -> list[tuple[Document, list[Result]]]:
        try:
            linted = list(self._linted(documents, tries, named=named))
        except OSError as error:
            check_all_read(error)
            raise
        check_all_read()
        return linted

    def _linted(
        self, documents: Sequence[Document], tries: Sequence[Tries], *, named: bool
    ) -> Iterator[tuple[Document, list[Result]]]:
        """Yield each document with its results; after JOBS jobs the others are said not to be judged."""
        jobs = 0
        commands: set[CommandWithOptions] = set()
        for index, document in enumerate(documents):
            if jobs == MOST_PAGE_JOBS:
                error = UnreadableError(too_many(len(documents) - index), document.line)
                yield document, list(unreadable(document.source, error, named=True))
                return
            results = list(self._lint_document(document, tries, commands, named=named))
            jobs += any(result.dialect is not None for result in results)
            yield document, results

    def _lint_document(
        self, document: Document, tries: Sequence[Tries], commands: set[CommandWithOptions], *, named: bool
    ) -> Iterator[Result]:
        """Lint one document: nothing where no dialect knows it.

        `commands` gathers the file's commands with their option files, so that each is judged once to an
        effect.
        """
        if document.broken is not None:
            yield from unreadable(document.source, document.broken, named=named)
            return
        try:
            jobs = self.jobs(document)
        except UnreadableError as error:  # more checks or deeper nesting than a schema is followed
            yield from unreadable(document.source, error, named=named)
            return
        command = self._command(jobs, commands) if jobs else None
        targets = self.targets_of(document.source.path)
        for target, share in zip(targets, tries, strict=True) if jobs else ():
            results = self.judge_all(jobs, target, tries=share)
            if (
                not named and not jobs[0].dialect.trainer.identified
            ):  # some script: nothing to say and nothing said
                results = tuple(result for result in results if result.findings)
            if command is None:
                yield from results
            else:
                yield from command.merged(results, self._started(command, target, share), self.rules)

    def _command(self, jobs: Sequence[Job], commands: set[CommandWithOptions]) -> CommandWithOptions | None:
        """Return a command with the option file that it starts; None where it starts none that is there.

        It is new in `commands` unless the same file has one to that effect.
        """
        checkout = self.reader.checkout
        start = checkout.start_of(jobs[0]) if checkout is not None else None
        if checkout is None or start is None:
            return None
        path = next(iter(checkout.named(start)), None)
        if path is None:
            return None
        from trainlint.pipeline.command_with_options import CommandWithOptions  # noqa: PLC0415 - for commands

        start = checkout.paired(start.tried, path)
        listed = os.path.realpath(path) in self.also
        known = [*(checkout.starts(path) if listed else ())]
        known += [command.start for command in commands if command.path == path]
        elsewhere = any(start_known.run == start.run for start_known in known)
        command = CommandWithOptions(start, path, elsewhere and any(self.reader.started(start, path)))
        commands.add(command)
        return command

    def _started(self, command: CommandWithOptions, target: Target | None, tries: Tries) -> Iterator[Result]:
        """Yield the results of a command's option file; all option files of a page share its `tries`."""
        for jobs in self.reader.started(command.start, command.path):
            if jobs:
                yield from self.judge_all(jobs, target, tries=tries)
