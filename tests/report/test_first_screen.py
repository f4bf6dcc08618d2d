# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text's first screen: short, each fact once, errors before warnings, one line for what is fine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.reading.words import counted, findings
from tests.warm_cache import warm
from trainlint.api import check
from trainlint.judge.rule_files.rule_file import load_rule
from trainlint.model.finding import Finding, Level, Outcome
from trainlint.model.result import Report
from trainlint.report.brief.severity import severity_of
from trainlint.report.brief.short_message import CONCISE_WORDS, clauses
from trainlint.report.formats import concise
from trainlint.report.formats.text import render
from trainlint.report.style import Style
from trainlint.shipped.resource_paths import resource

from .report_samples import failing, passing, span

PLAIN = Style()
ROOT = resource("rules").parent if (resource("rules").parent / "examples").is_dir() else None


def shown(*results, files: int = 1) -> str:
    return render(Report(tuple(results), files=files), PLAIN)


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Report:
    """Judge it by what is shipped, whatever this user's cache has."""
    if ROOT is None:
        pytest.skip("the examples are in a checkout alone")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(warm(tmp_path_factory.mktemp("cache"))))
        return check(ROOT / "examples" / "realesrgan_x4.yml", targets=["kaggle-t4x2"], trace=False)


def test_a_failing_job_takes_twenty_five_lines_and_a_finding_sixty_five_words(example) -> None:
    text = str(example)
    lines = text.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert all(counted(one)[1] <= 65 for one in findings(text))
    assert text.count("error[") == 2


def test_what_is_said_in_readings_is_the_one_that_is_shown(example) -> None:
    text = str(example)
    assert "FAIL, does not fit (15.11 with torchrun)" in text
    assert re.search(r"\d+ sessions of 9 h, about \d+ weeks \(\d+ with torchrun\)", text)
    assert "= fix (changes training): 12 -> 6, then 8.90-10.06 GiB" in text
    assert "apply: --fix --unsafe-fixes --select vram-budget" in text
    assert text.splitlines()[-1] == "6 findings (2 errors, 3 warnings, 1 hint), 1 fixable with --unsafe-fixes"


def test_a_concise_finding_takes_fifteen_words(example) -> None:
    for line in concise.render(example, PLAIN).splitlines():
        assert len(line.split()) <= CONCISE_WORDS


def test_a_job_that_passes_takes_one_line() -> None:
    assert shown(passing()) == (
        "pass  configs/small.yml on kaggle-t4x2: 5.60 of 14.56 GiB, 15 h in 2 sessions, 2 MB of disk\n"
        "no findings\n"
    )


def test_many_files_take_a_line_each_and_one_table() -> None:
    text = shown(failing(), passing(), files=2)
    assert text.count("configs/photos.yml") == text.count("configs/small.yml") == 1
    assert "\nqueue-not-divisible       1         -      -      1\n" in text
    assert text.endswith("in 2 files: 1 fail, 1 pass\n")


def test_equal_findings_of_many_commands_are_one() -> None:
    many = [replace(failing(), path="guide.md", line=at + 1, document=at) for at in range(12)]
    text = shown(*many)
    assert text.count("12 commands: pool of 180") == 1
    assert len(text.splitlines()) <= 60


def test_a_job_that_runs_out_of_memory_in_one_reading_says_which() -> None:
    finding = Finding("vram-budget", Level.WARN, "too much", (span("12"),), holds_in=("without a launcher",))
    plain = replace(failing(), variant="without a launcher", outcome=Outcome.WARN, findings=(finding,))
    started = replace(plain, variant="with a launcher", facts=passing().facts, findings=())
    text = shown(plain, started)
    assert "warn, out of memory unless started with torchrun\n" in text
    assert "FAIL, does not fit (5.60 with torchrun)" in text
    assert "warning[vram-budget]: too much (without torchrun)" in text


def test_the_texts_words_are_error_warning_and_hint() -> None:
    one = Finding("a", Level.WARN, "m", (span("12"),))
    three = (replace(one, level=Level.FAIL), one, replace(one, hint=True))
    assert [severity_of(each).value for each in three] == ["error", "warning", "hint"]


def test_clauses_are_cut_outside_of_quotes_and_brackets() -> None:
    assert clauses("a key (one, two) is wrong: say more", 7) == "a key (one, two) is wrong"
    assert clauses('it says "a: b c d" here, and more', 8) == 'it says "a: b c d" here'
    assert clauses("one two three four", 3) == "one two …"


def test_every_rule_of_many_words_has_a_short_form() -> None:
    """What a template's expressions come to is a word or two each."""
    for path in sorted(resource("rules").glob("*.yaml")):
        rule = load_rule(path, checked=False)
        message = rule.data.get("message", "")
        if len(message.split()) > 20:
            assert rule.short is not None or "{" in message, path.name


def test_a_headline_is_one_line_where_fewer_words_make_it_one() -> None:
    job = failing()
    deep = replace(job, path=f"{Path.cwd()}/{'deep/' * 12}train.yml")
    head = shown(deep).splitlines()[0]
    assert head.startswith("train.yml on kaggle-t4x2: FAIL, ")
    assert len(head) <= 100
    near = replace(job, path=f"{Path.cwd()}/configs/train.yml")
    assert (
        shown(near).splitlines()[0].startswith(("configs/train.yml on", f"{Path.cwd()}/configs/train.yml on"))
    )


def test_what_fix_leaves_alone_is_not_counted_as_fixable() -> None:
    job = failing()
    assert any(finding.writable for finding in job.findings)
    unknown = [
        replace(one, fixes=tuple(replace(fix, unknown="nobody traced it") for fix in one.fixes))
        for one in job.findings
    ]
    text = shown(replace(job, findings=tuple(unknown)))
    assert "fixable" not in text.splitlines()[-1]
    assert "possible fix, not made by --fix: " in text
