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
from trainlint.model.after_edit import After
from trainlint.model.document import Source
from trainlint.model.facts import Facts, LargestBatch, Limits, Loading, Memory, ModelBytes, Uncounted
from trainlint.model.finding import UNTRIED, Edit, Finding, Fix, Level, Outcome, Skip
from trainlint.model.recommendation import Recommendation
from trainlint.model.result import Report, Result
from trainlint.model.trainer import Version
from trainlint.model.units import hours_between
from trainlint.model.verdict import Verdict
from trainlint.pipeline.agreement import settled
from trainlint.pipeline.named_trainers import EXAMPLES
from trainlint.pipeline.not_judged import skipped, why_unknown
from trainlint.report.brief import figures
from trainlint.report.brief.batch_limits import is_of_all_gpus, limit_words
from trainlint.report.brief.batch_limits import largest as largest_words
from trainlint.report.brief.missing import asked
from trainlint.report.brief.severity import severity_of
from trainlint.report.brief.short_message import CONCISE_WORDS, clauses, said
from trainlint.report.brief.size_in_prose import size_in_prose
from trainlint.report.formats import concise
from trainlint.report.formats.text import render
from trainlint.report.style import Style
from trainlint.shipped.resource_paths import resource
from trainlint.tape import Network

from .report_samples import GIB, failing, gpu, passing, span, unknown

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
    assert "at least 16.50 of 14.56 GiB   FAIL, does not fit (torchrun: at least 15.11)" in text
    assert re.search(r"\d+ to \d+ sessions \(torchrun: \d+ to \d+\), \d to \d weeks\n", text)
    assert "^^ 10 is the limit, 6 is safe" in text
    fix = " ".join(text.split())
    assert "= fix (changes training, 50% fewer samples): 12 -> 6 (7 breaks queue-not-divisible), then" in fix
    assert "h, 4 to 10 sessions; also fixes queue-not-divisible" in fix
    assert "queue-not-divisible; session-budget remains" in fix
    assert "apply: --fix --unsafe-fixes --select vram-budget" in text
    assert text.splitlines()[-1] == "6 findings (2 errors, 3 warnings, 1 hint), 1 fixable with --unsafe-fixes"


def test_a_concise_finding_takes_fifteen_words(example) -> None:
    for line in concise.render(example, PLAIN).splitlines():
        assert len(line.split()) <= CONCISE_WORDS


def test_what_was_not_judged_does_not_end_as_if_it_were() -> None:
    assert shown(unknown()).endswith("\nno findings as far as it was judged\n")
    assert shown(unknown(), passing(), files=2).splitlines()[-1].startswith("no findings, in 2 files")


def test_a_job_that_passes_takes_one_line() -> None:
    assert shown(passing()) == (
        "pass  configs/small.yml on kaggle-t4x2: 5.30 to 5.60 of 14.56 GiB, 12 to 24 h, 2 to 3 sessions\n"
        "no findings\n"
    )


def test_many_files_take_a_line_each_and_one_table() -> None:
    text = shown(failing(), passing(), files=2)
    assert text.count("FAIL  configs/photos.yml") == text.count("pass  configs/small.yml") == 1
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
    assert "FAIL, does not fit (torchrun: 5.30 to 5.60)" in text
    assert "warning[vram-budget]: too much (without torchrun)" in text


def test_time_and_disk_are_those_of_a_reading_that_can_run() -> None:
    """What runs out of memory takes no time: the hours are of the reading whose memory fits."""
    finding = Finding("vram-budget", Level.WARN, "too much", (span("12"),), holds_in=("without a launcher",))
    facts = passing().facts
    never = replace(
        facts, memory=failing().facts.memory, time=replace(facts.time, total_hours=(700, 800, 900))
    )
    plain = replace(passing(), variant="without a launcher", outcome=Outcome.WARN, findings=(finding,))
    text = shown(
        replace(plain, facts=never), replace(plain, variant="with a launcher", facts=facts, findings=())
    )
    (row,) = (line for line in text.splitlines() if line.startswith("  time"))
    assert "12 to 24 h of GPU" in row
    assert "(with torchrun)" in " ".join(text.split())
    assert "29 to" not in text


def test_what_only_adds_to_a_need_that_is_too_much_leaves_it_so() -> None:
    """And a reading whose memory is not judged is no better one; its rows are the other's."""
    facts = failing().facts
    copies = Uncounted("the copies of the gradients", "more")
    more = replace(facts, memory=replace(facts.memory, uncounted=(copies,)))
    finding = Finding("vram-budget", Level.WARN, "too much", (span("12"),), holds_in=("with a launcher",))
    fails = replace(
        failing(), variant="with a launcher", facts=more, findings=(finding,), outcome=Outcome.WARN
    )
    unjudged = replace(passing(), path=fails.path, variant="without a launcher", facts=Facts())
    text = shown(fails, unjudged)
    assert "FAIL, does not fit (without torchrun: not judged)" in text
    assert "out of memory with torchrun" in text
    assert "unless" not in text
    either = replace(more, memory=replace(more.memory, uncounted=(replace(copies, direction="unknown"),)))
    assert "does not fit" not in shown(replace(fails, facts=either), unjudged)


