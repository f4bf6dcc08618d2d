# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How much work a run does, counted and not timed: modules imported, expressions compiled, replays."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from trainlint.resources import PACKAGE

EXAMPLES = PACKAGE.parents[1] / "examples"

COUNTED = """
import json, sys
from collections import Counter
from pathlib import Path
from trainlint import shipped
kept = Path(sys.argv.pop(1))
shipped._folder = lambda: kept
import trainlint.cel as cel
from trainlint.cli.main import run

work = Counter()

class Counted:
    def __init__(self, environment):
        self.environment = environment
    def compile(self, text):
        work["compiled"] += 1
        return self.environment.compile(text)
    def deserialize(self, form):
        work["deserialized"] += 1
        return self.environment.deserialize(form)

made = cel._environment
cel._environment = lambda variables: Counted(made(variables))
from trainlint.estimate.replay.capacity_replay import CapacityReplay
played = CapacityReplay._run
def counted(self, *args, **options):
    work["replays"] += 1
    return played(self, *args, **options)
CapacityReplay._run = counted
from trainlint.normalise import jobs
normalised = jobs._jobs
def counted_job(*args):
    work["normalised"] += 1
    return normalised(*args)
jobs._jobs = counted_job
try:
    run(sys.argv[1:])
except SystemExit as end:
    work["code"] = end.code
print(json.dumps({"work": work, "modules": sorted(sys.modules)}), file=sys.stderr)
"""

SLOW = (*("jsonschema", "referencing", "attr", "cerberus", "pathspec", "torch", "numpy"),)
"""Libraries that take longer to import than a file takes to lint."""

ELSEWHERE = (
    *("trainlint.read.shell", "trainlint.read.markdown", "trainlint.read.notebook", "trainlint.read.jsonc"),
    *("trainlint.trainer.own", "trainlint.survey.normal", "trainlint.normalise.complaint"),
    *("trainlint.estimate.tapes.crop_source", "trainlint.tape.crops", "trainlint.read.training_log"),
    *("trainlint.judge.fix", "trainlint.judge.rule_check", "trainlint.look", "trainlint.cli.write_back"),
    *("trainlint.normalise.dialect_check", "trainlint.normalise.strict", "trainlint.judge.compiling"),
    *(
        "trainlint.report.finding_text",
        "trainlint.report.change",
        "trainlint.report.json1",
        "trainlint.read.edit",
    ),
    *("trainlint.report.fingerprint", "trainlint.read.yaml_errors"),
)
"""Modules that no YAML file which passes has any use for."""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Run the command in a process of its own, after one that has compiled what is kept."""
    cache, compiled = str(tmp_path_factory.mktemp("cache")), str(tmp_path_factory.mktemp("compiled"))
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(PACKAGE.parent)}

    def run(*words):
        found = subprocess.run(
            [sys.executable, "-c", COUNTED, compiled, *words],
            capture_output=True,
            env=environment,
            check=True,
        )
        return json.loads(found.stderr.splitlines()[-1])

    run(str(EXAMPLES / "msrresnet_x4.yml"), "-t", "rtx-4090", "--no-trace")
    return run


def test_a_file_that_passes_takes_little(work):
    found = work(str(EXAMPLES / "msrresnet_x4.yml"), "-t", "rtx-4090", "--no-trace")
    assert found["work"]["code"] == 0
    assert not {*SLOW, *ELSEWHERE} & {*found["modules"]}
    assert sum(name.startswith("trainlint") for name in found["modules"]) <= 232
    assert found["work"].get("compiled", 0) == 0
    assert found["work"]["deserialized"] <= 75
    assert found["work"]["replays"] <= 18
    assert found["work"]["normalised"] == 1


def test_a_file_without_settings_around_it_takes_no_toml(work, tmp_path):
    path = tmp_path / "a.yml"
    path.write_bytes((EXAMPLES / "msrresnet_x4.yml").read_bytes())
    found = work(str(path), "-t", "rtx-4090", "--no-trace")
    assert not {"tomli", "tomllib", "trainlint.read.toml"} & {*found["modules"]}


def test_a_file_that_fails_is_replayed_a_few_times_for_its_fixes(work):
    found = work(str(EXAMPLES / "realesrgan_x4.yml"), "-t", "kaggle-t4x2", "--no-trace")
    assert found["work"]["code"] == 1
    assert found["work"].get("compiled", 0) == 0
    assert found["work"]["replays"] <= 106
    assert found["work"]["normalised"] <= 12


def test_the_version_needs_none_of_it():
    script = "import sys\nfrom trainlint.cli.main import run\n"
    script += "try: run(['--version'])\nexcept SystemExit: pass\n"
    script += "print(*(name for name in sys.modules if name.startswith('trainlint')), file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert {*found.stderr.split()} == {
        *("trainlint", "trainlint.cli", "trainlint.cli.ending", "trainlint.cli.main", "trainlint.errors")
    }
