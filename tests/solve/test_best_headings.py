# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of settings speaks of crops or of lengths, whichever the job has."""

from __future__ import annotations

from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.model.facts import Facts, ModelBytes
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.target import Target
from trainlint.report.style import Style
from trainlint.report.text.solve_text import answers
from trainlint.solve import Best, Solved
from trainlint.solve.best_settings import Setting


def _table(setting: Setting) -> list[str]:
    (document,) = read(source_of(b"a: 1\n", "job.yml"))
    best = Best(Target("card", None, 0), (setting,), ())
    return list(answers(document, [best], Style(), markdown=True))


def test_a_length_is_no_crop() -> None:
    text = _table(Setting(4, 2, 8, "bf16", None, 2048))
    assert "| length |" in text[1]
    assert "| 2048 |" in text[-1]
    assert "| crop |" in _table(Setting(4, 2, 8, "fp32", 128, None))[1]


def test_what_is_not_judged_has_what_its_weights_take_at_the_least() -> None:
    (document,) = read(source_of(b"a: 1\n", "job.yml"))
    result = Result("job.yml", document.source, Outcome.SKIPPED, facts=Facts(model=ModelBytes(2**30)))
    best = Best(Target("card", None, 0), (Setting(4, 2, 8, "bf16", None, 2048),), (result,), why="no torch")
    assert "| 1.00+ |" in list(answers(document, [best], Style(), markdown=True))[-1]


def test_the_last_value_that_was_judged_is_no_limit() -> None:
    (document,) = read(source_of(b"a: 1\n", "job.yml"))
    solved = Solved(Target("card", None, 0), "a", 4, 8, above=9, why="no torch", safe=6, open=True)
    row = list(answers(document, [solved], Style(), markdown=True))[-1]
    assert "| card | 8+ | 6 | 4 |" in row
    assert "9: not judged: no torch" in row