def test_the_disk_of_one_reading_is_shown_where_nothing_else_is_known() -> None:
    reason = "the network is not known"
    missing = {"memory": reason, "time": reason}
    finding = Finding("checkpoint-disk", Level.WARN, "too much", (span("12"),))
    saves = replace(
        passing(), variant="with a launcher", facts=Facts(disk=passing().facts.disk, missing=missing),
        verdicts={"memory": Verdict.NOT_JUDGED}, skips=(Skip("vram-budget", reason),), outcome=Outcome.WARN,
        findings=(finding,),
    )  # fmt: skip
    other = replace(saves, variant="without a launcher", facts=Facts(missing={**missing, "disk": reason}))
    text = shown(other, saves)
    assert f"memory and time not judged: {reason}" in text
    assert "disk 2 MB (with torchrun)" in " ".join(text.split())
    neither = shown(other, replace(other, variant="with a launcher"))
    assert f"memory, time and disk not judged: {reason}" in neither


def test_where_no_sample_fits_it_is_said_at_the_batch() -> None:
    job = failing()
    memory = replace(job.facts.memory, limits=Limits())
    finding = Finding("vram-budget", Level.FAIL, "too much", (span("12"),))
    none = replace(job, facts=replace(job.facts, memory=memory), findings=(finding,))
    assert "^^ not even one sample per GPU fits" in shown(none)
    open_ = replace(none, facts=replace(job.facts, memory=replace(memory, limits=Limits(largest_open=True))))
    assert "not even one" not in shown(open_)


def test_the_texts_words_are_error_warning_and_hint() -> None:
    one = Finding("a", Level.WARN, "m", (span("12"),))
    three = (replace(one, level=Level.FAIL), one, replace(one, hint=True))
    assert [severity_of(each).value for each in three] == ["error", "warning", "hint"]


def on_page(text: str, path: str = "guide.md") -> str:
    return size_in_prose(replace(passing(), path=path, source=Source(path, text)))


def test_the_number_of_images_that_a_page_states_is_shown_where_it_is_asked_for() -> None:
    assert on_page("# A guide\n\n- Dataset: ~1000 training images\n") == " (line 3: 1,000)"
    assert (
        on_page("**Dataset**: 147,353 images (147k)\nLarge data set: 147k images\n") == " (line 1: 147,353)"
    )
    assert on_page("Dataset: 800 images\n\nTraining set: 900 images\n") == ""
    assert on_page("Dataset: 50K+ images, 32-64 images each, 256x256 images\n") == ""
    assert on_page("Each GPU processes 8 images at a time\n") == ""
    assert on_page("# Dataset: 1000 images\n", "train.sh") == ""


def test_clauses_are_cut_outside_of_quotes_and_brackets() -> None:
    assert clauses("a key (one, two) is wrong: say more", 7) == "a key (one, two) is wrong"
    assert clauses('it says "a: b c d" here, and more', 8) == 'it says "a: b c d" here'
    assert clauses("one two three four", 3) == "one two …"
    assert clauses("a fork may take it: if you run the original, say so", 9) == "a fork may take it"


def test_a_long_error_of_a_program_is_cut_and_its_place_is_not() -> None:
    message = (
        "the program stops with RuntimeError: stft requires the return_complex parameter be given for real "
        "inputs, and will further require that return_complex=True in a future release., at mel.py:61 in mel"
    )
    finding = Finding("program-crashes", Level.FAIL, message, ())
    assert said(finding).endswith("be given for real inputs, at mel.py:61 in mel")
    assert said(finding, CONCISE_WORDS).endswith("be given for real inputs")


def test_every_rule_of_many_words_has_a_short_form() -> None:
    """What a template's expressions come to is a word or two each."""
    for path in sorted(resource("rules").glob("*.yaml")):
        rule = load_rule(path, checked=False)
        message = rule.data.get("message", "")
        if len(message.split()) > 20:
            assert rule.short is not None or "{" in message, path.name


def test_what_no_edit_of_a_config_cures_says_what_to_do() -> None:
    """A rule that fails and has no fix begins its notes with it."""
    for path in sorted(resource("rules").glob("*.yaml")):
        data = load_rule(path, checked=False).data
        if data["level"] == "fail" and data.get("from", "assert") == "assert" and "fix" not in data:
            assert data["notes"][0].get("when", "spec.dialect").startswith("spec.dialect"), path.name


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


def test_reasons_without_room_are_named_where_no_line_below_has_them() -> None:
    job = failing()
    names = ("one", "two", "three")
    errors = tuple(replace(job.findings[1], rule=name, message=f"{name} is wrong") for name in names)
    job = replace(job, findings=errors)
    assert shown(job).splitlines()[0].endswith("FAIL, one is wrong; two is wrong")
    row = next(line for line in shown(job, passing(), files=2).splitlines() if "photos.yml" in line)
    assert ": one is wrong; two is wrong; also three" in row


