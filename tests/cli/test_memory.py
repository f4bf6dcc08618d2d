# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run keeps of the files that it has read."""

from __future__ import annotations

from trainlint.cli.batch import lint_all
from trainlint.cli.toolbox import pipeline_for, tapes_for
from trainlint.read.document import Source
from trainlint.report import json1, text
from trainlint.report.style import Style
from trainlint.settings import Settings

GOOD = "trainlint: 1\nname: small\nmodel: RRDBNet\n"
BAD = GOOD + "batch: 0\n"


def test_a_report_keeps_no_documents_and_only_the_texts_that_it_quotes():
    settings = Settings()
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))
    sources = [Source(f"{number}.yml", BAD if number % 2 else GOOD) for number in range(4)]
    report = lint_all(pipeline, sources, lambda _: None)
    assert len(report.results) == 4
    for result in report.results:
        assert result.origin is not None
        assert result.origin.value is None
        assert not result.origin.places
        assert bool(result.source.text) == bool(result.findings)
    assert any(result.findings for result in report.results)
    assert "batch: 0" in text.render(report, Style())
    assert '"column": 8' in json1.render(report, Style())
