# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text in an editor, judged as the file would be: results, hovers, completions and fixes for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from msgspec import Struct, field

from trainlint.dialects import Dialect, recognise
from trainlint.documents.file_format import read
from trainlint.editor.completion import Offer, offers
from trainlint.editor.hover import hover, path_at
from trainlint.editor.offered_fixes import Repair, repairs
from trainlint.editor.remarks import Remark, Severity, remarks
from trainlint.editor.typing_probe import asked
from trainlint.errors import TrainlintError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import FILE_BYTES, NOTEBOOK_BYTES
from trainlint.model.document import Document, Source, Span
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable

KEPT_TEXTS: Final = 8
"""Texts whose results are kept: those of the files that one works on."""
SURROGATE: Final = later("[\ud800-\udfff]")
Shown = Callable[[Sequence[Result]], Sequence[Result]]


class TextPipeline(Struct, frozen=True):
    """What judges one text: the pipeline for the file's settings, and what the settings leave out."""

    pipeline: Pipeline
    shown: Shown


class PipelineFactory(Protocol):
    """Makes what judges one text: for each again, since settings and files around it may have changed."""

    def __call__(self, path: str, targets: tuple[str, ...], *, stand_in: bool) -> TextPipeline:
        """Return it for a path and the targets that the editor's user named (none: those of the settings).

        `stand_in`: one is assumed where none is named. Raises TrainlintError for wrong settings.
        """

    def forget(self) -> None:
        """Look for everything again."""


class DocumentService(Struct):
    """Judges texts."""

    pipelines: PipelineFactory
    targets: tuple[str, ...] = ()
    recognised: dict[str, Dialect] = field(default_factory=dict)
    """The dialect that a file was last seen to be in: a text being written is broken half of the time."""
    _kept: dict[tuple[Source, bool], tuple[Result, ...]] = field(default_factory=dict)

    def forget(self) -> None:
        """Judge everything again: something around the texts has changed."""
        self._kept.clear()
        self.pipelines.forget()

    def results(self, source: Source) -> tuple[Result, ...]:
        """Judge a text; a file that was a config before is one while it cannot be read."""
        named = source.path in self.recognised
        asked_for = source, named
        if asked_for not in self._kept:
            judging = self.pipelines(source.path, self.targets, stand_in=False)
            results = tuple(judging.shown(list(judging.pipeline.lint_source(source, named=named))))
            while len(self._kept) >= KEPT_TEXTS:
                del self._kept[next(iter(self._kept))]
            self._kept[asked_for] = results
            self._note(source, judging.pipeline)
        return self._kept[asked_for]

    def _note(self, source: Source, pipeline: Pipeline) -> None:
        for document in _documents(source):
            dialect = recognise(document, pipeline.dialects)
            if dialect is not None:
                self.recognised[source.path] = dialect

    def remarks(self, source: Source) -> tuple[Remark, ...]:
        """Return what is to be said of a text; wrong settings are said on its first line."""
        try:
            return remarks(self.results(source), source)
        except TrainlintError as error:
            return (Remark(Span(0, len(source.line(1))), Severity.ERROR, printable(str(error))),)

    def repairs(self, source: Source, span: Span) -> tuple[Repair, ...]:
        """Return the fixes of what is wrong in the lines of a span: a cursor may be on the key."""
        ends = source.text.find("\n", span.end)
        lines = Span(source.text.rfind("\n", 0, span.start) + 1, ends if ends >= 0 else len(source.text))
        try:
            return repairs(self.results(source), source.path, lines)
        except TrainlintError:
            return ()

    def hover(self, source: Source, offset: int) -> tuple[str, Span] | None:
        """Return Markdown about the value at an offset, and where that is."""
        try:
            place = next(filter(None, (_place(document, offset) for document in _documents(source))), None)
            if place is None:
                return None
            document, path, span = place
            pipeline = self.pipelines(source.path, self.targets, stand_in=True).pipeline
            jobs = pipeline.jobs(document)
            words = hover(document, jobs[0], self._judged(pipeline, jobs), path) if jobs else ""
        except TrainlintError:
            return None
        return (words, span) if words else None

    @staticmethod
    def _judged(pipeline: Pipeline, jobs: Sequence[Job]) -> tuple[Result, ...]:
        path = jobs[0].document.source.path
        return tuple(
            result for target in pipeline.targets_of(path) for result in pipeline.judge_all(jobs, target)
        )

    def offers(self, source: Source, offset: int) -> tuple[tuple[Offer, ...], Span, Document | None]:
        """Return what the word at an offset could become, where that word is, and the document as read."""
        question = asked(source, offset)
        if question is None:
            return (), Span(offset, offset), None
        try:
            pipeline = self.pipelines(source.path, self.targets, stand_in=False).pipeline
            dialect = recognise(question.document, pipeline.dialects) or self.recognised.get(source.path)
        except TrainlintError:
            return (), question.span, None
        return (offers(question, dialect) if dialect else ()), question.span, question.document


def text_of(path: str, written: str) -> Source | None:
    """Return an editor's text as a file's; None for one that is too large to be a config.

    Halves of surrogates, which no file holds, are replaced one by one, so that places stay.
    """
    limit = NOTEBOOK_BYTES if path.lower().endswith(".ipynb") else FILE_BYTES
    return None if len(written) > limit else Source(path, SURROGATE.sub("\N{REPLACEMENT CHARACTER}", written))


def _documents(source: Source) -> tuple[Document, ...]:
    try:
        return tuple(document for document in read(source) if document.broken is None)
    except UnreadableError:
        return ()


def _place(document: Document, offset: int) -> tuple[Document, tuple[str | int, ...], Span] | None:
    place = path_at(document, offset)
    return None if place is None else (document, *place)
