# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--fix` and `--diff`: a file with the fixes that a report lists, and the difference as a unified diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from difflib import unified_diff
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from trainlint.config.edit import apply_edits
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.criterion import only_went, seen_without
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Source
from trainlint.model.finding import OUT_OF_MEMORY, Edit, Finding, Level, key_of
from trainlint.model.result import AppliedFix, Result
from trainlint.model.verdict import Verdict
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.many_files import Input, Unread

MOST_FIXES = 25
"""Fixes applied to one job; more than a config has mistakes, few enough to end."""

_LINE = later(r"[^\n]*\n|[^\n]+")
"""A line as patch counts them: only LF ends one, whatever else Python splits at."""


class Fixed(Struct, frozen=True):
    """A file before and after its fixes; `left` counts the findings that only an unsafe one fixes.

    `fails` counts the errors of rules that were not to be fixed.
    """

    before: Source
    after: Source
    left: int
    applied: tuple[AppliedFix, ...] = ()
    fails: Mapping[str, int] = MappingProxyType({})

    @property
    def changed(self) -> bool:
        """Say whether there is something to write."""
        return self.after.text != self.before.text


def fixed_sources(
    pipeline: Pipeline, inputs: Iterable[Input], only: AbstractSet[str] = frozenset(), *, unsafe: bool
) -> Iterator[Fixed]:
    """Yield the inputs that have fixes, of the rules `only` if any, or errors of others.

    The report has unreadable ones.
    """
    for item in inputs:
        if isinstance(item, Unread):
            continue
        with suppress(UnreadableError):
            source = item if isinstance(item, Source) else load_source(item.path)
            fixed = fix_source(pipeline, source, only, unsafe=unsafe)
            if fixed.changed or fixed.left or fixed.fails:
                yield fixed


def fix_source(
    pipeline: Pipeline, before: Source, only: AbstractSet[str] = frozenset(), *, unsafe: bool = True
) -> Fixed:
    """Apply the fixes that a report of this text lists, of the rules `only` if any, the worst first.

    On a page of many commands a report tries some of them; here each command's are.
    The text is judged again after each: a fix whose finding is gone by then, or that brings another one among
    those that were applied, is left out. Without `unsafe`, those that change what is learned are counted and
    not applied.
    """
    results = _judged(pipeline, before, thorough=True)
    most = MOST_FIXES * len({(result.line, result.document, result.cell) for result in results})
    counts, source, judged = _counts(results), before, results
    unjudged = _unjudged(results, pipeline)
    edits: tuple[Edit, ...] = ()
    applied: list[AppliedFix] = []
    left: list[str] = []
    for finding in _fixable(results, only):
        fix = next((candidate for candidate in finding.writable if unsafe or candidate.safe), None)
        if fix is None:
            left.append(finding.rule)
        elif len(applied) < most and counts[finding.rule]:
            wanted = (*edits, *(edit for edit in fix.edits if edit not in edits))
            try:
                edited = replace(source, text=apply_edits(before.text, wanted))
            except ValueError:  # two fixes of one place
                continue
            if edited.text == source.text:
                continue
            again = _judged(pipeline, edited, Tries(0))
            after = _counts(again)
            if only_went(finding.rule, counts, after, seen_without(finding, pipeline.rules.rules, unjudged)):
                counts, source, edits, judged = after, edited, wanted, again
                applied.append(AppliedFix.of(before, fix))
    unfixed = sum(bool(counts[rule]) for rule in left)
    return Fixed(before, source, unfixed, tuple(applied), _others(judged, only) if only else {})


def _others(results: Iterable[Result], only: AbstractSet[str]) -> Counter[str]:
    """Return how many errors there are of each rule that is none of `only`; readings' are one."""
    errors = {
        (result.line, result.document, result.cell, *key_of(finding))
        for result in results
        for finding in result.findings
        if finding.level is Level.FAIL and finding.rule not in only
    }
    return Counter(rule for *_, rule, _ in errors)


def _counts(results: Iterable[Result]) -> Counter[str]:
    """Return how often each rule has a finding in a text, over all of its jobs."""
    return Counter(finding.rule for result in results for finding in result.findings)


def _unjudged(results: Iterable[Result], pipeline: Pipeline) -> frozenset[str]:
    """Return the rules of the families that have no verdict."""
    unjudged = {
        family for result in results for family, said in result.verdicts.items() if said is Verdict.NOT_JUDGED
    }
    return frozenset(name for name, rule in pipeline.rules.rules.items() if rule.families & unjudged)


def _judged(
    pipeline: Pipeline, source: Source, tries: Tries | None = None, *, thorough: bool = False
) -> list[Result]:
    alone = replace(pipeline, reported={})  # a report says of the first file what lies around all of them
    results = alone.lint_source(source, named=False, tries=tries, thorough=thorough)
    return [result for result in results if result.path == source.path]


def _fixable(results: Iterable[Result], only: AbstractSet[str]) -> list[Finding]:
    """Return the findings with checked fixes that every reading of their job has, the worst first.

    Memory's go before others that fail, as in what a report recommends.
    """
    findings = [finding for result in results for finding in result.findings]
    findings.sort(key=lambda finding: (finding.level is not Level.FAIL, finding.rule not in OUT_OF_MEMORY))
    return [finding for finding in findings if finding.writable and (not only or finding.rule in only)]


def diff(before: Source, after: Source) -> str:
    """Return a unified diff that patch understands."""
    old, new = _LINE.findall(before.text), _LINE.findall(after.text)
    lines = unified_diff(old, new, before.path, after.path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
