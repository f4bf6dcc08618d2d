# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The page without a browser: its structure, its policy, and that nothing of a config's is more than text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tests.sampling import sampled
from trainlint.api import check
from trainlint.cli.commands.explain_command import explain_command, with_curves
from trainlint.documents.file_format import read
from trainlint.estimate.explain.timeline import highest, timeline
from trainlint.estimate.memory.workload import Workload, workloads
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.files.text_source import load_source
from trainlint.model.finding import Outcome
from trainlint.model.result import Report, Result
from trainlint.model.verdict import Verdict
from trainlint.report.fit_word import state_of
from trainlint.report.page.html_page import document, job_key
from trainlint.report.page.markup import el, text
from trainlint.report.style import harmless
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape.events import Blocks

from .report_samples import failing

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VOID = {"meta", "input", "br"}
EVIL = "</script><script>alert(1)</script><!--\"'&`${x}\x1b]0;x\x07\u202e::error::x"


class Page(HTMLParser):
    """A page's elements with their attributes, and its text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.text = ""
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(page)
        self.close()
        assert self.inside == []

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.inside.append(tag)
            if tag in self.raw:
                self.raw[tag].append("")

    def handle_startendtag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data) -> None:
        if self.inside and self.inside[-1] in self.raw:
            self.raw[self.inside[-1]][-1] += data
        else:
            self.text += data

    @property
    def policy(self) -> str:
        (found,) = [
            attributes["content"]
            for tag, attributes in self.elements
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        return found

    @property
    def data(self):
        (found,) = [script for script in self.raw["script"] if script.startswith("{")]
        return json.loads(found)


def page_of(path: Path, *targets: str) -> str:
    """Write a config's page as `explain --html` does."""
    settings = Settings().with_options(target=targets)
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    pipeline = pipeline_for(settings, tapes)
    (found,) = [pipeline.jobs(one) for one in read(load_source(str(path)))]
    report = check(path, targets, trace=False)
    explained: dict[str, list[tuple[Result, tuple[Workload, ...]]]] = {}
    for target in pipeline.targets:
        judged = [result for result in report.results if result.target == target]
        for job, result in zip(pipeline.readings(found, target), judged, strict=True):
            one = (result, workloads(job.spec, target, tapes, settings))
            explained.setdefault(job_key(result), []).append(one)
    return document(report, {key: with_curves(found) for key, found in explained.items()})


@pytest.fixture(scope="module")
def gan() -> str:
    return page_of(EXAMPLES / "realesrgan_x4.yml", "kaggle-t4x2", "rtx-4090")


@pytest.mark.rest
def test_nothing_is_loaded_and_only_what_is_hashed_runs(gan) -> None:
    page = Page(gan)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action"}
    assert not [name for name in names if name.startswith("on")]
    assert page.policy.startswith("default-src 'none';")
    run = [script for script in page.raw["script"] if not script.startswith("{")]
    assert len(run) == 2
    for content in (*run, *page.raw["style"]):
        assert f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in page.policy
    assert "@import" not in gan
    assert "url(" not in "".join(page.raw["style"])


def test_the_page_is_written_as_it_is(gan) -> None:
    """What is printed goes through `harmless`: what it replaced would not have the hash of the policy."""
    assert harmless(gan) == gan


def test_verdicts_machines_plan_and_fixes_are_there(gan) -> None:
    said = " ".join(Page(gan).text.split())
    for words in (
        "FAIL", "photos_x4_gan", "rtx-4090", "RRDBNet", "session", "of disk at the end",
        "64 - batch_size_per_gpu: 12", "64 + batch_size_per_gpu: 6", "[vram-budget]", "checked",
    ):  # fmt: skip
        assert words in said
    lines = [attributes["id"] for tag, attributes in Page(gan).elements if attributes.get("class") == "line"]
    count = (EXAMPLES / "realesrgan_x4.yml").read_text("utf-8").count("\n") + 1
    assert lines == [f"L{number}" for number in range(1, count + 1)]


def test_the_curve_is_the_ledgers(gan) -> None:
    workloads_found = [workload for job in Page(gan).data.values() for workload in job]
    assert {target["name"] for workload in workloads_found for target in workload["targets"]} == {
        "kaggle-t4x2",
        "rtx-4090",
    }
    for workload in workloads_found:
        count = len(workload["made"])
        assert all(
            len(band["const"]) == len(band["slope"]) == len(band["top"]) == count
            for band in workload["bands"]
        )
        assert all(top < len(workload["tensors"]) for band in workload["bands"] for top in band["top"])
        assert {band["name"] for band in workload["bands"]} >= {"parameters", "activations"}
        assert any("conv" in words for _, words, *_ in workload["tensors"])


