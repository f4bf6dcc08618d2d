# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The way through the house: read -> recognise -> normalise -> estimate -> judge, for each job and target."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import field

from trainlint.errors import UnreadableError
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.relint import Tries
from trainlint.judge.result import Result
from trainlint.judging import JobJudge
from trainlint.normalise import resembles
from trainlint.read import is_option_file, load_source, read
from trainlint.read.document import Document, Source
from trainlint.read.limits import JOBS
from trainlint.unjudged import skipped, too_many, unknown, unknown_scripts, unreadable

if TYPE_CHECKING:
    from trainlint.pair import Pair


class Pipeline(JobJudge, frozen=True, kw_only=True):
    """Everything that turns a text into results; `targets` is (None,) where there is no target."""

    targets: tuple[Target | None, ...]
    targets_at: Callable[[str], tuple[Target | None, ...]] | None = None
    """Returns the targets of a file by its path, where they are not the same for all."""
    also: frozenset[str] = frozenset()
    """The real paths of files that are linted too: an option file among them is judged there."""
    reported: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was said of the environment, and of which file: it is not said again of the next."""

    def lint_path(self, path: str, *, named: bool) -> Iterator[Result]:
        """Lint one file; `named` says that the user named it, so that silence would mislead."""
        try:
            source = load_source(path)
        except UnreadableError as error:
            yield from unreadable(Source(path, ""), error, named=named)
        else:
            yield from self.lint_source(source, named=named)

    def lint_source(self, source: Source, *, named: bool, tries: Tries | None = None) -> Iterator[Result]:
        """Lint one text: a result for each job, variant and target; none where no dialect knows it.

        `tries`: for the fixes on all targets; without it each target has its own.
        """
        try:
            documents = read(source)
        except UnreadableError as error:
            from trainlint.normalise.anothers import anothers  # noqa: PLC0415 - for what cannot be read

            if anothers(source, self.dialects):
                if named:
                    yield skipped(source, f"{error}: no trainer known here reads that, another may")
            elif named or not is_option_file(source.path) or resembles(source.text, self.dialects):
                yield from unreadable(source, error, named=named)
            return
        each = [tries or Tries.on_page(len(documents)) for _ in self.targets_of(source.path)]
        for share in each:
            share.values = sum(len(one.places) + len(one.duplicates) for one in documents)
        linted = list(self._linted(documents, each, named=named))
        results = [self.once(one) for _, found in linted for one in found]
        if named:
            results += unknown_scripts(document for document, found in linted if not found)
        yield from results
        if not results and named:
            yield unknown(source, documents)

    def targets_of(self, path: str) -> tuple[Target | None, ...]:
        """Return what a file's jobs are judged against."""
        return self.targets if self.targets_at is None else self.targets_at(path)

    def once(self, result: Result) -> Result:
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
        jobs = 0
        paired: set[Pair] = set()
        for at, document in enumerate(documents):
            if jobs == JOBS:
                error = UnreadableError(too_many(len(documents) - at), document.line)
                yield document, list(unreadable(document.source, error, named=True))
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
            yield from unreadable(document.source, document.broken, named=named)
            return
        try:
            jobs = self.jobs(document)
        except UnreadableError as error:  # more checks or deeper nesting than a schema is followed
            yield from unreadable(document.source, error, named=named)
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
        from trainlint.pair import Pair  # noqa: PLC0415 - for commands alone

        start = self.checkout.paired(start, path)
        listed = os.path.realpath(path) in self.also
        known = [*(self.checkout.starts(path) if listed else ())]
        known += [pair.start for pair in paired if pair.path == path]
        pair = Pair(start, path, any(one.run == start.run for one in known))
        paired.add(pair)
        return pair
