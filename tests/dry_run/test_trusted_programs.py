# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Who may start a program: the user by `dry-run`, or by `trace` in a folder that their settings trust."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.estimate.toy_tapes import MIB, stored, two_steps
from trainlint.cli.main import main
from trainlint.errors import UsageError
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape import Network
from trainlint.tape.step import key_of

from .conftest import OWN, SCRIPT, check

ARGUMENTS = ("-t", "rtx-3060", "-q")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, *ARGUMENTS], prog_name="trainlint", standalone_mode=False)


@pytest.fixture
def trust(tmp_path, monkeypatch):
    """Return what writes the user's settings, which lie in no linted tree."""
    monkeypatch.setattr("trainlint.settings.settings_file.user_settings_file", lambda: tmp_path / "own.toml")

    def write(*folders: Path | str) -> None:
        (tmp_path / "own.toml").write_text(f"trusted = {json.dumps([*map(str, folders)])}\n")

    return write


@pytest.fixture
def started(monkeypatch) -> list[str]:
    """Return the programs that are started, of which none runs."""
    programs: list[str] = []

    def refuse(program, *_args, **_options):
        programs.append(program.name)
        raise UsageError("started")

    monkeypatch.setattr("trainlint.dry_run.dry_run.rehearsing", refuse)
    return programs


def test_nothing_is_started_unasked(checkout, started):
    (checkout / "basicsr" / "models" / "own_model.py").write_text("open('executed', 'w').close()\n")
    for words in (["check"], ["trace"], ["fit"], ["explain"], ["trace", "--run-code"]):
        run(*words, "options/own.yml")
    assert started == []
    assert not (checkout / "executed").exists()


@pytest.mark.parametrize(
    ("name", "table"), [("trainlint.toml", ""), ("pyproject.toml", "[tool.trainlint]\n")]
)
def test_no_setting_of_the_tree_grants_it(name, table, checkout, started):
    (checkout / name).write_text(f'{table}trusted = ["."]\n')
    assert "would run code of the linted tree" in str(run("trace", "options/own.yml").exception)
    assert started == []


@pytest.mark.parametrize("folder", ["/", "~", str(Path.home().parent)])
def test_nobody_may_trust_all(folder, checkout, trust, started):
    trust(folder)
    assert "not a whole disk or your home" in str(run("trace", "options/own.yml").exception)
    assert started == []


@pytest.mark.process
def test_trace_runs_what_is_trusted_and_check_knows_it(checkout, trust):
    trust(checkout)
    ran = run("trace", "options/own.yml")
    assert (ran.return_value, ran.exception) == (0, None), ran.output
    assert "dry run of options/own.yml" in ran.stdout
    assert check("options/own.yml")["facts"]["memory"]["source"] == "project"
    for profile in (checkout / ".trainlint" / "profiles").iterdir():
        assert str(checkout) not in profile.read_bytes().partition(b"\n")[0].decode()


def test_only_trace_starts_what_is_trusted(checkout, trust, started):
    trust(checkout)
    for words in (["check"], ["fit"], ["explain"]):
        run(*words, "options/own.yml")
    assert started == []
    assert run("trace", "options/own.yml").return_value == 1
    assert started == ["basicsr/train.py"]


def test_a_folder_next_to_it_is_not_trusted(checkout, trust, started, tmp_path):
    (tmp_path / "another").mkdir()
    trust(tmp_path / "another")
    assert run("trace", "options/own.yml").return_value == 1
    assert started == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("linked", ["basicsr/train.py", "options/own.yml"])
def test_a_link_leads_to_nothing_that_is_not_trusted(linked, checkout, trust, started, tmp_path):
    text = {"basicsr/train.py": SCRIPT, "options/own.yml": OWN}[linked]
    (tmp_path / "elsewhere").write_text(text)
    (checkout / linked).unlink()
    (checkout / linked).symlink_to(tmp_path / "elsewhere")
    trust(checkout)
    run("trace", "options/own.yml")
    assert started == []


@pytest.mark.process
def test_a_program_that_comes_to_no_step_is_named(checkout, trust):
    (checkout / "basicsr" / "train.py").write_text("raise KeyError('lr')\n")
    trust(checkout)
    ran = run("trace", "options/own.yml")
    assert ran.return_value == 1
    said = " ".join(ran.stderr.split())
    assert "options/own.yml: its program came to no step: trainlint dry-run options/own.yml says why" in said


def test_run_code_names_the_dry_run(checkout):
    (checkout / "options" / "other.yml").write_text(OWN)
    work = "-t rtx-3060 options/{} runs the program itself and stores what it needs{}"
    for path, name, more in (
        ("options/own.yml", "own.yml", ""),
        ("options", "other.yml", ", and so for each of the others"),
    ):
        said = str(run("trace", "--run-code", path).exception)
        assert said == f"--run-code is gone: trainlint dry-run --store {work.format(name, more)}"


def test_run_code_without_a_known_program_names_the_form(project):
    (project / "own.yml").write_text(OWN)
    said = str(run("trace", "--run-code", "own.yml").exception)
    assert said.startswith("--run-code is gone: trainlint dry-run --store -- COMMAND runs the program itself")


OF_RUN_CODE = {"own": {"networks": {"MSRResNet": "basicsr/archs/mine.py:MSRResNet"}}}


@pytest.mark.parametrize("own", [OF_RUN_CODE, {}])
def test_a_profile_of_run_code_is_said_to_be_of_no_use(own, checkout):
    step = {"networks.generator.arch": "MSRResNet", **own}
    tape = stored(two_steps(MIB, MIB)).tape(networks=(Network("generator", "MSRResNet", 1, 1),))
    Store(checkout / ".trainlint" / "profiles").save(replace(tape, step=step, key=key_of(step)))
    result = check("options/own.yml")
    assert result["facts"]["memory"] is None
    why = result["facts"]["missing"]["memory"]
    assert ("; the profile that trace --run-code stored is not read any more; " in why) is bool(own)
    assert "; trainlint dry-run --store -t rtx-3060 options/own.yml runs the program itself" in why