@pytest.mark.parametrize("name", sampled(["esrgan_x4.yml", "realesrgan_x4.yml"], 1))
def test_a_timeline_keeps_the_peak_of_every_batch_on_the_slider(name) -> None:
    settings = Settings().with_options(target=("kaggle-t4x2",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    pipeline = pipeline_for(settings, tapes)
    (jobs,) = [pipeline.jobs(one) for one in read(load_source(str(EXAMPLES / name)))]
    for job in pipeline.readings(jobs, pipeline.targets[0]):
        for workload in workloads(job.spec, pipeline.targets[0], tapes, settings):
            curve = timeline(workload, (51,))
            assert curve.furthest == 64
            assert max(highest(curve, curve.batch)) == workload.book.peak(workload.samples).allocated
            replicas = round(workload.samples.total / workload.samples.batch)
            blocks = len(workload.book.live(workload.book.peak(workload.samples).position))
            for batch in (2, 8, 64) if workload.image is None else ():
                there = Samples(batch, batch * replicas, workload.samples.pool)
                exact = workload.book.peak(there).allocated
                off = abs(max(highest(curve, batch)) - exact)
                assert off <= blocks * 512 or (batch == 8 and off / exact < 0.005)
            assert len(curve.moments) < 1000


def test_the_tensors_named_are_those_of_the_ledger() -> None:
    """At the peak each band's largest is the largest of its kind that is alive."""
    settings = Settings().with_options(target=("rtx-4090",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    pipeline = pipeline_for(settings, tapes)
    (jobs,) = [pipeline.jobs(one) for one in read(load_source(str(EXAMPLES / "esrgan_x4.yml")))]
    workload, *_ = workloads(
        pipeline.readings(jobs, pipeline.targets[0])[0].spec, pipeline.targets[0], tapes, settings
    )
    curve = timeline(workload)
    sums = list(highest(curve, curve.batch))
    at = sums.index(max(sums))
    sizes = workload.book.bytes(workload.samples)
    alive = workload.book.live(curve.moments[at])
    assert sum(sizes[block] for block in alive) == max(sums)
    band = next(band for band in curve.bands if band.kind == "activations")
    assert band.largest[at] in alive
    assert curve.blocks[band.largest[at]].line.at(curve.batch) == sizes[band.largest[at]]


def test_red_is_what_the_verdict_calls_a_fail(gan) -> None:
    """A card that is too small is red where memory fails, and doubtful where only fragments break it."""
    seen = [
        (workload["title"], target["state"])
        for workload in Page(gan).data["0"]
        for target in workload["targets"]
    ]
    (first,) = [state for title, state in seen if title.startswith("without torchrun: training, GPU 0")]
    assert first == "fail"
    assert "pass" in dict(seen).values()
    report = check(EXAMPLES / "realesrgan_x4.yml", ["kaggle-t4x2"], trace=False)
    result = report.results[0]
    gpu = result.facts.memory.gpus[0]
    assert state_of(gpu, result)[0] is Outcome.FAIL
    assert state_of(replace(gpu, expandable=gpu.capacity), result)[0] is Outcome.WARN
    assert state_of(gpu, replace(result, verdicts={"memory": Verdict.WARN}))[0] is Outcome.WARN
    assert state_of(gpu, replace(result, verdicts={"memory": Verdict.NOT_JUDGED}))[0] is Outcome.SKIPPED


def test_hostile_names_are_text(tmp_path) -> None:
    plain = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    path = folder / "a&b\"'.yml"
    path.write_text(plain.replace("name: msrresnet_x4", f"name: {json.dumps(EVIL)}", 1), "utf-8")
    written = page_of(path, "kaggle-t4x2")
    page = Page(written)
    assert "alert(1)" in page.text
    assert "<script>alert" not in written
    assert "img" not in {tag for tag, _ in page.elements}
    assert not re.search("[\x1b\x07\u202e]", written)
    assert "<" not in next(script for script in page.raw["script"] if script.startswith("{"))
    assert len(page.raw["script"]) == 3


def test_a_network_that_names_itself_a_script_is_text_in_the_data(gan) -> None:
    settings = Settings().with_options(target=("rtx-4090",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    pipeline = pipeline_for(settings, tapes)
    (jobs,) = [pipeline.jobs(one) for one in read(load_source(str(EXAMPLES / "esrgan_x4.yml")))]
    job = pipeline.readings(jobs, pipeline.targets[0])[0]
    (workload, *_) = workloads(job.spec, pipeline.targets[0], tapes, settings)
    blocks = workload.book.blocks
    evil = [block._replace(owner=f"generator:{EVIL}") for block in blocks.distinct]
    workload.book.blocks = Blocks(evil, blocks.births)
    result = pipeline.judge.judge(job)
    page = Page(document(check(EXAMPLES / "esrgan_x4.yml", ["rtx-4090"], trace=False), {
        job_key(result): with_curves([(result, (workload,))])}))  # fmt: skip
    (workload,) = page.data["0"]
    assert any("alert(1)" in owner for owner, *_ in workload["tensors"])
    assert not any(char in owner for owner, *_ in workload["tensors"] for char in "\x1b\x07\u202e")


def test_check_writes_a_page_without_curves() -> None:
    paths = [EXAMPLES / "msrresnet_x4.yml", EXAMPLES / "typos.yml"]
    page = Page(document(check(paths, ["kaggle-t4x2"], trace=False)))
    assert "explain CONFIG --html FILE draws" in page.text
    assert len(page.raw["script"]) == 1
    assert sum(tag == "article" for tag, _ in page.elements) == 2


@pytest.mark.rest
def test_a_page_of_many_jobs_begins_with_what_each_needs_and_what_is_missing(tmp_path) -> None:
    """Worst first: figures, the edit, and below them what would give those that are not there."""
    (tmp_path / "ci.yml").write_text("services: {}\n", "utf-8")
    paths = [EXAMPLES / name for name in ("realesrgan_x4.yml", "compact_x4.yml", "trainers/vae.sh")]
    written = document(check([*paths, tmp_path], ["kaggle-t4x2"], trace=False))
    (index,) = re.findall('<section class="index">.*?</section>', written)
    page = Page(index)
    rows = [Page(row).text for row in re.findall("<tr>.*?</tr>", index)[1:]]
    assert [row[:4] for row in rows] == ["FAIL", "FAIL", "FAIL", "warn"]
    (gan,) = (row for row in rows if "realesrgan_x4" in row)
    edit = r"datasets\.train\.batch_size_per_gpu: 12 -> 6"
    assert re.search(rf"runs out of memory.*{edit}at least 16\.50 of 14\.56 GiB\d+ to \d+ h6\.6 GB$", gan)
    assert sum("never runs" in row and "83.3 GB" in row for row in rows) == 2
    assert (
        "hours: how many training images? --dataset-size N (2 jobs; hours above are for all epochs)"
        in page.text
    )
    assert f"no training config: {tmp_path / 'ci.yml'}" in page.text


@pytest.mark.rest
@pytest.mark.parametrize(("jobs", "shown"), [(1, 1010), (14, 1010), (15, 11)])
def test_a_file_of_many_jobs_is_not_shown_whole_for_each(jobs: int, shown: int) -> None:
    one = failing()
    source = replace(one.source, text=one.source.text + "# more\n" * (1009 - one.source.text.count("\n")))
    found = tuple(replace(one, source=source, document=number) for number in range(jobs))
    page = Page(document(Report(found, 1)))
    lines = [attributes["id"] for tag, attributes in page.elements if attributes.get("class") == "line"]
    assert len(lines) == jobs * shown
    assert page.text.count(one.findings[1].message) == jobs


@pytest.mark.parametrize("content", ["", "x: [\n", "services:\n", "\N{BOM}"])
def test_what_is_no_config_makes_a_page_too(tmp_path, content) -> None:
    (tmp_path / "a.yml").write_text(content, "utf-8")
    page = Page(document(check(tmp_path / "a.yml", ["rtx-4090"], trace=False)))
    assert "a.yml" in page.text


def test_markup_escapes_what_is_no_markup() -> None:
    assert el("p", "<b>", el("i", "&"), title='"x"') == '<p title="&quot;x&quot;">&lt;b&gt;<i>&amp;</i></p>'
    assert text("a\nb") == "a\\nb"


def test_the_command_says_where_the_page_is(tmp_path) -> None:
    page = tmp_path / "page.html"
    words = [str(EXAMPLES / "msrresnet_x4.yml"), "-t", "rtx-3060", "--no-trace", "--html", str(page)]
    done = CliRunner().invoke(explain_command, words)
    assert done.stderr == f"wrote {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
