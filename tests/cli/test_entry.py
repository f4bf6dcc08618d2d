# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How the command's process ends: at once, with all done that is to be done at the end."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.cli import entry
from trainlint.shipped.resource_paths import PACKAGE

pytestmark = pytest.mark.process

SCRIPT = """
import atexit, sys, threading, time
from trainlint.cli import entry
class Freed:
    def __del__(self):
        print("freed")
kept = Freed()
def run():
    atexit.register(print, "registered")
    print("said")
    print("complained", file=sys.stderr)
    {more}
    sys.exit({code})
entry._run = run
sys.argv = ["trainlint"]
entry.run()
"""


def ended(code, more="pass", **streams):
    """Run a command that ends with this code, after doing `more`."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    environment.pop("PYTHONUNBUFFERED", None)  # then nothing is left to be written at the end
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(code=code, more=more)],
        env=environment,
        check=False,
        text=True,
        **streams,
    )


@pytest.mark.parametrize(("code", "number"), [("0", 0), ("None", 0), ("1", 1), ("130", 130)])
def test_nothing_is_freed_but_all_is_done_and_written(code, number):
    done = ended(code)
    assert (done.returncode, done.stdout, done.stderr) == (number, "said\nregistered\n", "complained\n")


@pytest.mark.parametrize(
    ("code", "more", "out", "err"),
    [
        ("'why'", "pass", "said\nregistered\nfreed\n", "complained\nwhy\n"),
        (
            "1",
            "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()",
            "said\nlate\nregistered\nfreed\n",
            "complained\n",
        ),
    ],
)
def test_the_interpreter_ends_what_others_take_part_in(code, more, out, err):
    done = ended(code, more)
    assert (done.returncode, done.stdout, done.stderr) == (1, out, err)


def test_a_profile_of_it_is_written(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(code=0, more="pass"))
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "cProfile", str(script)]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "function calls" in found.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_an_output_that_cannot_be_written_is_no_success():
    with Path("/dev/full").open("w") as full:
        done = ended(0, stdout=full)
    assert done.returncode == 120
    assert "No space left" in done.stderr


def test_without_streams_it_ends_too():
    assert ended(0, "sys.stdout = None").returncode == 0


@pytest.mark.parametrize("words", [("a.yml",), ("targets",), ("explain", "a.yml"), ("lsp",)])
def test_a_working_folder_that_was_deleted_is_one_message(tmp_path, words):
    gone = tmp_path / "gone"
    command = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && exec "$0" -m trainlint "$@"'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *words], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert done.stderr == "trainlint: the working folder is no longer there: change into one that is\n"


def test_a_working_folder_that_went_away_is_one_message(monkeypatch, capsys):
    def failing(_path: object) -> os.stat_result:
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr(entry.os, "stat", failing)
    with pytest.raises(SystemExit) as ended:
        entry._check_folder()
    assert ended.value.code == 2
    expected = "trainlint: the working folder cannot be read: stale file handle; change into another\n"
    assert capsys.readouterr().err == expected
