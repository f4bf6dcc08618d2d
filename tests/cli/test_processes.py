# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files judged in several processes: the output of one, whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from trainlint.cli.main import run
from trainlint.cli.workers import parallel_files, worker_processes
from trainlint.estimate.tapes.stored_profiles import shipped_folder
from trainlint.shipped.resource_paths import PACKAGE

from .conftest import hear_interrupts

pytestmark = pytest.mark.process

EXAMPLES = PACKAGE.parents[1] / "examples"
STORED = ("-t", "kaggle-t4x2", "--no-trace")
SOME = (
    "compact_x4.yml",
    "esrgan_x4.yml",
    "msrresnet_x4.yml",
    "typos.yml",
    "trainers/glfcr.sh",
    "trainers/neosr_x4.toml",
)
"""Examples of three trainers, a command among them."""


def printed(capfd, *words):
    """Run the command here; return its exit code and what it printed."""
    with pytest.raises(SystemExit) as end:
        run(list(words))
    return end.value.code, *capfd.readouterr()


@pytest.fixture
def one_by_one(capfd, monkeypatch):
    """Return what the command prints of the examples in one process."""
    monkeypatch.chdir(EXAMPLES)
    return printed(capfd, *SOME, *STORED, "--format", "json")


@pytest.fixture
def alone(monkeypatch):
    """Let nothing be judged in this process."""

    def judged(_pipeline, item):
        raise AssertionError(item.path)

    monkeypatch.setattr(parallel_files, "judged_here", judged)


@pytest.mark.usefixtures("alone")
def test_the_output_is_that_of_one_process(one_by_one, capfd):
    assert printed(capfd, *SOME, *STORED, "--format", "json", "--jobs", "3") == one_by_one


@pytest.mark.slow
def test_a_file_whose_process_ends_is_judged_all_the_same(one_by_one, capfd, monkeypatch):
    monkeypatch.setattr(worker_processes, "START", "raise SystemExit  # {path}")
    assert printed(capfd, *SOME, *STORED, "--format", "json", "--jobs", "2") == one_by_one


def test_what_lies_around_is_said_of_the_first_file_alone(trainlint, config):
    for name in ("a.yml", "b.yml", "c.yml", "d/e.yml"):
        trainlint.write(name, config)
    trainlint.write("requirements.txt", "torch==2.2.0\nbasicsr==1.4.2\ntorchvision==0.17.0\n")
    trainlint.write("f.yml", "a: [\n")
    words = (".", *STORED, "--format", "json")
    one, three = trainlint(*words), trainlint(*words, "--jobs", "3")
    assert one.stdout.count('"rule": "functional-tensor"') == 1
    assert (one.returncode, one.stdout, one.stderr) == (three.returncode, three.stdout, three.stderr)


def test_profiles_that_are_refused_are_named_as_by_one_process(trainlint):
    config = (EXAMPLES / "msrresnet_x4.yml").read_text(encoding="utf-8")
    trainlint.write("0.yml", config)
    for number in range(1, 7):
        trainlint.write(f"{number}.yml", config.replace("num_block: 16", f"num_block: {number + 31}"))
    for path in shipped_folder().glob("*.tape"):
        trainlint.write(f".trainlint/profiles/{path.name}", b"damaged")
    words = (".", *STORED, "--format", "json")
    one, two = trainlint(*words), trainlint(*words, "--jobs", "2")
    assert one.stdout.count("was refused") >= 6
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)


def test_new_findings_are_told_from_known_ones(trainlint, variant):
    for number in range(4):
        trainlint.write(f"{number}.yml", variant(("gt_size: 128", f"gt_size: {126 + number}")))
    assert trainlint("0.yml", "1.yml", *STORED, "--write-baseline", "known.json").returncode == 0
    words = (".", *STORED, "--format", "json", "--baseline", "known.json")
    one, two = trainlint(*words), trainlint(*words, "--jobs", "2")
    found = {result["path"]: len(result["findings"]) for result in json.loads(one.stdout)["results"]}
    assert (found["0.yml"], found["3.yml"] > 0) == (0, True)
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)


def test_nothing_of_the_working_folder_runs(trainlint, config):
    trainlint.write("a.yml", config)
    trainlint.write("b.yml", config)
    for name in ("pickle.py", "trainlint.py", "signal.py", "struct.py", "click.py", "yaml.py", "warnings.py"):
        trainlint.write(name, "open('was-here', 'w').write('x')\n")
    command = [sys.executable, "-P", "-c", "from trainlint.cli.entry import run; run()"]
    done = subprocess.run(
        [*command, ".", *STORED, "--jobs", "2"], cwd=trainlint.folder, env=trainlint.env, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not (trainlint.folder / "was-here").exists()


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is sent to one process")
def test_an_interrupt_leaves_what_was_done_and_no_process(trainlint, variant):
    for number in range(200):
        trainlint.write(f"{number:03}.yml", variant(("gt_size: 128", "gt_size: 127")))
    command = [sys.executable, "-m", "trainlint", ".", *STORED, "--format", "concise", "--jobs", "2"]
    running = subprocess.Popen(
        command, cwd=trainlint.folder, env=trainlint.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", preexec_fn=hear_interrupts, start_new_session=True,  # noqa: PLW1509  # it only sets a signal
    )  # fmt: skip
    assert running.stdout is not None
    first = running.stdout.readline()
    os.killpg(running.pid, signal.SIGINT)  # as a terminal sends it
    out, err = running.communicate(timeout=120)
    assert first.startswith("000.yml:")
    assert "199.yml" not in out
    assert running.returncode == 130
    assert err.startswith("trainlint: interrupted after ")
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
