# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--baseline` and `--write-baseline`, and what the settings of a project leave out of a report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.cli.console import Progress, complain, say, write
from trainlint.cli.exit_code import Exit
from trainlint.errors import UsageError
from trainlint.hardware.gpus_and_targets import redefined
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.baseline import Baseline, load_baseline
from trainlint.report.style import printable
from trainlint.session.many_files import Input, lint_all
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import line_of

if TYPE_CHECKING:
    from trainlint.cli.options.check_options import CheckOptions
    from trainlint.cli.since_revision import Since


def baseline_for(settings: Settings, pipeline: Pipeline) -> Baseline:
    """Return the baseline of the settings; an empty one where there is none."""
    rules = pipeline.rules.rules
    if settings.baseline is None:
        return Baseline(Path(), rules)
    try:
        return load_baseline(Path(os.path.relpath(settings.baseline)), rules, pipeline.rules.off)
    except UsageError as error:
        raise UsageError(f"{line_of(settings, 'baseline')}{error}") from None


class LeftOut(Struct, frozen=True):
    """What a report does not show: findings of a baseline and of a revision, and what the settings say."""

    settings: Settings
    inputs: Sequence[Input]
    baseline: Baseline
    since: Since | None = None

    @classmethod
    def of(
        cls, settings: Settings, pipeline: Pipeline, inputs: Sequence[Input], options: CheckOptions
    ) -> LeftOut:
        """Read the baseline and judge the revision that are asked for. Raises UsageError."""
        baseline = baseline_for(settings, pipeline)
        if options.since is None:
            return cls(settings, inputs, baseline)
        from trainlint.cli.since_revision import since  # noqa: PLC0415 - with --since alone

        revision = since(options.since, pipeline, inputs)
        return cls(settings, revision.inputs, baseline, revision)

    def new(self, results: Sequence[Result]) -> list[Result]:
        """Return one file's results without the findings that are left out."""
        shown = self.baseline.new(results)
        return shown if self.since is None else self.since.baseline.new(shown)

    def notes(self) -> tuple[str, ...]:
        """Say what is left out: a tree may not take anything away without a word."""
        recent = self.since.notes() if self.since is not None else ()
        return (*notes_of(self.settings), *self.baseline.notes(), *recent)


def write_baseline(pipeline: Pipeline, inputs: Sequence[Input], progress: Progress, path: Path) -> int:
    """Lint, write the findings into a baseline, and say how many there are."""
    report = lint_all(pipeline, inputs, progress.file)
    baseline = Baseline(path, pipeline.rules.rules)
    with suppress(OSError):  # what is wrong is said when the file is written
        path.parent.mkdir(parents=True, exist_ok=True)
    write(baseline.text(report.results), path)
    baseline.learn(report.results)
    listed = baseline.entries.total()  # what all readings of a job have is one
    say(printable(f"{path}: {plural(listed, 'finding')} of {plural(report.files, 'file')}"), err=True)
    for crash in report.crashes:
        complain(crash.message)
    if report.crashes:
        return Exit.INTERNAL
    return Exit.UNREADABLE if report.outcomes[Outcome.UNREADABLE] else Exit.CLEAN


def notes_of(settings: Settings) -> Iterator[str]:
    """Say what the settings take away from a verdict: a tree may not do that without a word."""
    parts = []
    if settings.select:
        parts.append(f"only {', '.join(sorted(settings.select))} judged")
    if settings.ignore:
        parts.append(f"not judged: {', '.join(sorted(set(settings.ignore)))}")
    if lowered := sorted(name for name, level in settings.levels.items() if level == "warn"):
        parts.append(f"warnings at most: {', '.join(lowered)}")
    if settings.per_file_ignores:
        rules = {rule for item in settings.per_file_ignores for rule in item.rules}
        parts.append(f"left out in some files: {', '.join(sorted(rules))}")
    if settings.gpus:
        parts += [
            f"{table.name} is as {os.path.relpath(table.file)} has it" for table in redefined(settings.gpus)
        ]
    if parts:
        yield f"by your settings and options: {'; '.join(parts)}"
    yield from _profiles_missing(settings)


def _profiles_missing(settings: Settings) -> Iterator[str]:
    """Say that a settings file names a folder in which no profile is."""
    if settings.profiles is None or (settings.profiles.is_dir() and any(settings.profiles.iterdir())):
        return
    if line := line_of(settings, "profiles"):
        place = os.path.relpath(settings.profiles)
        yield f'{line}no profiles in "{place}": trainlint trace CONFIGS stores them'
