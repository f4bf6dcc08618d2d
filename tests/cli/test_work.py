# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How much work a run does, counted and not timed: modules imported, expressions compiled, replays."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.warm_cache import warm
from trainlint.shipped.resource_paths import PACKAGE

pytestmark = pytest.mark.process

EXAMPLES = PACKAGE.parents[1] / "examples"

COUNTED = """
import json, sys
from collections import Counter
from pathlib import Path
from trainlint import shipped
kept = Path(sys.argv.pop(1))
shipped._folder = lambda: kept
import trainlint.expressions.cel as cel
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
from trainlint.dialects.extract import document_jobs as jobs
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
    *(
        "trainlint.commands.shell.shell",
        "trainlint.documents.markdown_page",
        "trainlint.documents.notebook",
        "trainlint.config.jsonc",
    ),
    *(
        "trainlint.repository.trainer.own_classes",
        "trainlint.repository.survey.normal_form",
        "trainlint.dialects.messages.schema_problem",
    ),
    *(
        "trainlint.estimate.tapes.crop_source",
        "trainlint.tape.crops.crop_tapes",
        "trainlint.estimate.speed.training_log",
    ),
    *("trainlint.judge.fixes.fixer", "trainlint.judge.rule_files.rule_check", "trainlint.data_headers"),
    *("trainlint.judge.fixes.attempts", "trainlint.files.replace_text"),
    *(
        "trainlint.dialects.load.dialect_check",
        "trainlint.dialects.schema.strict_schema",
        "trainlint.judge.rule_files.compile_shipped",
    ),
    *(
        "trainlint.report.text.finding_text",
        "trainlint.report.change_lines",
        "trainlint.report.json_version_1",
        "trainlint.config.edit",
    ),
    *(
        "trainlint.report.fingerprint",
        "trainlint.config.yaml_errors",
        "trainlint.catalogue.base_models",
        "csv",
    ),
)
"""Modules that no YAML file which passes has any use for."""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Run the command in a process of its own, as after runs that compiled what is kept."""
    cache, compiled = str(warm(tmp_path_factory.mktemp("cache"))), str(tmp_path_factory.mktemp("compiled"))
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(PACKAGE.parent)}

    def run(*words):
        found = subprocess.run(
            [sys.executable, "-c", COUNTED, compiled, *words],
            capture_output=True,
            env=environment,
            check=True,
        )
        return json.loads(found.stderr.splitlines()[-1])

    return run


def test_a_file_that_passes_takes_little(work):
    found = work(str(EXAMPLES / "msrresnet_x4.yml"), "-t", "rtx-4090", "--no-trace")
    assert found["work"]["code"] == 0
    assert not {*SLOW, *ELSEWHERE} & {*found["modules"]}
    assert (
        sum(name.startswith("trainlint") for name in found["modules"]) <= 294
    )  # a fifth of them are the rooms' own
    assert found["work"].get("compiled", 0) == 0
    assert found["work"]["deserialized"] <= 90
    assert found["work"]["replays"] <= 44  # of them 26 for the batch that is safe, 1 ms in all
    assert found["work"]["normalised"] == 1


def test_a_file_without_settings_around_it_takes_no_toml(work, tmp_path):
    path = tmp_path / "a.yml"
    path.write_bytes((EXAMPLES / "msrresnet_x4.yml").read_bytes())
    found = work(str(path), "-t", "rtx-4090", "--no-trace")
    assert not {"tomli", "tomllib", "trainlint.config.toml"} & {*found["modules"]}


def test_a_file_that_fails_is_replayed_a_few_times_for_its_fixes(work):
    found = work(str(EXAMPLES / "realesrgan_x4.yml"), "-t", "kaggle-t4x2", "--no-trace")
    assert found["work"]["code"] == 1
    assert found["work"].get("compiled", 0) == 0
    assert found["work"]["replays"] <= 114
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
        *(
            "trainlint",
            "trainlint.cli",
            "trainlint.cli.error_ending",
            "trainlint.cli.main",
            "trainlint.errors",
        )
    }
