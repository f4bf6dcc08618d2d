# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dry run of programs that say themselves what they would take, so that each test is a second of Python."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.conftest import CONFIG
from tests.estimate.toy_tapes import MIB, stored, two_steps
from tests.warm_cache import warm
from trainlint.cli.main import main
from trainlint.dry_run.rehearsing import injected_package
from trainlint.measuring.package_copy import COPIED_FOLDERS
from trainlint.tape import Network, Tape

FAKE = Path(__file__).with_name("fake_gpu.py")
SCRIPT = """\
import re, sys
from trainlint.trace.dry_run.program_start import train
text = open(sys.argv[sys.argv.index("-opt") + 1]).read()
train(int(re.search(r"batch_size_per_gpu: (\\d+)", text)[1]), parameters=100, per_sample=100)
"""
OWN = CONFIG.replace("model_type: SRModel", "model_type: OwnModel")


def merged(outcomes) -> Tape:
    """Make the tape of fake recordings."""
    found = [json.loads(outcome.tape.read_text()) for outcome in outcomes]
    first = found[0]
    writer = stored(two_steps(first["parameters"] * MIB, first["per_sample"] * MIB))
    alone = len(found) == 1 and first["batch"]
    count = first["parameters"] * MIB // 4
    network = Network("generator", "Test", count, count)
    tape = writer.tape(batches=(first["batch"],) if alone else (), networks=(network,))
    return tape if first["saves"] else replace(tape, files=())


@pytest.fixture
def fake(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the fake in the place of what plays the GPU."""
    package = tmp_path_factory.mktemp("fake") / "trainlint"
    for name in COPIED_FOLDERS:
        (package / name).mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "trace" / "__init__.py").touch()
    (package / "trace" / "dry_run").mkdir()
    (package / "trace" / "dry_run" / "__init__.py").touch()
    shutil.copy(FAKE, package / "trace" / "dry_run" / "program_start.py")
    monkeypatch.setattr(injected_package, "PACKAGE", package)
    monkeypatch.setattr("trainlint.cli.commands.dry_run_command.merged", merged)
    monkeypatch.setattr("trainlint.cli.trusted_programs.merged", merged)


Run = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: None) -> Path:
    """Return a folder that is the working one, a project of its own."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path / "cache")))
    return tmp_path / "work"


@pytest.fixture
def dry_run(project: Path) -> Run:
    """Run `trainlint dry-run`; `-t` is an RTX 3060 where the words name none."""

    def run(words: str, *, options: str = "-t rtx-3060") -> Result:
        command = [
            "dry-run",
            "-q",
            *shlex.split(options),
            *shlex.split(words.replace("PYTHON", sys.executable)),
        ]
        return CliRunner().invoke(main, command, prog_name="trainlint", standalone_mode=False)

    return run


@pytest.fixture
def program(project: Path) -> Callable[[str], Path]:
    """Write train.py: its lines after the import of the fake."""

    def write(text: str, name: str = "train.py") -> Path:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"from trainlint.trace.dry_run.program_start import request, train\n{text}\n")
        return path

    return write


@pytest.fixture
def checkout(project: Path) -> Path:
    """Make a fork of BasicSR with a model class of its own."""
    for name in ("utils/options.py", "models/own_model.py"):
        (project / "basicsr" / name).parent.mkdir(parents=True, exist_ok=True)
    (project / "basicsr" / "utils" / "options.py").write_text(
        "def parse_options(root, is_train=True):\n    pass\n"
    )
    own = "class OwnModel:\n    def optimize_parameters(self, current_iter):\n        pass\n"
    (project / "basicsr" / "models" / "own_model.py").write_text(own)
    (project / "basicsr" / "train.py").write_text(SCRIPT)
    (project / "options").mkdir()
    (project / "options" / "own.yml").write_text(OWN)
    return project


def check(path: str, target: str = "rtx-3060") -> dict:
    """Return what check says of a config."""
    words = [path, "-t", target, "--no-trace", "--launcher", "none", "--format", "json", "-q"]
    found = CliRunner().invoke(main, words, prog_name="trainlint", standalone_mode=False)
    (one,) = json.loads(found.stdout)["results"]
    return one


def facts(result: Result) -> list[dict]:
    """Return the results of --format json."""
    assert result.stdout, result.exception
    found: list[dict] = json.loads(result.stdout)["results"]
    return found


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every file and folder below one, with size and time."""
    return {
        os.path.relpath(os.path.join(here, name), folder): (os.lstat(os.path.join(here, name)).st_size, 0)
        for here, folders, files in os.walk(folder)
        for name in (*folders, *files)
    }
