# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint diff OLD NEW`: what a change does to memory, time and disk."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

import click
from msgspec.structs import replace

from trainlint.cli.console import Progress, complain, say, style_for, write
from trainlint.cli.exit_code import Exit
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.refused_profiles import report_refused
from trainlint.documents.discover import SUFFIXES
from trainlint.documents.git_revisions import Changed, GitRepository, sources
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Source
from trainlint.model.result import Result
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.comparison import Comparison, as_data, compared, render_markdown, render_text
from trainlint.report.formats.markdown import MOST_COMMENT_CHARACTERS
from trainlint.report.json_version_1 import encoded
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for

BASELINE_NAME = r".*baseline.*\.json"
"""What a baseline is called; which one is read, the settings say."""

IGNORE_COMMENT = "trainlint: ignore"
"""What an inline ignore says."""

Pair = tuple["Source | None", "Source | None"]


@click.command("diff", cls=SectionedCommand, epilog=EXIT_CODES)
@click.argument("old")
@click.argument("new")
@with_shared
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
)
@gathered(options=SharedOptions)
def diff_command(old: str, new: str, output_format: str, options: SharedOptions) -> int:
    """Compare two configs, or two revisions of the git repository here: OLD and NEW are files or revisions.

    Revisions are read from git's objects; settings and what lies around the configs are those of the working
    tree. The exit code is 1 where the change brings a failure.
    """
    files = os.path.isfile(old) and os.path.isfile(new)  # noqa: PTH113  # no error where it may not look
    touched, pairs = _files(old, new) if files else _revisions(old, new)
    settings = settings_from((new if files else ".",), options)
    tapes = tapes_for(settings, Progress(quiet=options.quiet), may_trace=options.may_trace)
    pipeline = pipeline_for(settings, tapes)
    comparisons = [comparison for pair in pairs for comparison in _compared(pipeline, pair, named=files)]
    if output_format == "json":
        write(encoded(as_data(comparisons, touched)), None)
    elif output_format == "markdown":
        write(_short("\n".join(render_markdown(comparisons, touched)) + "\n"), None)
    else:
        say("\n".join(render_text(comparisons, touched, style_for(sys.stdout, options.color))))
    report_refused(tapes)
    unread = dict.fromkeys(comparison.unread for comparison in comparisons if comparison.unread)
    for line in unread:
        complain(line)
    worse = any(comparison.is_worse for comparison in comparisons)
    return Exit.UNREADABLE if unread else Exit.FINDINGS if worse else Exit.CLEAN


def _short(text: str) -> str:
    """Hold a comment to its size, at the end of a line."""
    if len(text) <= MOST_COMMENT_CHARACTERS:
        return text
    return text[: MOST_COMMENT_CHARACTERS - 20].rpartition("\n")[0] + "\n\n(cut here)\n"


def _files(old: str, new: str) -> tuple[list[str], list[Pair]]:
    try:
        return [], [(load_source(old), load_source(new))]
    except UnreadableError as error:
        raise UsageError(f'one of "{old}" and "{new}" {error}') from None


def _revisions(old: str, new: str) -> tuple[list[str], list[Pair]]:
    """Return what the change does to settings, and the files that it changes."""
    repository = GitRepository(Path())
    changed = repository.changed(repository.commit(old), repository.commit(new))
    looked = [file for file in changed if PurePath(file.path).suffix.lower() in SUFFIXES]
    versions = list(sources(repository, looked))
    return list(_touched(changed, versions)), [(before, after) for _, before, after in versions]


def _touched(
    changed: Sequence[Changed], versions: Iterable[tuple[Changed, Source | None, Source | None]]
) -> Iterator[str]:
    """Say what else decides the verdicts and is changed: whoever reviews has to see it first."""
    for file in changed:
        parts = PurePath(file.path).parts
        if parts[-1] == "trainlint.toml" or ".trainlint" in parts or re.fullmatch(BASELINE_NAME, parts[-1]):
            yield f"{file.path} is {_what(file)}, which decides what is reported"
    for file, before, after in versions:
        texts = tuple(source.text if source is not None else "" for source in (before, after))
        if PurePath(file.path).name == "pyproject.toml" and any("tool.trainlint" in text for text in texts):
            yield f"{file.path} is {_what(file)}, which holds settings of trainlint"
        more = texts[1].count(IGNORE_COMMENT) - texts[0].count(IGNORE_COMMENT)
        if more > 0:
            yield f'{file.path} has {more} more "{IGNORE_COMMENT}"'
        if {"rule.schema.json"} & {PurePath(file.path).name} or "rules" in PurePath(file.path).parts:
            yield f"{file.path} is {_what(file)}, which may be a rule"


def _what(file: Changed) -> str:
    if file.old is None:
        return "added"
    return "removed" if file.new is None else "changed"


def _compared(pipeline: Pipeline, pair: Pair, *, named: bool) -> list[Comparison]:
    old, new = pair
    return compared(_linted(pipeline, old, named=named), _linted(pipeline, new, named=named))


def _linted(pipeline: Pipeline, source: Source | None, *, named: bool) -> list[Result]:
    """Return a text's results, without the fixes, which a comparison does not show."""
    if source is None:
        return []
    alone = replace(pipeline, reported={})
    results = alone.lint_source(source, named=named, tries=Tries(0))
    return [result for result in results if result.path == source.path]
