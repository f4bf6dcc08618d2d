# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A package that the environment lacks, or that refuses a call: what is said, and what is a finding."""

from __future__ import annotations

import pytest

from trainlint.dry_run.judging.wanted_package import NAME_ENVIRONMENT, wanted_package
from trainlint.dry_run.rehearsing.run_record import LackingPackage
from trainlint.report.brief.missing import asked

from .conftest import facts

LONG = "module 'numpy' has no attribute 'int'. It was a deprecated alias for the builtin, use that instead"


@pytest.mark.parametrize(
    "lacks",
    [LackingPackage(""), LackingPackage("numpy", "2.4"), LackingPackage("numpy", "2.4", refuses=True)],
)
def test_the_first_screen_keeps_what_helps(lacks):
    assert asked(wanted_package(lacks, LONG)).endswith(NAME_ENVIRONMENT)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("colour.models", "colour-science"), ("apex", "git+https://github.com/NVIDIA/apex.git"),
        ("natsort", "natsort"),
    ],
)  # fmt: skip
def test_another_project_of_the_modules_name_is_not_offered(module, package):
    assert f"pip install {package}, or" in wanted_package(LackingPackage(module), LONG)


@pytest.mark.rest
@pytest.mark.parametrize(("options", "level"), [("", "warn"), ("--python PYTHON", "fail")])
def test_a_refused_call_is_a_fail_in_a_named_environment_alone(options, level, dry_run, program):
    program(
        "from trainlint.trace.dry_run import program_start\n"
        "crash = {'type': 'TypeError', 'message': 'mel() takes 0', 'frames': [], 'imitation': False,\n"
        "    'reason': '', 'lacks': {'name': 'librosa', 'has': '0.11.0', 'below': None, 'refuses': True}}\n"
        "program_start._write(status='crashed', crash=crash)\nimport os; os._exit(1)"
    )
    (one,) = facts(dry_run(f"{options} --format json -- {'python' if options else 'PYTHON'} train.py"))
    assert [(each["rule"], each["level"]) for each in one["findings"]] == [("program-crashes", level)]
    assert ("librosa 0.11.0" in one["facts"]["missing"]["memory"]) == (level == "warn")
