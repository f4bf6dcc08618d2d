# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Answers that are kept: the same bytes again, and none where anything that was asked has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from platformdirs import user_cache_dir

from trainlint.cli import answers
from trainlint.cli.entry import OTHERS, is_asked
from trainlint.cli.main import COMMANDS
from trainlint.resources import PACKAGE

EXAMPLE = PACKAGE.parents[1] / "examples" / "msrresnet_x4.yml"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="answers are kept where Python asks through os")

KNOWN = """
import sys, json
from trainlint.cli import answers
VERSION
print(json.dumps(answers.known(sys.argv[1:])))
"""

RULE = """name: never-x9
level: warn
summary: no scale of nine
requires: [spec.scale]
assert: int(spec.scale) != 9
message: "a scale of {spec.scale}"
at: [doc.scale]
why: a test
source: https://example.org
examples:
  pass:
    - spec: {scale: 4}
  fail:
    - spec: {scale: 9}
"""


class Project:
    """A folder with one of everything that a run reads, and the command that lints it."""

    def __init__(self, root, cache):
        self.root = root
        self.words = ["configs", "-t", "rtx-4090", "--no-trace", "--no-cache"][:-1]
        self.environment = {
            **os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(PACKAGE.parent),
            "XDG_CONFIG_HOME": str(root.parent / "home"), "PYTHONIOENCODING": "utf-8",
        }  # fmt: skip
        self.environment.pop("PYTEST_CURRENT_TEST", None)
        (root / "configs").mkdir(parents=True)
        (root / "rules").mkdir()
        shutil.copy(EXAMPLE, root / "configs" / "job.yml")
        self.write("rules/never-x9.yaml", RULE)
        self.write("trainlint.toml", 'rules = "rules"\n')
        self.write("configs/requirements.txt", "torch==2.6.0\n")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def run(self, *words):
        command = [sys.executable, "-P", "-m", "trainlint", *(words or self.words)]
        found = subprocess.run(
            command, capture_output=True, env=self.environment, cwd=self.root, check=False, text=True
        )
        assert found.returncode in (0, 1), found.stderr
        return found

    def known(self, *words, version="", **variables):
        """Return the kept answer of a command."""
        environment = {**self.environment, **variables}
        code = KNOWN.replace("VERSION", version and f"answers.__version__ = {version!r}")
        script = self.root.parent / "known.py"
        script.write_text(code, encoding="utf-8")
        found = subprocess.run(
            [sys.executable, "-P", script, *(words or self.words)],
            capture_output=True, env=environment, cwd=self.root, check=True, text=True,
        )  # fmt: skip
        return json.loads(found.stdout)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project whose answer is kept; what a test changes it puts back."""
    made = Project(tmp_path_factory.mktemp("project") / "here", tmp_path_factory.mktemp("cache"))
    if (made.root / "trainlint.toml").stat().st_ctime_ns % 10**9 == 0:
        pytest.skip("a file system that notes whole seconds")
    for _ in range(3):  # the first may write what Python compiles, and trainlint
        time.sleep(0.3)  # what has just been written may change again unseen
        made.cold = made.run()
        if made.known() is not None:
            return made
    raise AssertionError("nothing was kept")


def test_the_same_bytes_come_again(project):
    said, code = project.known()
    warm = project.run()
    assert (warm.stdout, warm.stderr, warm.returncode) == (
        project.cold.stdout, project.cold.stderr, project.cold.returncode,
    )  # fmt: skip
    assert "".join(text for err, text in said if not err) == warm.stdout
    assert code == warm.returncode
    again = project.run(*project.words, "--no-cache")
    assert (again.stdout, again.stderr) == (warm.stdout, warm.stderr)
    assert project.known(*project.words, "--no-cache") is None


CHANGES = {
    "the config": ("configs/job.yml", lambda text: text.replace("total_iter: ", "total_iter: 1")),
    "a comment that ignores": ("configs/job.yml", lambda text: f"# trainlint: ignore[never-x9]\n{text}"),
    "the settings": ("trainlint.toml", lambda text: text + 'ignore = ["never-saves"]\n'),
    "a rule": ("rules/never-x9.yaml", lambda text: text.replace("!= 9", "!= 4")),
    "the environment": ("configs/requirements.txt", lambda text: text.replace("2.6.0", "1.9.0")),
    "another config": ("configs/more.yml", lambda _: "scale: 4\n"),
    "another rule": ("rules/more.yaml", lambda _: RULE.replace("never-x9", "never-x8")),
    "nearer settings": ("configs/trainlint.toml", lambda _: 'fail-on = "warn"\n'),
    "what is ignored": ("configs/.gitignore", lambda _: "job.yml\n"),
    "a profile": (".trainlint/profiles/step.tape", lambda _: "no tape"),
    "the user's settings": ("../home/trainlint/settings.toml", lambda _: 'ignore = ["never-saves"]\n'),
    "a repository": (".git/HEAD", lambda _: "ref: refs/heads/main\n"),
    "a trainer's source": ("basicsr/train.py", lambda _: "import torch\n"),
    "an installed trainer": ("configs/environment.yml", lambda _: "dependencies: [pytorch=1.9]\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_was_read_or_looked_for_takes_the_answer_back(project, change):
    name, changed = CHANGES[change]
    path = (project.root / name).resolve()
    before = path.read_text(encoding="utf-8") if path.exists() else None
    folder = path.parent
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(changed(before), encoding="utf-8")
    try:
        assert before != changed(before)
        assert project.known() is None
    finally:
        if before is None:
            path.unlink()
            for each in made:
                each.rmdir()
        else:
            path.write_text(before, encoding="utf-8")
    assert project.known() is not None


def test_another_command_environment_or_version_has_its_own_answer(project):
    assert project.known(*project.words, "--strict") is None
    assert project.known("configs", "-t", "rtx-3060", "--no-trace") is None
    assert project.known(NO_COLOR="1") is None
    assert project.known(version="9.9") is None
    assert project.known() is not None


def test_a_damaged_answer_is_none(project):
    (kept,) = (Path(project.environment["XDG_CACHE_HOME"]) / "trainlint" / "answers").iterdir()
    whole = kept.read_bytes()
    for damaged in (
        whole[:-1],
        whole[: len(whole) // 2],
        b"",
        whole.replace(b"pass", b"fail", 1),
        b"\xff" * 99,
    ):
        kept.write_bytes(damaged)
        assert project.known() is None
    kept.write_bytes(whole)
    assert project.known() is not None


def test_an_answer_from_standard_input_or_that_writes_is_not_kept():
    for words in (
        ["-"], ["a.yml", "--fix"], ["a.yml", "--output=x"], ["a.yml", "-o", "x"], ["--version"], [],
        ["a.yml", "--data", "."], ["a.yml", "--python=x"], ["a.yml", "--log", "x"], ["a.yml", "--no-cache"],
    ):  # fmt: skip
        assert not is_asked(words)


def test_of_all_commands_check_and_fit_are_answered():
    assert {*COMMANDS} - {*OTHERS} == {"check", "fit"}
    assert {*OTHERS} <= {*COMMANDS}


RECORDED = """
import json, os, subprocess, sys
from pathlib import Path
from trainlint.cli.questions import Questions, holds
asked = Questions()
asked.record()
exec(sys.argv[1])
found = asked.finish()
again = found is not None and all(holds(*one) for one in found)
print(json.dumps({"found": found, "refused": asked.refused, "holds": again}))
"""


def recorded(code, folder):
    found = subprocess.run(
        [sys.executable, "-P", "-c", RECORDED, code], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    return json.loads(found.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(['true'])", "os.system('true')", "open('x', 'w')",
        "os.open('x', os.O_RDWR | os.O_CREAT)",
        "os.mkdir('y')", "import socket; socket.socket()", "import ctypes; ctypes.CDLL(None)",
        "os.chdir('/')",
        "Path('/proc/meminfo').read_text()", "os.utime('a')", "Path('a').unlink()",
    ],
)  # fmt: skip
def test_a_run_that_does_more_than_ask_is_its_own(code, tmp_path):
    (tmp_path / "a").write_text("1")
    time.sleep(0.1)
    assert recorded(code, tmp_path)["refused"]


ASKED = [
    ("Path('a').read_text()", "open"), ("os.open('a', os.O_RDONLY)", "open"), ("Path('no').exists()", "stat"),
    ("os.path.isfile('no')", "stat"), ("list(Path().iterdir())", "list"), ("list(os.walk('.'))", "list"),
    ("list(Path().glob('*'))", "list"), ("os.path.realpath('l')", "stat"),
    ("os.access('a', os.R_OK)", "access"),
    ("os.readlink('l')", "link"), ("Path('l').is_symlink()", "stat"), ("os.path.lexists('no')", "stat"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "kind"), ASKED)
def test_every_question_is_heard_and_asked_again(code, kind, tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "l").symlink_to("a")
    time.sleep(0.1)
    found = recorded(code, tmp_path)
    assert found["holds"]
    assert kind in {each[0] for each in found["found"]}


def test_a_file_that_has_just_been_changed_is_not_answered_for(tmp_path):
    code = "import time; now = time.time_ns(); asked.began = now - 10**9\nPath('a').read_text()"
    (tmp_path / "a").write_text("1")
    assert recorded(code, tmp_path)["found"] is None


def test_answers_lie_where_the_users_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert answers._folder() == str(Path(user_cache_dir("trainlint", appauthor=False), "answers"))
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert answers._folder() == str(Path(user_cache_dir("trainlint", appauthor=False), "answers"))


def test_the_oldest_answers_go_where_there_are_too_many(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(answers, "MOST_ENTRIES", 4)
    for number in range(6):
        answers._write(f"{number}", {"number": number})
        os.utime(Path(answers._folder(), f"{number}"), (number, number))
    assert answers._read("5") == {"number": 5}
    assert answers._read("0") is None
    assert len([*Path(answers._folder()).iterdir()]) <= 4
