# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Many files through the pipeline, one after the other, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.documents.discover import InputFile, is_program
from trainlint.errors import UnreadableError, UsageError
from trainlint.model.document import Source
from trainlint.model.result import Crash, Report, Result
from trainlint.pipeline.not_judged import unreadable
from trainlint.pipeline.pipeline import Pipeline


class Unread(Struct, frozen=True):
    """Standard input that could not be read, under the name that it goes by, and why."""

    path: str
    error: UnreadableError


_UNQUOTED = Source("", "")

Input = InputFile | Source | Unread
"""A file still to be read, or a text at hand (standard input), or the reason why there is none."""

Judged = list[Result] | Crash
"""What came of one file."""

Judging = Callable[
    [Pipeline, Iterable[Input], Callable[[str], None]], Generator[tuple[Input, Judged], None, None]
]
"""Judges files and yields what came of each, in their order; the last is the progress of `lint_all`."""


def _all(results: Sequence[Result]) -> Sequence[Result]:
    return results


def _ignore(_results: Sequence[Result]) -> None:
    pass


def lint_all(
    pipeline: Pipeline,
    inputs: Iterable[Input],
    progress: Callable[[str], None],
    done: Callable[[Sequence[Result]], None] = _ignore,
    shown: Callable[[Sequence[Result]], Sequence[Result]] = _all,
    *,
    judge: Judging | None = None,
) -> Report:
    """Lint every input; trainlint's own failure on one is recorded and the others go on.

    `progress` gets the file that is being linted, and "" at the end, however that comes; `done` gets each
    file's results, in the report's order, when they are there. `shown` may take findings out of them.
    `judge` judges the files, in their order: None, one after the other here.
    """
    results: list[Result] = []
    programs: dict[str, list[str]] = {}
    unrecognised, crashes, files = [], [], 0
    equal: dict[object, Any] = {}
    try:
        with closing((judge or _one_by_one)(pipeline, inputs, progress)) as judged:
            for item, linted in judged:
                files += 1
                outcome = (
                    linted if isinstance(linted, Crash) else _or_crash(item.path, partial(shown, linted))
                )
                if isinstance(outcome, Crash):
                    crashes.append(outcome)
                    done(())
                    continue
                for program in [result.program for result in outcome if result.program]:
                    programs.setdefault(program, []).append(item.path)
                judged_jobs = [result for result in outcome if not result.program]
                kept = sorted(slim(judged_jobs, equal), key=lambda result: result.sort_key)
                results += kept
                if not outcome and not is_program(item.path):
                    unrecognised.append(item.path)
                done(kept)
    finally:
        progress("")
    judged_programs = {result.path for result in results if is_program(result.path)}
    for program in [name for name in programs if _is_among(name, judged_programs)]:
        del programs[program]
    notes = (note for result in results if result.origin for note in result.origin.notes)
    return Report(
        results=tuple(sorted(results, key=lambda result: result.sort_key)),
        files=files,
        unrecognised=tuple(unrecognised),
        notes=tuple(dict.fromkeys(notes)),
        crashes=tuple(crashes),
        programs={program: tuple(paths) for program, paths in programs.items()},
    )


def _is_among(program: str, paths: Collection[str]) -> bool:
    """Return whether a program that a command names is one of some files."""
    return any(path == program or path.endswith(f"/{program.removeprefix('./')}") for path in paths)


def _one_by_one(
    pipeline: Pipeline, inputs: Iterable[Input], progress: Callable[[str], None]
) -> Generator[tuple[Input, Judged], None, None]:
    for item in inputs:
        progress(item.path)
        yield item, judged_here(pipeline, item)


def judged_here(pipeline: Pipeline, item: Input) -> Judged:
    """Judge one file: its results, or what went wrong. UsageError is the whole run's, so it is raised."""
    return _or_crash(item.path, partial(results_of, pipeline, item))


def _or_crash(path: str, results: Callable[[], Iterable[Result]]) -> Judged:
    try:
        return list(results())
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001  # one file must not take the others with it
        return _crash(path, error)


def slim(results: list[Result], equal: dict[object, Any]) -> Iterator[Result]:
    """Drop what no report reads of a file: values and places of its documents, its text if nothing quotes it.

    A config's places take ten times the room of its text, and a run may read ten thousand configs. What most
    files have alike (the rules that were not judged, and why; the launcher) is kept once, in `equal`.
    """
    quoted = {result.path: replace(result.source) for result in results if result.findings}
    for result in results:
        origin = result.origin and replace(
            result.origin, source=_UNQUOTED, value=None, places={}, duplicates=(), installs=(), meta={}
        )
        source = quoted[result.path] if result.findings else replace(result.source, text="")
        skips = tuple(equal.setdefault(skip, skip) for skip in result.skips)
        yield replace(
            result, source=source, origin=origin, skips=equal.setdefault(skips, skips),
            launcher=equal.setdefault(result.launcher, result.launcher),
        )  # fmt: skip


def results_of(pipeline: Pipeline, item: Input) -> Iterable[Result]:
    """Judge one file, whatever comes of it."""
    if isinstance(item, Source):
        return pipeline.lint_source(item, named=True)
    if isinstance(item, Unread):
        return unreadable(Source(item.path, ""), item.error, named=True)
    return pipeline.lint_path(item.path, named=item.explicit)


def _crash(path: str, error: Exception) -> Crash:
    import traceback  # noqa: PLC0415 - where trainlint itself fails

    what = f"{type(error).__name__}: {error}"
    message = f"internal error on {path}: {what}; please report it (--debug shows where)"
    return Crash(path, message, "".join(traceback.format_exception(error)))