def test_a_headline_says_what_fails_next_to_what_one_reading_has() -> None:
    job = replace(failing(), path="a_config_with_a_name_that_is_so_long_it_leaves_little_room.yml")
    wrong = Finding("session-budget", Level.FAIL, "too long", (span("180"),))
    out = Finding("vram-budget", Level.WARN, "too much", (span("12"),), holds_in=("without a launcher",))
    plain = replace(job, variant="without a launcher", findings=(wrong, out))
    started = replace(job, variant="with a launcher", facts=passing().facts, findings=(wrong,))
    text = shown(plain, started)
    head = " ".join(text.partition("\n\n")[0].split())
    assert head.endswith("FAIL, out of memory unless started with torchrun; too long for one session")


def test_words_go_below_their_figure_where_a_narrow_line_has_no_room_for_them() -> None:
    text = render(Report((failing(),), files=1), replace(PLAIN, width=40))
    lines = text.splitlines()
    row = next(at for at, line in enumerate(lines) if line.startswith("  memory"))
    assert lines[row].endswith("GiB")
    assert lines[row + 1].startswith("    does not fit")
    assert max(map(len, lines[row : row + 3])) <= 40


def test_what_fix_leaves_alone_is_not_counted_as_fixable() -> None:
    job = failing()
    assert any(finding.writable for finding in job.findings)
    unknown = [
        replace(one, fixes=tuple(replace(fix, unknown="nobody traced it") for fix in one.fixes))
        for one in job.findings
    ]
    text = shown(replace(job, findings=tuple(unknown)))
    assert "fixable" not in text.splitlines()[-1]
    assert "possible fix, not made by --fix as its memory is unknown: " in text


def test_a_time_is_one_range_in_one_form(example) -> None:
    """Of the run as it is in its row and its error; of the edited one in the fix."""
    text = " ".join(str(example).split())
    (row,) = re.findall(r"time (\S+ to \S+ h) of GPU", text)
    assert f"takes {row}, a session gives" in text
    assert re.search(r"GiB, \d+ to \d+ h, \d+ to \d+ sessions;", text)
    assert "days" not in text


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.5, 2.2, "30 to 132 min"),
        (0.5, 12.0, "30 min to 12 h"),
        (1.06, 5.64, "1.0 to 5.6 h"),
        (7.5, 12.4, "7.5 to 12 h"),
        (60.9, 144.0, "60 to 144 h"),
        (83.0, 199.0, "3 to 8 days"),
        (41472.0, 43500.0, "1,728 to 1,812 days"),
        (89.0, 89.0, "4 days"),
    ],
)
def test_a_range_of_hours_has_one_unit_and_its_low_end_is_rounded_down(low, high, words) -> None:
    assert hours_between(low, high) == words


def too_large(**changes) -> Result:
    """Return a job that needs terabytes, with the edit that is advised."""
    need = 20_000.0
    memory = Memory((gpu(need, need, need, need),), {}, 1, "train")
    fix = Fix("gt_size: 256 -> 32 (a smaller crop sees less context)", (Edit(span("256"), "32"),), safe=False)
    words = dict.fromkeys(
        ("message", "short"), "training needs at least 20,000 GiB, the Tesla T4 has 14.56 GiB"
    )
    budget = Finding("vram-budget", Level.FAIL, spans=(span("12"),), fixes=(fix,), **words)
    validation = Finding("vram-validation", Level.FAIL, "validation needs more", (span("256"),))
    script = Finding(
        "autocast-arguments", Level.FAIL, "the script stops", (span("photos"),), notes=("edit it",)
    )
    advice = Recommendation(
        (("guide.md", 7, "256", "32"),), fix.summary, After((2 * GIB, 3 * GIB)), True, ("vram-validation",)
    )
    job = replace(
        failing(), path="guide.md", findings=(validation, budget, script), facts=Facts(memory=memory),
        recommended=advice, verdicts={"memory": Verdict.FAIL},
    )  # fmt: skip
    return replace(job, source=replace(job.source, path="guide.md"), **changes)


def test_memory_beyond_any_card_has_one_unit() -> None:
    text = shown(too_large())
    assert "at least 20,000 of 14.56 GiB" in text
    assert "needs at least 20,000 GiB" in text
    assert "TiB" not in text


def test_what_the_advised_edit_leaves_to_do_is_said_and_comes_before_what_goes_with_it() -> None:
    text = shown(too_large())
    assert "also fixes vram-validation; autocast-arguments remains" in " ".join(text.split())
    assert text.index("[vram-budget]") < text.index("[autocast-arguments]") < text.index("[vram-validation]")
    assert "= edit it" in text


