# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A run under way says how far it is."""

from __future__ import annotations

import json
import os
import sys

import pytest
from click.testing import CliRunner

from trainlint.cli.commands import dry_run_command
from trainlint.cli.main import main
from trainlint.dry_run.rehearsing.signs_of_life import UnderWay, far

from .conftest import facts

WAITS = """\
import os, time
with open(os.path.join(request()["out"], "pulse.txt"), "w") as file:
    file.write("3 400 0")
time.sleep(%d)
train(4)
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "imports"),
        ("", "imports"),
        ("1 2", "imports"),
        ("a b c", "imports"),
        ("9" * 1000, "imports"),
        ("7 0 0", "7 batches loaded before step 1"),
        ("7 1 0", "1 forward before step 1 is done"),
        ("7 5 2", "step 3"),
    ],
)
def test_how_far_a_run_is_by_its_sign(text, says, tmp_path):
    if text is not None:
        (tmp_path / "pulse.txt").write_text(text)
    assert far(tmp_path) == says


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_sign_that_never_ends_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pulse.txt")
    assert far(tmp_path) == "imports"


def test_runs_under_way_share_a_line_that_is_gone_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr("trainlint.dry_run.rehearsing.signs_of_life.AFTER_S", 0)
    (tmp_path / "pulse.txt").write_text("1 1 1")
    lines = []
    under_way = UnderWay(lines.append)
    with under_way.run("running train.py") as look, under_way.run("with 8 samples"):
        look(tmp_path)
    assert "running train.py; with 8 samples" in lines
    assert "running train.py: step 2, 0 s; with 8 samples" in lines
    assert lines[-1] == ""


@pytest.mark.slow
def test_a_verbose_reader_without_a_terminal_hears_how_far_it_is(dry_run, program, monkeypatch):
    monkeypatch.setattr(dry_run_command, "SAY_EVERY_S", 1.0)
    program(WAITS % 5)
    command = ["dry-run", "-v", "-t", "rtx-3060", "--", sys.executable, "train.py"]
    said = CliRunner().invoke(main, command, prog_name="trainlint", standalone_mode=False).stderr
    assert "running train.py as if on 1 x NVIDIA GeForce RTX 3060: 400 forwards before step 1 is done" in said


@pytest.mark.slow
def test_a_run_that_takes_too_long_says_how_far_it_got(dry_run, program):
    program(WAITS % 60)
    (one,) = facts(dry_run("--timeout 4 --format json -- PYTHON train.py"))
    reason = json.dumps(one["skipped"])
    assert "longer than 4 s (--timeout), and got to this: 400 forwards before step 1 is done" in reason
