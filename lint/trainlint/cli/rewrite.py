# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--fix` and `--diff`: a file with its verified fixes, and the difference as a unified diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from difflib import unified_diff

from trainlint.cli.batch import Input, Unread
from trainlint.errors import UnreadableError
from trainlint.judge.edit import apply_edits
from trainlint.judge.finding import Fix, Level
from trainlint.judge.relint import BUDGET, Tries
from trainlint.pipeline import Pipeline
from trainlint.read import load_source
from trainlint.read.document import Source

MOST_FIXES = 25
"""Fixes applied to one file; more than a config has mistakes, few enough to end."""

MOST_TRIES = 4 * BUDGET
"""Edited texts that are judged for all of them: what cannot be fixed is tried again after every fix."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line as patch counts them: only LF ends one, whatever else Python splits at."""


def mended(pipeline: Pipeline, inputs: Iterable[Input]) -> Iterator[tuple[Source, Source]]:
    """Yield (before, after) for every input that has fixes; unreadable ones are left to the report."""
    for item in inputs:
        if isinstance(item, Unread):
            continue
        with suppress(UnreadableError):
            source = item if isinstance(item, Source) else load_source(item.path)
            after = mend(pipeline, source)
            if after.text != source.text:
                yield source, after


def mend(pipeline: Pipeline, source: Source) -> Source:
    """Apply one verified fix after the other, linting in between, until none is left or one repeats."""
    seen = {source.text}
    tries = Tries.of(source.text, MOST_TRIES, one=True)
    for _ in range(MOST_FIXES):
        fix = _first_fix(pipeline, source, tries)
        if fix is None:
            break
        text = apply_edits(source.text, fix.edits)
        if text in seen:
            break
        seen.add(text)
        tries.found = False
        source = replace(source, text=text)
    return source


def _first_fix(pipeline: Pipeline, source: Source, tries: Tries) -> Fix | None:
    """Return the nearest fix of the worst finding that has one and that every reading of its job has."""
    findings = [
        finding
        for result in pipeline.lint_source(source, named=False, tries=tries)
        if result.path == source.path
        for finding in result.findings
    ]
    findings.sort(key=lambda finding: finding.level is not Level.FAIL)
    sure = (finding for finding in findings if finding.holds_in is None)
    return next((fix for finding in sure for fix in finding.fixes if fix.verified), None)


def diff(before: Source, after: Source) -> str:
    """Return a unified diff that patch understands."""
    old, new = _LINE.findall(before.text), _LINE.findall(after.text)
    lines = unified_diff(old, new, before.path, after.path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