def test_a_page_says_where_its_fix_is_and_what_writes_it() -> None:
    jobs = [too_large(line=at + 1, document=at) for at in range(12)]
    text = shown(*jobs)
    assert "guide.md on kaggle-t4x2 (2 x Tesla T4): 12 jobs: 12 FAIL" in text
    assert "fix at line 7 (changes training): gt_size: 256 -> 32" in text
    assert "apply: --fix --unsafe-fixes --select vram-budget" in text
    assert len(re.findall("FAIL  line [0-9]+: .*gt_size: 256 -> 32, then [0-9.]+ to [0-9.]+ GiB", text)) == 12
    assert len(text.splitlines()) <= 60
    assert "apply:" not in shown(*(replace(job, by_hand=True) for job in jobs))
    untried = replace(jobs[1].findings[1], fixes=(), notes=(UNTRIED,))
    mixed = shown(jobs[0], replace(jobs[1], findings=(untried,), recommended=None))
    assert "--diff --unsafe-fixes shows those of the other commands" in " ".join(mixed.split())
    assert "1 fixable with --unsafe-fixes (of the jobs tried; it tries all 2), in" in " ".join(mixed.split())
    alone = shown(replace(jobs[0], findings=(*jobs[0].findings, untried)))
    assert alone.rstrip().endswith("(4 errors), at least 1 fixable with --unsafe-fixes")


def test_an_error_that_has_one_line_on_a_page_says_the_edit_that_is_written() -> None:
    values = ("photos", "auto", "180", "12", "256", "name", "num_gpu", "queue_size", "datasets", "train")
    many = tuple(
        Finding(
            f"rule-{value}", Level.FAIL, "it stops", (span(value),),
            (Fix(f"{value} -> 9", (Edit(span(value), "9"),), safe=True),),
        )
        for value in values
    )  # fmt: skip
    jobs = [replace(too_large(line=at + 1, document=at), findings=many, recommended=None) for at in range(12)]
    text = " ".join(shown(*jobs).split())
    assert "rule-train]: 12 commands: it stops (guide.md:5:3); fix at line 5: train -> 9 " in text
    assert "rule-photos]: 12 commands: it stops --> guide.md:1:7" in text


def test_a_page_names_every_argument_that_is_not_recognised() -> None:
    words = ("--steps 4", "--encoder e.pth", "--steps 4", "--decoder d.pth")
    jobs = [
        replace(
            passing(), path="guide.md", line=at, document=at, outcome=Outcome.FAIL,
            findings=(Finding("unknown-key", Level.FAIL, f"unrecognized arguments: {flag}", (span("12"),)),),
        )
        for at, flag in enumerate(words)
    ]  # fmt: skip
    text = " ".join(shown(*jobs).split())
    assert "4 commands: unrecognized arguments: --steps 4; --encoder e.pth; --decoder d.pth -->" in text
    assert "here" not in text


def test_a_finding_of_time_is_that_of_the_reading_whose_time_is_shown() -> None:
    def late(words: str) -> Finding:
        return Finding("session-budget", Level.FAIL, f"takes {words}, a session gives 9.0 h", (span("12"),))

    large = replace(passing().facts, memory=Memory((gpu(20, 20, 21, 22),), {}, 1, "train"))
    slow = replace(passing(), outcome=Outcome.FAIL, facts=large, findings=(late("80 h"),))
    readings = replace(slow, variant="v1"), replace(passing(), variant="v2", findings=(late("24 h"),))
    text = shown(*settled(readings))
    assert "takes 24 h" in text
    assert "takes 80 h" not in text


def test_no_time_is_given_of_steps_that_never_run() -> None:
    """With twice the card's memory a step would not start: how long it took is of no use."""
    time = replace(passing().facts.time, total_hours=None, step_seconds=(100.0, 110.0))
    hopeless, near = (
        replace(too_large(), facts=Facts(memory=Memory((gpu(*[need] * 4),), {}, 1, "train"), time=time))
        for need in (30.0, 20.0)
    )
    assert "110.00 s a step" in shown(near)
    assert "110.00 s a step" in shown(
        near, replace(near, line=2, document=1, recommended=None, findings=near.findings[:1])
    )
    assert "a step" not in shown(hopeless)
    assert "s a step" not in shown(hopeless, replace(hopeless, line=2, document=1))


def test_each_row_of_a_list_that_has_room_says_the_size_on_disk() -> None:
    facts = replace(passing().facts, memory=replace(passing().facts.memory, limits=Limits()))
    kept = replace(passing(), path="guide.md", facts=facts)
    jobs = [replace(kept, line=at, document=at) for at in (1, 2)]
    assert shown(*jobs).count(" of disk") == 2
    long = Finding("batch-rule", Level.FAIL, " ".join(["eleven"] * 12), (span("12"),))
    wider = replace(jobs[1], outcome=Outcome.FAIL, findings=(long,))
    assert shown(jobs[0], wider).count(" of disk") == 1
    assert " of disk" not in shown(kept, replace(kept, path="b.md"), files=2)


