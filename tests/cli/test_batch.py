# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Many files: each on its own, and trainlint's own failure on one is not the others'."""

from __future__ import annotations

import pytest

from trainlint.documents.discover import InputFile
from trainlint.errors import RuleError, UsageError
from trainlint.model.document import Document, Source
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.session.many_files import lint_all


class Scripted:
    """A pipeline that does what it is told for each path."""

    def __init__(self, **does: object) -> None:
        self.does = does

    def lint_path(self, path: str, *, named: bool):
        does = self.does[path]
        if isinstance(does, Exception):
            raise does
        yield from does

    def lint_source(self, source: Source, *, named: bool):
        yield from self.lint_path(source.path, named=named)


def result(path: str, line: int = 1) -> Result:
    return Result(path, Source(path, ""), Outcome.PASS, line=line, dialect="basicsr")


def lint(pipeline, *paths: str):
    return lint_all(pipeline, [InputFile(path, explicit=True) for path in paths], lambda _text: None)


def test_a_failure_on_one_file_is_told_and_the_others_go_on() -> None:
    report = lint(Scripted(a=[result("a")], b=KeyError("x"), c=[result("c")]), "a", "b", "c")
    assert [found.path for found in report.results] == ["a", "c"]
    (crash,) = report.crashes
    assert crash.message.startswith("internal error on b: KeyError: 'x'")
    assert "please report it" in crash.message
    assert "Traceback" in crash.traceback


def test_a_rule_that_fails_at_run_time_is_loud() -> None:
    assert lint(Scripted(a=RuleError("rule x: no such overload")), "a").crashes


def test_wrong_use_ends_the_run() -> None:
    with pytest.raises(UsageError):
        lint(Scripted(a=UsageError("no such thing"), b=[result("b")]), "a", "b")


def test_results_are_sorted_by_place() -> None:
    report = lint(Scripted(b=[result("b", 9), result("b", 2)], a=[result("a")]), "b", "a")
    assert [(found.path, found.line) for found in report.results] == [("a", 1), ("b", 2), ("b", 9)]


def test_files_without_results_are_counted_as_unrecognised() -> None:
    report = lint(Scripted(a=[], b=[result("b")]), "a", "b")
    assert (report.files, report.unrecognised) == (2, ("a",))


def test_notes_of_documents_are_told_once() -> None:
    origin = Document(Source("a", ""), {}, {}, "yaml", notes=("a template",))
    noted = [Result("a", Source("a", ""), Outcome.PASS, origin=origin) for _ in range(2)]
    assert lint(Scripted(a=noted), "a").notes == ("a template",)
