# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--fix` and `--diff`: a file with its verified fixes, and the difference as a unified diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import unified_diff

from msgspec import Struct
from msgspec.structs import replace

from trainlint.cli.batch import Input, Unread
from trainlint.errors import UnreadableError
from trainlint.judge.finding import Fix, Level
from trainlint.judge.relint import BUDGET, Tries
from trainlint.patterns import later
from trainlint.pipeline import Pipeline
from trainlint.read import load_source
from trainlint.read.document import Source
from trainlint.read.edit import apply_edits

MOST_FIXES = 25
"""Fixes applied to one file; more than a config has mistakes, few enough to end."""

MOST_TRIES = 4 * BUDGET
"""Edited texts that are judged for all of them: what cannot be fixed is tried again after every fix."""

_LINE = later(r"[^\n]*\n|[^\n]+")
"""A line as patch counts them: only LF ends one, whatever else Python splits at."""


class Fixed(Struct, frozen=True):
    """A file before and after its fixes, and how many findings only an unsafe one would fix."""

    before: Source
    after: Source
    left: int

    @property
    def changed(self) -> bool:
        """Say whether there is something to write."""
        return self.after.text != self.before.text


def fixed_sources(pipeline: Pipeline, inputs: Iterable[Input], *, unsafe: bool) -> Iterator[Fixed]:
    """Yield every input that has fixes; unreadable ones are left to the report."""
    for item in inputs:
        if isinstance(item, Unread):
            continue
        with suppress(UnreadableError):
            source = item if isinstance(item, Source) else load_source(item.path)
            found = fix_source(pipeline, source, unsafe=unsafe)
            if found.changed or found.left:
                yield found


def fix_source(pipeline: Pipeline, before: Source, *, unsafe: bool = True) -> Fixed:
    """Apply one verified fix after the other, linting in between, until none is left or one repeats.

    Without `unsafe`, those that change what is learned are counted and not applied.
    """
    source, seen = before, {before.text}
    tries = Tries.of(MOST_TRIES, one=True, unsafe=unsafe)
    for _ in range(MOST_FIXES):
        fixes = _fixes(pipeline, source, tries)
        fix = next((one for found in fixes for one in found if unsafe or one.safe), None)
        if fix is None:
            return Fixed(before, source, sum(bool(found) for found in fixes))
        text = apply_edits(source.text, fix.edits)
        if text in seen:
            break
        seen.add(text)
        tries.found = False
        source = replace(source, text=text)
    return Fixed(before, source, 0)


def _fixes(pipeline: Pipeline, source: Source, tries: Tries) -> list[tuple[Fix, ...]]:
    """Return each finding's verified fixes, the worst first, where every reading of its job has it."""
    findings = [
        finding
        for result in pipeline.lint_source(source, named=False, tries=tries)
        if result.path == source.path
        for finding in result.findings
    ]
    findings.sort(key=lambda finding: finding.level is not Level.FAIL)
    sure = (finding for finding in findings if finding.holds_in is None)
    return [finding.fixes for finding in sure]


def diff(before: Source, after: Source) -> str:
    """Return a unified diff that patch understands."""
    old, new = _LINE.findall(before.text), _LINE.findall(after.text)
    lines = unified_diff(old, new, before.path, after.path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
