# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""However many jobs and findings a file holds, a bounded number is judged, and what is not is reported."""

from __future__ import annotations

import json
import resource
from collections import Counter
from pathlib import Path

import pytest

from tests.sampling import sampled
from trainlint.dialects.schema import check_budget
from trainlint.documents.file_format import read, words_again
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.trace_here import trace_here
from trainlint.files.read_limits import MOST_PAGE_JOBS
from trainlint.judge.fixes.fixer import UNTRACED, UNTRIED
from trainlint.judge.fixes.tries import (
    A_VALUE,
    A_WORD,
    CHARACTERS,
    LEAST_TRIES,
    MOST_ON_PAGE,
    MOST_REPLAYED_EVENTS,
    MOST_TRIES,
    TAKEN_AWAY,
    Tries,
)
from trainlint.model.document import Source
from trainlint.model.facts import Facts, Memory
from trainlint.model.finding import Finding
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

from .conftest import unfolded

EXAMPLES = Path(__file__).parents[2] / "examples"

FAILING = "python train_vae.py --data_path a --image_size {} --batch_size 16 --mixed_precision\n"
LINT = ("--no-trace", "-t", "kaggle-t4x2", "--format", "json")


SECONDS = 8
"""Two of them on a machine of its own, of which half a second is the start; twice that where others work."""


