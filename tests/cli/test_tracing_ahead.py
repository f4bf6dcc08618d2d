# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps traced by other processes: each once, and the output of one process, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.warm_cache import warm
from trainlint.cli.main import run
from trainlint.cli.workers import trace_process, tracing_ahead, worker_processes
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.tapes import tape_source

from .conftest import CONFIG, hear_interrupts

pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.process]

WORDS = (".", "-t", "rtx-4090", "--format", "json")
SMALL = CONFIG.replace("num_feat: 64", "num_feat: 8").replace("num_block: 16", "num_block: 1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Fill the working folder: three steps of a network, twice each, and one that no constructor takes."""
    for number in range(6):
        text = SMALL.replace("num_feat: 8", f"num_feat: {8 + 8 * (number % 3)}")
        (tmp_path / f"{number}.yml").write_text(text.replace("tiny", f"job {number}"), "utf-8")
    refused = SMALL.replace("upscale: 4", "upscale: 4\n  num_feat: many").replace("  num_feat: 8\n", "")
    (tmp_path / "refused.yml").write_text(refused, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def printed(capfd, monkeypatch, tmp_path_factory):
    """Return what runs the command here, with an empty cache each time."""

    def run_here(*words):
        monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path_factory.mktemp("cache"))))
        with pytest.raises(SystemExit) as end:
            run([*WORDS, *words])
        return end.value.code, *capfd.readouterr()

    return run_here


@pytest.fixture
def one_by_one(folder, printed):
    """Return what the command prints of the folder in one process."""
    return printed()


@pytest.fixture
def asked(monkeypatch):
    """Return what other processes are asked to trace; this one traces nothing."""
    steps = []

    class Counted(worker_processes.Workers):
        def submit(self, message):
            steps.append(message)
            return super().submit(message)

    def trace_here(_missing, step, **_options):
        raise AssertionError(step)

    monkeypatch.setattr(tracing_ahead, "Workers", Counted)
    monkeypatch.setattr(tape_source, "trace_here", trace_here)
    return steps


@pytest.mark.slow
def test_the_output_is_that_of_one_process_and_each_step_is_traced_once(one_by_one, printed, asked):
    assert printed("--jobs", "2") == one_by_one
    assert one_by_one[0] == 0
    assert one_by_one[1].count('"source": "traced"') == 6
    features = [step["networks.generator.args"]["num_feat"] for step, _ in asked]
    assert sorted(features[:3]) == [8, 16, 24]
    assert len(asked) == len({repr(each) for each in asked})


@pytest.mark.slow
def test_steps_are_traced_before_the_turn_of_their_files(folder, printed, asked, monkeypatch):
    judged, begun = [], []

    def judged_here(_pipeline, item):
        judged.append(item.path)
        begun.append(len(asked))
        return real(_pipeline, item)

    real = tracing_ahead.judged_here
    monkeypatch.setattr(tracing_ahead, "judged_here", judged_here)
    printed("--jobs", "2")
    assert [path[-5:] for path in judged[:3]] == ["0.yml", "1.yml", "2.yml"]
    assert begun[0] == 0
    assert begun[1] >= 3


@pytest.mark.slow
def test_a_step_whose_process_ends_is_traced_here(one_by_one, printed, monkeypatch):
    monkeypatch.setattr(worker_processes, "START", "raise SystemExit  # {path}")
    assert printed("--jobs", "2") == one_by_one


@pytest.mark.parametrize(
    ("error", "arrives"),
    [
        (CannotTraceError("why"), CannotTraceError),
        (BadArgumentsError("why", "networks.discriminator.args"), BadArgumentsError),
        (RuntimeError("ours"), type(None)),
    ],
)
def test_what_another_process_says_of_a_step_is_its_reason_or_nothing(error, arrives, monkeypatch):
    def trace_here(_missing, _step):
        raise error

    monkeypatch.setattr(trace_process, "trace_here", trace_here)
    found = trace_process.traced({}, {})
    assert type(found) is arrives
    assert found is None or (found.args, vars(found)) == (error.args, vars(error))


@pytest.mark.usefixtures("folder")
def test_the_users_code_runs_in_no_other_process(printed):
    code, out, err = printed("--jobs", "2", "--python", sys.executable)
    assert (code, out) == (2, "")
    assert "cannot be used with --python or --networks" in err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGINT is sent to one process")
def test_an_interrupt_leaves_what_was_done_and_no_process(trainlint):
    trainlint.write("0.yml", SMALL.replace("gt_size: 128", "gt_size: 127"))
    for number in range(1, 9):
        trainlint.write(f"{number}.yml", SMALL.replace("num_block: 1", f"num_block: {1 + 40 * number}"))
    words = [sys.executable, "-m", "trainlint", ".", "-t", "rtx-4090", "--format", "concise"]
    running = subprocess.Popen(
        [*words, "--jobs", "2"], cwd=trainlint.folder, env=trainlint.env, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding="utf-8", preexec_fn=hear_interrupts, start_new_session=True,  # noqa: PLW1509  # it only sets a signal
    )  # fmt: skip
    assert running.stdout is not None
    first = running.stdout.readline()
    os.killpg(running.pid, signal.SIGINT)  # as a terminal sends it
    out, err = running.communicate(timeout=120)
    assert first.startswith("0.yml:")
    assert "8.yml" not in out
    assert running.returncode == 130
    assert err.startswith("trainlint: interrupted after ")
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
