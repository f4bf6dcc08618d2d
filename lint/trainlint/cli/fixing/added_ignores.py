# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--add-ignore REASON`: an inline ignore for each finding, proved to hide it and to change nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from msgspec.structs import replace

from trainlint.cli.console import complain, say
from trainlint.cli.exit_code import Exit
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError, UsageError
from trainlint.expressions.patterns import later
from trainlint.files.replace_text import write_back
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Source
from trainlint.model.result import Result
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable
from trainlint.session.many_files import Input, Unread

Lines = Mapping[int, Sequence[str]]
"""The rules to ignore, by the line of their findings."""

_IGNORE = later(r"^(\s*(?:#|//)\s*trainlint:\s*ignore\[)([^\]\n]*)(\].*)$")
"""An ignore on a line of its own."""


def add_ignores(pipeline: Pipeline, inputs: Iterable[Input], reason: str) -> Exit:
    """Write the comments, and say each; return CLEAN where every finding has one."""
    code = Exit.CLEAN
    for item in inputs:
        if isinstance(item, Unread | Source):
            continue
        try:
            before = load_source(item.path)
        except UnreadableError:
            continue
        wanted = _wanted(_judged(pipeline, before), pipeline)
        after, written, left = commented(pipeline, before, wanted, reason)
        for line, rules in sorted(left.items()):
            complain(printable(f"{before.path}:{line}: no comment can be written here: {', '.join(rules)}"))
        code = max(code, Exit.FINDINGS if left else Exit.CLEAN)
        if not written:
            continue
        try:
            write_back(before, after)
        except UsageError as error:
            complain(str(error))
            code = Exit.UNREADABLE
            continue
        for line, rules in sorted(written.items()):
            say(printable(f"ignored {before.path}:{line}: {', '.join(rules)}"), err=True)
    return code


def commented(pipeline: Pipeline, source: Source, wanted: Lines, reason: str) -> tuple[Source, Lines, Lines]:
    """Return the text with its comments, and the lines that got one and that did not."""
    if not wanted:
        return source, {}, {}
    whole = _with(source, wanted, reason)
    if _is_proved(pipeline, source, whole, wanted):
        return whole, wanted, {}
    written: dict[int, Sequence[str]] = {}
    for line, rules in wanted.items():
        more = {**written, line: rules}
        if _is_proved(pipeline, source, _with(source, more, reason), more):
            written = more
    left = {line: rules for line, rules in wanted.items() if line not in written}
    return (_with(source, written, reason) if written else source), written, left


def _wanted(results: Iterable[Result], pipeline: Pipeline) -> Lines:
    """Return the findings' rules by line, of rules that a comment can hide."""
    by_line: dict[int, dict[str, None]] = defaultdict(dict)
    for result in results:
        for finding in result.findings:
            rule = pipeline.rules.rules.get(finding.rule)
            if rule is not None and rule.kind != "ignores":
                by_line[result.source.position(finding.spans[0].start)[0]][finding.rule] = None
    return {line: tuple(rules) for line, rules in by_line.items()}


def _with(source: Source, wanted: Lines, reason: str) -> Source:
    """Write each comment on a line of its own above, or its rules into the comment that is there."""
    lines = source.text.split("\n")
    mark = "//" if PurePath(source.path).suffix.lower() == ".json" else "#"
    for line in sorted(wanted, reverse=True):
        rules = ", ".join(wanted[line])
        above = _IGNORE.match(lines[line - 2]) if line > 1 else None
        if above is not None:
            lines[line - 2] = f"{above[1]}{above[2]}, {rules}{above[3]}"
            continue
        text = lines[line - 1]
        indent, end = text[: len(text) - len(text.lstrip())], "\r" * text.endswith("\r")
        lines.insert(line - 1, f"{indent}{mark} trainlint: ignore[{rules}] {reason}{end}")
    return replace(source, text="\n".join(lines))


def _is_proved(pipeline: Pipeline, before: Source, after: Source, wanted: Lines) -> bool:
    """Return whether comments hide what they name, and the file's values are what they were."""
    try:
        values = [[document.value for document in read(source)] for source in (before, after)]
    except UnreadableError:
        return False
    if values[0] != values[1]:
        return False
    old, new = (_counts(_judged(pipeline, source)) for source in (before, after))
    named = {rule for rules in wanted.values() for rule in rules}
    return not new - old and all(new[rule] < old[rule] for rule in named)


def _counts(results: Iterable[Result]) -> Counter[str]:
    return Counter(finding.rule for result in results for finding in result.findings)


def _judged(pipeline: Pipeline, source: Source) -> Iterator[Result]:
    alone = replace(pipeline, reported={})
    results = alone.lint_source(source, named=False, tries=Tries(0))
    return (result for result in results if result.path == source.path)