@pytest.mark.parametrize("samples", ["images", "samples"])
def test_rows_are_in_short_words_where_their_disk_has_no_room_else(samples) -> None:
    """An edit with all that follows from it takes a line of a page, whatever it trains on."""
    time = replace(
        passing().facts.time,
        total_hours=None, sessions=None, thousand_hours=(0.64, 1.06, 2.03), samples=samples,
    )  # fmt: skip
    facts = replace(passing().facts, time=time, disk=replace(passing().facts.disk, total=3 * 10**9))
    after = After(
        memory=(int(21.08 * GIB), int(22.82 * GIB)), thousand_hours=time.thousand_hours, disk=7 * 10**9,
        named=samples,
    )  # fmt: skip
    edit = Recommendation((("guide.md", 2, "1024", "128"),), "image_size: 1024 -> 128", after)
    (fix,) = too_large().findings[1].fixes
    needy = replace(
        too_large(), path="guide.md", line=296, facts=replace(too_large().facts, time=time), recommended=edit,
        findings=(replace(too_large().findings[1], fixes=(replace(fix, summary=edit.summary),)),),
    )  # fmt: skip
    fits = replace(passing(), path="guide.md", line=300, document=1, facts=facts)
    fail, fine = shown(needy, fits).splitlines()[1:3]
    assert fail == (
        "FAIL  line 296: image_size: 1024 -> 128, then 21.08 to 22.82 GiB, "
        f"0.64 to 2.0 h/1k {samples}, 7.0 GB"
    )
    assert fine.startswith(
        f"pass  line 300: 5.30 to 5.60 of 14.56 GiB, 0.64 to 2.0 h/1k {samples}, 3.0 GB disk"
    )
    assert f"0.64 to 2.0 h per 1,000 {samples}\n" in shown(fits)
    script = Finding("autocast-arguments", Level.FAIL, "edit the script", (span("12"),))
    for others, left in (
        ((script,), "1 error remains"),
        ((script, replace(script, rule="unknown-key")), "2 errors remain"),
    ):
        row = shown(replace(needy, findings=(*needy.findings, *others)), fits).splitlines()[1]
        assert row == f"FAIL  line 296: image_size: 1024 -> 128, then 21.08 to 22.82 GiB, 7.0 GB; {left}"


def test_readings_are_versions_each_with_its_ways_to_start() -> None:
    """A version that is meant however it is started is named once, and has a row of its own."""
    names = {"v1": failing(), "v2": passing()}
    finding = Finding(
        "vram-budget", Level.WARN, "too much", (span("12"),),
        (replace(failing().findings[1].fixes[0], after=After((9 << 30, 10 << 30), (20.0, 40.0, 65.0))),),
        holds_in=("v1, with a launcher", "v1, without a launcher"),
    )  # fmt: skip
    readings = [
        replace(
            like, path="a.yml", variant=f"{name}, {start}", outcome=Outcome.WARN, skips=(),
            version=Version("it has x"), findings=(finding,) if name == "v1" else (),
        )
        for name, like in names.items()
        for start in ("without a launcher", "with a launcher")
    ]  # fmt: skip
    text = shown(*readings)
    assert text.startswith("a.yml on kaggle-t4x2 (2 x Tesla T4): warn, out of memory if it is v1\n")
    assert "at least 18.40 of 14.56 GiB   FAIL, v1" in text
    assert "5.30 to 5.60 of 14.56 GiB     v2 on 1 GPU: fits\n" in text
    assert "warning[vram-budget]: too much (if it is v1)" in text
    assert "possible fix, once --reading says which is yours: 12 -> 6" in text
    assert "then 9.00 to 10.00 GiB, 20 to 65 h" in " ".join(text.split())


def test_a_page_counts_findings_in_one_way() -> None:
    """The list, a finding of several commands and the last line count findings: 3 + 4, of two rules."""
    error = Finding("unknown-key", Level.FAIL, "unrecognized arguments", (span("12"),))
    hint = Finding("unused-key", Level.WARN, "it is not read", (span("256"),), hint=True)
    base = replace(passing(), path="guide.md", outcome=Outcome.FAIL)
    twice, once = (replace(base, line=at, document=at) for at in (1, 2))
    text = shown(
        replace(twice, findings=(error, replace(error, spans=(span("180"),)), hint, hint)),
        replace(once, findings=(error, hint, hint)),
    )
    assert "error[unknown-key]: 3 findings in 2 commands: unrecognized arguments" in text
    assert "4 hints: unused-key 7 (4 times)" in text
    assert "7 findings (3 errors, 4 hints), in 1 file: 2 fail" in text


def test_a_page_with_room_says_its_warnings_and_names_its_hints() -> None:
    warning = Finding("weights-resolution", Level.WARN, "the weights do not load", (span("256"),))
    hint = replace(warning, rule="ema-short", hint=True)
    fine = replace(passing(), path="guide.md", line=9, document=1)
    warned = replace(fine, outcome=Outcome.WARN, findings=(warning, hint), document=2)
    text = shown(too_large(), fine, warned)
    assert "warning[weights-resolution]: the weights do not load (configs/small.yml:7:14)" in text
    assert "1 hint: ema-short 7" in text