def children_cpu() -> float:
    """Return the CPU time of all commands that were run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def results(done) -> list[dict]:
    return json.loads(done.stdout)["results"]


@pytest.mark.rest
def test_jobs_past_the_bound_are_reported_not_to_be_judged(trainlint) -> None:
    trainlint.write("a.txt", "python train_vae.py --data_path a\n" * (MOST_PAGE_JOBS + 20))
    done = trainlint("a.txt", *LINT)
    outcomes = Counter(result["outcome"] for result in results(done))
    (last,) = [result for result in results(done) if result["outcome"] == "unreadable"]
    assert done.returncode == 2
    assert last["line"] == MOST_PAGE_JOBS + 1
    assert f"{MOST_PAGE_JOBS} training jobs of this file are judged" in json.dumps(last)
    assert "the 20 commands and configs from here on not" in json.dumps(last)
    assert sum(outcomes.values()) > MOST_PAGE_JOBS


@pytest.mark.slow
def test_jobs_past_the_bound_are_reported_in_a_folder_too(trainlint) -> None:
    trainlint.write("in/a.sh", "python train_vae.py --data_path a\n" * (MOST_PAGE_JOBS + 1))
    done = trainlint("in", "--no-trace", "-t", "kaggle-t4x2")
    assert done.returncode == 2
    assert "the command or config from here on not: split the file" in unfolded(done.stdout)


@pytest.mark.rest
def test_as_many_jobs_as_the_bound_are_judged(trainlint) -> None:
    trainlint.write("a.sh", "python train_vae.py --data_path a\n" * MOST_PAGE_JOBS)
    done = trainlint("a.sh", *LINT)
    assert {result["outcome"] for result in results(done)}.isdisjoint({"unreadable"})
    assert len({result["line"] for result in results(done)}) == MOST_PAGE_JOBS


@pytest.mark.rest
def test_a_page_of_failing_jobs_says_where_no_more_edits_were_tried(trainlint) -> None:
    trainlint.write("a.sh", "".join(FAILING.format(1024 + 64 * at) for at in range(40)))
    findings = [one for result in results(trainlint("a.sh", *LINT)) for one in result["findings"]]
    fails = [one for one in findings if one["level"] == "fail"]
    untried = [one for one in fails if UNTRIED in one["notes"]]
    assert untried
    assert not any(one["fixes"] or "no edit" in " ".join(one["notes"]) for one in untried)
    assert any(one["fixes"] for one in findings)


@pytest.mark.slow
def test_fixing_a_page_comes_to_an_end(trainlint) -> None:
    page = trainlint.write("a.sh", "".join(FAILING.format(1024 + 64 * at) for at in range(12)))
    before = page.read_text("utf-8")
    done = trainlint("a.sh", "--fix", "--unsafe-fixes", *LINT)
    fixed = [
        old != new for old, new in zip(before.splitlines(), page.read_text("utf-8").splitlines(), strict=True)
    ]
    assert fixed[0]
    assert not all(fixed)
    assert len(results(done)) == len(fixed)


@pytest.mark.parametrize(
    "commands",
    [pytest.param(60, marks=pytest.mark.rest), pytest.param(MOST_PAGE_JOBS, marks=pytest.mark.slow)],
)
def test_a_long_page_of_failing_jobs_is_judged_in_a_moment(trainlint, commands) -> None:
    trainlint.write("a.sh", "".join(FAILING.format(1024 + 64 * at) for at in range(commands)))
    before = children_cpu()
    found = results(trainlint("a.sh", *LINT))
    assert children_cpu() - before < SECONDS
    assert sum(result["outcome"] == "fail" for result in found) == commands


@pytest.mark.rest
def test_what_is_left_untried_on_one_page_is_tried_alone(trainlint) -> None:
    trainlint.write("a.sh", FAILING.format(1024 + 64 * 11))
    findings = [one for result in results(trainlint("a.sh", *LINT)) for one in result["findings"]]
    assert not any(UNTRIED in one["notes"] for one in findings)


def pipeline_of(settings: Settings) -> Pipeline:
    return pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))


def taken(tries: Tries, text: str) -> int:
    """Return how many times a text may be tried."""
    return sum(tries.take(text) for _ in range(MOST_TRIES + 1))


def test_a_long_text_has_fewer_tries() -> None:
    assert taken(Tries.of(), "x" * 1_000) == MOST_TRIES
    assert taken(Tries.of(), "x" * (CHARACTERS // 10)) == 10
    assert [Tries.on_page(jobs).left for jobs in (1, 12, 60, MOST_PAGE_JOBS)] == [
        MOST_TRIES,
        MOST_ON_PAGE - 12 * TAKEN_AWAY,
        MOST_ON_PAGE - 60 * TAKEN_AWAY,
        LEAST_TRIES,
    ]
    assert not Tries.of().take("x" * (CHARACTERS + 1))  # of a file that the text only starts


def test_a_text_of_many_values_has_fewer_tries_than_its_length_allows() -> None:
    few, many = Tries.of(), Tries.of()
    many.values = CHARACTERS // A_VALUE // 4
    assert (taken(few, "x"), taken(many, "x")) == (MOST_TRIES, 3)


def test_a_script_of_many_words_has_fewer_tries() -> None:
    many = Tries.of()
    many.words = CHARACTERS // A_WORD // 4
    assert taken(many, "x") == 3


def test_of_a_page_the_words_of_one_block_are_read_again() -> None:
    command, others = FAILING.format(2048), "echo a b\n" * 1_000
    page = Source("a.md", f"```\n{command}```\n\n```\n{others}```\n")
    script = Source("a.sh", command + others)
    config = Source("a.yml", (EXAMPLES / "realesrgan_x4.yml").read_text("utf-8"))
    assert words_again(page, read(page)) == len(command.split())
    assert words_again(script, read(script)) == len((command + others).split())
    assert words_again(config, read(config)) == 0


@pytest.mark.parametrize("values", [12_000, 200])
def test_what_is_tried_of_a_config_depends_on_its_values(values) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text("utf-8").replace("queue_size: 180", "queue_size: 185")
    pipeline = pipeline_of(Settings())
    source = Source("a.yml", f"{text}\nown: [{', '.join('1' * values)}]\n")
    findings = [one for each in pipeline.lint_source(source, named=True) for one in each.findings]
    pool = next(one for one in findings if one.rule == "queue-not-divisible")
    assert bool(pool.fixes) is (values < 1_000)
    assert (UNTRIED in pool.notes) is (values > 1_000)


@pytest.mark.parametrize("more", sampled(range(0, 60, 12), 3))
def test_a_document_that_may_cost_no_more_checks_keeps_its_findings(monkeypatch, more) -> None:
    """To try an edit is to read its flags by the schema, and that counts as the document itself does."""
    source = Source("a.sh", FAILING.format(1024))
    pipeline = pipeline_of(Settings(target=("kaggle-t4x2",)))
    whole = [one for each in pipeline.lint_source(source, named=True) for one in each.findings]
    check_budget.start()
    assert pipeline.jobs(read(source)[0])
    monkeypatch.setattr(
        check_budget, "MOST_CHECKS", check_budget.MOST_CHECKS - check_budget.CHECKS.left + more
    )
    found = [one for each in pipeline.lint_source(source, named=True) for one in each.findings]
    assert [(one.rule, one.message) for one in found] == [(one.rule, one.message) for one in whole]
    less = [now for now, before in zip(found, whole, strict=True) if before.fixes and not now.fixes]
    assert all(UNTRIED in one.notes for one in less)
    assert less or more


def needing(**tapes: int) -> Facts:
    """Return facts that were worked out from tapes of so many events."""
    steps = {(name, 4): events for name, events in tapes.items()}
    return Facts(memory=Memory((), {}, 0, "train", replayed=steps))


def test_edits_are_tried_until_their_tapes_hold_too_many_events() -> None:
    tries = Tries.of()
    tries.replayed(needing(own=MOST_REPLAYED_EVENTS * 9), free=True)
    tries.replayed(needing(own=MOST_REPLAYED_EVENTS * 9))
    tries.replayed(needing(other=MOST_REPLAYED_EVENTS))
    tries.replayed(needing(other=MOST_REPLAYED_EVENTS))
    assert tries.take("x")
    tries.replayed(needing(third=1))
    assert not tries.take("x")
    assert tries.left == MOST_TRIES - 1


@pytest.mark.slow
@pytest.mark.torch
def test_edits_are_traced_until_their_tapes_hold_too_many_events() -> None:
    """KAIR's VRT gave no answer in 13 minutes: each smaller crop that was tried had seven more traced."""
    text = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")
    text = text.replace("num_block: 16", "num_block: 1").replace("gt_size: 128", "gt_size: 1600")
    traced = []

    def counted(step, **options):
        traced.append(step["crop.hr"])
        return trace_here("", step, **options)

    settings = Settings(target=("kaggle-t4x2",))

    def found(tries: Tries) -> Finding:
        traced.clear()
        pipeline = pipeline_for(settings, TapeSource(trace=counted))
        results = pipeline.lint_source(Source("a.yml", text), named=True, tries=tries)
        return next(one for each in results for one in each.findings if one.rule == "vram-budget")

    few = Tries.of()
    few.traced.left = 1
    assert UNTRACED not in found(Tries.of()).notes
    freely = len(traced)
    assert UNTRACED in found(few).notes
    assert len(traced) < freely


@pytest.mark.rest
def test_the_option_files_of_a_page_share_its_tries(trainlint) -> None:
    trainlint.write("options/c.yml", (EXAMPLES / "realesrgan_x4.yml").read_text("utf-8"))
    start = "python basicsr/train.py -opt options/c.yml --force_yml datasets:train:batch_size_per_gpu={}\n"
    trainlint.write("a.sh", "".join(start.format(64 + at) for at in range(8)))
    found = results(trainlint("a.sh", *LINT))
    notes = Counter(
        UNTRIED in one["notes"] for result in found for one in result["findings"] if one["level"] == "fail"
    )
    assert sum(result["path"].endswith("c.yml") for result in found) >= 8
    assert notes[True]
