# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--since REV`: what a revision of git has already is not reported, as if it were a baseline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trainlint.documents.discover import InputFile
from trainlint.documents.git_revisions import GitRepository
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Source
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.baseline import Baseline
from trainlint.session.many_files import Input


class Since(Struct, frozen=True):
    """The inputs that are not as the revision has them, and its findings; `unchanged` counts the others."""

    revision: str
    inputs: tuple[Input, ...]
    baseline: Baseline
    unchanged: int

    def notes(self) -> Iterator[str]:
        """Say what is left out."""
        if self.unchanged:
            yield f"{plural(self.unchanged, 'file')} as in {self.revision}, not judged again"
        if self.baseline.hidden:
            yield f"{plural(self.baseline.hidden, 'finding')} of {self.revision} not shown"


def since(revision: str, pipeline: Pipeline, inputs: Sequence[Input]) -> Since:
    """Judge the files as a revision has them. Raises UsageError for what is no revision.

    Settings and what lies around the files are those of the working tree, on both sides.
    """
    files = [item for item in inputs if isinstance(item, InputFile)]
    repository = GitRepository(Path(files[0].path).parent if files else Path())
    blobs = repository.files(repository.commit(revision))
    baseline = Baseline(Path("since"), pipeline.rules.rules)
    kept: list[Input] = []
    alone = replace(pipeline, reported={})
    for item in inputs:
        old = _old(repository, blobs, item)
        if old is not None and _is_same(old, item):
            continue
        kept.append(item)
        if old is not None:
            baseline.learn(list(alone.lint_source(old, named=False, tries=Tries(0))))
    return Since(revision, tuple(kept), baseline, len(inputs) - len(kept))


def _old(repository: GitRepository, blobs: dict[str, str], item: Input) -> Source | None:
    """Return a file's text in the revision; None where it is not there, or cannot be read."""
    if not isinstance(item, InputFile):
        return None
    place = os.path.relpath(os.path.realpath(item.path), repository.root).replace(os.sep, "/")
    try:
        return repository.source(blobs.get(place), item.path)
    except UnreadableError:
        return None


def _is_same(old: Source, item: Input) -> bool:
    try:
        return load_source(item.path).text == old.text
    except UnreadableError:
        return False