def test_a_job_that_fails_in_some_versions_says_in_which_it_does_not() -> None:
    """The exit code is a warning's; the headline names the version that works, the row the one it is of."""
    finding = Finding("unknown-key", Level.WARN, "an unknown flag", (span("12"),), holds_in=("v1", "v3"))
    base = replace(passing(), outcome=Outcome.WARN, findings=(finding,), alone=Outcome.FAIL)
    small = Facts(memory=replace(passing().facts.memory, gpus=(gpu(2, 2.3, 2.6, 3.0),)))
    readings = (
        replace(base, variant="v1", facts=small),
        replace(base, variant="v2", findings=(), alone=Outcome.PASS, outcome=Outcome.PASS),
        replace(base, variant="v3", facts=small),
    )
    text = shown(*readings)
    assert ": warn, fails unless it is v2\n" in text
    assert (
        "fits if it is v2, batch 36 per GPU is safe, 40 is the limit (2.30 to 2.60 if it is not)"
        in " ".join(text.split())
    )
    assert "warning[unknown-key]: an unknown flag (if it is v1 or v3)" in text
    assert 'which is yours? --reading "v1" or "v2" or "v3"' in text
    versions = [replace(one, version=Version("it differs", script="a/train.py")) for one in readings]
    text = shown(*versions)
    assert ": warn, works with 1 of the 3 published versions\n" in text
    said = [" ".join(line.split()) for line in text.splitlines()]
    assert (
        "memory 5.30 to 5.60 of 14.56 GiB v2 on 1 GPU: fits, batch 36 per GPU is safe, 40 is the limit"
        in said
    )
    assert "2.30 to 2.60 of 14.56 GiB v1 on 1 GPU: stops by unknown-key" in said
    assert "2.30 to 2.60 of 14.56 GiB v3 on 1 GPU: stops by unknown-key" in said


def test_the_edit_that_one_version_needs_is_said_where_the_finding_is_only_named() -> None:
    fix = replace(failing().findings[1].fixes[0], after=After((9 << 30, 10 << 30)))
    first = Finding("rule-a", Level.FAIL, "it stops", (span("256"),))
    second = Finding("rule-b", Level.WARN, "it is late", (span("12"),), (fix,), holds_in=("v3",))
    base = replace(passing(), outcome=Outcome.FAIL, alone=Outcome.FAIL)
    readings = [
        replace(base, variant="v1", findings=(first,)),
        replace(base, variant="v3", findings=(first, second, replace(second, rule="rule-c", hint=True))),
    ]
    text = " ".join(shown(*readings).split())
    edit = fix.summary.partition(" (")[0]
    assert (
        f"1 warning: if it is v3: rule-b 6 ({edit}, then 9.00 to 10.00 GiB); 1 hint: if it is v3: rule-c 6 "
        in text
    )


def test_what_a_base_model_takes_is_said_where_its_step_is_not_known() -> None:
    why = 'the step of the objective "dpo" is not known'
    missing = dict.fromkeys(("networks", "memory", "time", "disk"), why)
    facts = Facts(model=ModelBytes(8 * GIB, 8 * GIB, 4 * GIB), missing=missing)
    open_ = replace(
        passing(), facts=facts, verdicts={"memory": Verdict.NOT_JUDGED}, outcome=Outcome.SKIPPED,
        skips=(Skip("vram-budget", why),),
    )  # fmt: skip
    words = "weights, gradients and optimizer states alone"
    assert f"memory   at least 20.00 of 14.56 GiB   {words}\n" in shown(open_)
    assert f"the whole step, time and disk not judged: {why}" in shown(open_)
    assert words not in shown(replace(open_, facts=replace(facts, model=replace(facts.model, parted=True))))
    fails = replace(failing(), facts=facts, verdicts={"memory": Verdict.FAIL})
    assert f"at least 20.00 of 14.56 GiB   FAIL, {words}\n" in shown(fails)


def test_readings_that_say_the_same_are_not_asked_for() -> None:
    readings = [replace(failing(), variant=name) for name in ("since 2", "before 2")]
    assert "is yours?" not in shown(*readings)
    other = replace(readings[1], facts=passing().facts)
    assert "is yours?" in shown(readings[0], other)


def test_versions_of_a_network_are_called_that() -> None:
    own = replace(passing(), outcome=Outcome.WARN, findings=(Finding("a", Level.WARN, "m", (span("12"),)),))
    readings = [
        replace(
            own, variant=name, networks=(Network("generator", f"nano@{name}", 1, 1),), version=Version(by)
        )
        for name, by in (("v2", "nano.py has blocks"), ("v5", "it has none"))
    ]
    said = 'which nano is yours? --reading "v2" (nano.py has blocks) or "v5" (it has none)'
    assert said in " ".join(shown(*readings).split())
    found = [replace(one, version=Version("it has blocks", in_source=True)) for one in readings]
    assert "which nano is yours? --repo FOLDER of its source, or --reading" in shown(*found)


def test_a_readings_own_verdict_is_kept_where_the_readings_disagree() -> None:
    fails = failing()
    held = settled([replace(fails, variant="v1"), replace(fails, variant="v2", findings=())])
    assert [one.alone for one in held] == [Outcome.FAIL, Outcome.FAIL]
    held = settled([replace(fails, variant="v1"), replace(passing(), variant="v2")])
    assert [(one.outcome, one.alone) for one in held] == [
        (Outcome.WARN, Outcome.FAIL),
        (Outcome.PASS, Outcome.PASS),
    ]


@pytest.mark.parametrize(
    ("key", "limit", "safe", "words"),
    [
        ("batch_size", (18, 9), (14, 7), "batch_size 14 (7 per GPU) is safe, 18 is the limit"),
        ("batch_size", (9, 9), (7, 7), "batch_size 7 per GPU is safe, 9 is the limit"),
        ("batch_size_per_gpu", (9, 9), (7, 7), "batch_size_per_gpu 7 is safe, 9 is the limit"),
        ("batch_size_per_gpu", (9, 9), (9, 9), "batch_size_per_gpu 9 is safe"),
        ("batch_size_per_gpu", (9, 9), (0, 0), "batch_size_per_gpu 9 is the limit, and tight"),
    ],
)
def test_a_batch_is_safe_tight_or_the_limit_and_says_whose_it_is(key, limit, safe, words) -> None:
    batches = [LargestBatch(key, value, 18) if value else None for value, _ in (limit, safe)]
    limits = Limits(largest_batch=limit[1], batch=batches[0], safe_batch=safe[1], safe=batches[1])
    memory = replace(failing().facts.memory, limits=limits)
    assert largest_words(memory) == words
    _, value, rest = words.replace(" (7 per GPU)", "").split(" ", 2)
    per_gpu = "" if value == "14" or "per GPU" in rest else "per GPU "
    assert largest_words(memory, named=False) == f"batch {value} {per_gpu}{rest}"
    assert is_of_all_gpus(memory) is (value == "14")


@pytest.mark.parametrize(
    ("limit", "safe", "advised", "words"),
    [
        (10, 8, 0, "10 is the limit, 8 is safe"),
        (10, 8, 6, "10 is the limit, 6 is safe"),
        (10, 10, 0, "10 is the limit, and safe"),
        (1, 0, 0, "1 is the limit, and tight"),
        (0, 0, 0, ""),
    ],
)
def test_beneath_a_batch_stands_its_limit_and_what_is_safe(limit, safe, advised, words) -> None:
    """What is advised was judged by every rule: another number is not called safe next to it."""
    batches = [LargestBatch("batch", value, value) if value else None for value in (limit, safe)]
    limits = Limits(largest_batch=limit, batch=batches[0], safe_batch=safe, safe=batches[1])
    memory = replace(failing().facts.memory, limits=limits)
    assert limit_words(memory, advised) == words


def test_what_many_jobs_lack_is_asked_for_once_and_of_one_job_at_its_place() -> None:
    reason = "the number of training images is not known (setting dataset-size)"
    hours = {"time.hours": reason}
    step = replace(passing().facts.time, total_hours=None, sessions=None)
    base = replace(passing(), path="guide.md", facts=replace(passing().facts, time=step, missing=hours))
    both = replace(base.facts, disk=None, missing={**hours, "disk": reason})
    other = replace(base.facts, memory=None, missing={"memory": "the batch size is not known"})
    jobs = [replace(base, line=at, document=at) for at in (1, 2)]
    jobs.append(replace(base, line=3, document=3, facts=both))
    text = shown(*jobs)
    assert "hours, and disk of 1: how many training images? --dataset-size N (3 jobs)" in text
    assert text.count("--dataset-size") == 1
    unjudged = replace(base, line=4, document=4, facts=other, verdicts={"memory": Verdict.NOT_JUDGED})
    assert "memory of line 4: the batch size is not known" in shown(*jobs, unjudged)


def test_a_job_with_hints_alone_passes_and_names_them() -> None:
    """In other formats they are warnings; one whose memory is not known is a skip for all that."""
    hint = Finding("workers-over-cores", Level.WARN, "8 processes on 4 cores", (span("12"),), hint=True)
    hinted = replace(passing(), outcome=Outcome.WARN, findings=(hint, hint))
    text = shown(hinted)
    assert text.startswith("pass  small.yml on kaggle-t4x2: 5.30 to 5.60 of 14.56 GiB")
    assert text.splitlines()[0].endswith("12 to 24 h, 2 to 3 sessions; 2 hints: -v")
    assert text.endswith("2 findings (2 hints)\n")
    verbose = render(Report((hinted,), files=1), Style(verbose=True))
    assert verbose.startswith("pass  configs/small.yml")
    assert "hint[workers-over-cores]: 8 processes on 4 cores" in verbose
    unknown = replace(hinted, facts=None, undecided=True, verdicts={"memory": Verdict.NOT_JUDGED})
    assert ": skip" in shown(unknown).splitlines()[0]
    warned = replace(hinted, findings=(hint, replace(hint, hint=False)))
    assert ": warn, 8 processes on 4 cores" in shown(warned).splitlines()[0]


def test_a_page_of_text_is_one_folded_line_and_nothing_was_judged() -> None:
    page = skipped(Source("docs/page.md", "text"), why_unknown(()))
    lines = shown(page).splitlines()
    assert lines[0].startswith("skip  docs/page.md: no training command or config in it; ")
    assert max(map(len, lines)) <= 100
    assert lines[-1] == "nothing judged"


def test_a_page_of_text_names_the_training_it_is_about_and_an_example_to_start_from() -> None:
    said = why_unknown((), "# Real-ESRGAN on a card\n\nRealESRGAN is better than ESRGAN.\n")
    assert said.endswith(
        "it is about Real-ESRGAN: fill a copy of trainlint's examples/realesrgan_x4.yml, and lint it"
    )
    assert "trainlint init NETWORK.py" in why_unknown((), "An essay about MyESRGANs and cards.\n")
    if ROOT is not None:
        examples = [ROOT / "examples" / example for example, _ in EXAMPLES.values()]
        assert [path for path in examples if not path.is_file()] == []


def test_the_first_screen_says_what_tells_how_long_a_run_waits_for_its_loader() -> None:
    """Where the cores or the images are not known, the hours are the GPU's alone (SwinIR, issue 51).

    What passes says so on its line; what would tell is in the verbose report and in a failing job's row.
    """
    time = replace(passing().facts.time, step_seconds=(0.3, 0.5, 0.8))
    slow = Loading((0.001, 0.05, 2.4), "assumed", assumed=True, cores_known=False)
    asked = "without the loader; --data FOLDER, a target with cpu_cores or --log FILE adds it"
    cases = {
        asked: slow,
        asked.replace("--data FOLDER, ", ""): replace(slow, assumed=False),
        asked.replace(", a target with cpu_cores", ""): replace(
            slow, cores_known=True, seconds=(0.1, 0.6, 2.4)
        ),
        "": replace(slow, seconds=(0.001, 0.05, 0.7)),
    }
    for words, loading in cases.items():
        loaded = replace(passing(), facts=replace(passing().facts, time=replace(time, loading=loading)))
        assert ("h without the loader" in shown(loaded)) is bool(words)
        assert "--log" not in shown(loaded)
        assert words in render(Report((loaded,), files=1), replace(PLAIN, verbose=True))
    known = replace(slow, assumed=False, cores_known=True)
    for loading in (
        known,
        replace(slow, cores_known=True),
    ):  # loader-bound judges the one, the other is quick
        loaded = replace(passing(), facts=replace(passing().facts, time=replace(time, loading=loading)))
        assert "without the loader" not in shown(loaded)
    failed = replace(failing(), facts=replace(failing().facts, time=replace(time, loading=slow)))
    assert "of GPU" in shown(failed)
    assert asked in " ".join(shown(failed).split())


def test_a_range_that_leaves_open_whether_one_session_is_enough_asks_for_a_log() -> None:
    time = replace(passing().facts.time, sessions=(1, 1, 2))
    open_ = replace(passing(), facts=replace(passing().facts, time=time))
    verbose = replace(PLAIN, verbose=True)
    assert "100 iterations and --log FILE say how many sessions" in render(Report((open_,), files=1), verbose)
    assert "100 iterations" not in shown(open_)
    logged = replace(open_, facts=replace(open_.facts, time=replace(time, basis="log")))
    assert "100 iterations" not in render(Report((logged,), files=1), verbose)


def test_a_passing_job_with_a_long_name_has_one_line_and_memory_on_it() -> None:
    hours = replace(passing().facts, time=None, missing={"time": "number of training images is not known"})
    for length in range(1, 22, 5):
        for facts in (passing().facts, hours):
            line, closing = shown(replace(passing(), facts=facts, variant="x" * length)).splitlines()
            assert "5.30 to 5.60 of 14.56 GiB" in line
            assert len(line) <= 100
            assert closing.startswith("no findings")
            tails = ("; hours: --dataset-size N", "; hours not judged", "; hours: -v")
            assert line.endswith(tails) == (facts is hours)


def test_sample_images_of_an_unknown_size_are_said_to_be_unjudged() -> None:
    unknown = "validation image size unknown: --validation-size HxW"
    facts = replace(passing().facts, missing={"memory.validation": unknown})
    sampling = replace(passing(), facts=facts, skips=(Skip("vram-sampling", unknown),))
    assert shown(sampling).splitlines()[0].endswith("; sample images not judged")
    validating = replace(sampling, skips=(Skip("vram-validation", unknown),))
    assert "images" not in shown(validating)


def test_nothing_is_missing_of_a_passing_job_of_which_all_is_known(monkeypatch) -> None:
    monkeypatch.setattr(figures, "wanted", lambda _result: {})
    line, closing = shown(passing()).splitlines()
    assert line.startswith("pass ")
    assert "not judged" not in line
    assert closing.startswith("no findings")


def test_a_patched_function_is_asked_about_in_one_way_whatever_lacks_it() -> None:
    changed = "torch.nn.functional.grid_sample is changed in traiNNer/utils/grid_sample_fix.py:50"
    assert asked(changed) == asked(f"{changed}; what follows is not known")
    assert asked(changed).startswith(f"{changed}: trainlint dry-run -- COMMAND")
