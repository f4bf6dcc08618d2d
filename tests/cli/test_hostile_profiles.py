# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Profiles in a project's folder that nobody traced: named, passed over, and no other verdict for it."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path

import pytest

from tests.estimate.mutants import corrupted, opened, seal

from .conftest import Command, unfolded

EXAMPLE = Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml"
CHECK = ("check", "a.yml", "-t", "rtx-3060", "--no-trace", "--format", "json")


@pytest.fixture
def project(tmp_path):
    """Return a project, the profile that it has stored of its one job, and the verdict without it."""
    command = Command(tmp_path)
    command.write("a.yml", EXAMPLE.read_bytes())
    shipped = json.loads(command(*CHECK).stdout)
    done = command("trace", "a.yml", "--no-trace")
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / ".trainlint" / "profiles").iterdir()
    return command, path, shipped["results"]


def judged(command: Command, why: str) -> list[dict]:
    done = command(*CHECK)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [why in note for note in report["notes"]] == [True]
    return report["results"]


def bomb(path: Path) -> None:
    line, _, _ = path.read_bytes().partition(b"\n")
    path.write_bytes(line + b"\n" + lzma.compress(bytes(2**30), preset=0))


def put(path: Path, make) -> None:
    path.unlink()
    make()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.write_bytes(corrupted(path.read_bytes(), 7)), "profile not used, it is "),
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "it is damaged (cut short"),
        pytest.param(bomb, "it is damaged (cut short", marks=pytest.mark.rest),
        (
            lambda path: put(path, lambda: path.symlink_to("/dev/zero")),
            "it is a link that leads out of the project",
        ),
        (lambda path: put(path, lambda: os.mkfifo(path)), "it is not a regular file"),
        (lambda path: put(path, lambda: path.write_bytes(bytes(2**22))), "it is larger than"),
    ],
)
def test_what_cannot_be_believed_changes_no_verdict(project, spoil, why):
    command, path, shipped = project
    spoil(path)
    assert judged(command, why) == shipped
    assert shipped[0]["facts"]["memory"]["source"] == "shipped"


def test_a_name_in_a_profile_is_printed_as_text(project):
    command, path, _ = project
    header, body = opened(path.read_bytes())
    header["networks"][0]["arch"] = "\x1b[31mNet\n::error::x"
    path.write_bytes(seal(header, body))
    done = command("trace", "a.yml", "--no-trace")
    assert done.returncode == 0, done.stderr
    assert "Net" in done.stdout
    assert "\x1b" not in done.stdout
    assert not any(line.startswith("::") for line in done.stdout.splitlines())


def test_a_figure_of_a_forged_profile_is_said_to_be_the_projects(project):
    command, path, shipped = project
    header, body = opened(path.read_bytes())
    body["sizes"]["batch"] = [size * 50 for size in body["sizes"]["batch"]]
    path.write_bytes(seal(header, body))
    done = command(*CHECK)
    assert done.returncode == 1
    (result,) = json.loads(done.stdout)["results"]
    assert (result["outcome"], result["facts"]["memory"]["source"]) == ("fail", "project")
    words = unfolded(command(*CHECK[:-2]).stdout)
    assert "does not fit, by a profile that the project has stored" in words
    assert shipped[0]["outcome"] != "fail"


def smaller(path: Path, change) -> None:
    header, body = opened(path.read_bytes())
    change(header)
    path.write_bytes(seal(header, body))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda header: header["networks"][0].update(arch="Tiny"), "its generator is not the step's"),
        (lambda header: header.update(networks=[]), "it lacks the generator of its step"),
        (lambda header: header["networks"][0].update(parameters=7, trainable=7), "and are said to be 7"),
        (lambda header: header["step"].update({"crop.lq": 8}), "its key is not its step's"),
    ],
)
def test_a_profile_that_contradicts_its_own_step_is_refused(project, change, why):
    command, path, shipped = project
    smaller(path, change)
    assert (done := json.loads(command(*CHECK).stdout))["results"] == shipped, done["notes"]
    assert why in done["notes"][0], done["notes"]


def at_a_tenth(body: dict, *kinds: str) -> None:
    """Make the storages of some kinds a tenth of what they are."""
    sizes, blocks = body["sizes"], body["blocks"]
    count = len(sizes["const"])
    for column in sizes.values():
        column += [number // 10 for number in column]
    blocks["size"] = [
        count + size if body["words"][kind] in kinds else size
        for size, kind in zip(blocks["size"], blocks["kind"], strict=True)
    ]


@pytest.mark.parametrize(
    ("of_operators", "why"),
    [
        (False, "its storages are too small for what its convolutions make"),
        (True, "what its convolutions write is not what their shapes make"),
    ],
)
def test_storages_smaller_than_what_convolutions_make_are_refused(project, of_operators, why):
    command, path, shipped = project
    header, body = opened(path.read_bytes())
    count = len(body["sizes"]["const"])
    at_a_tenth(body, "activations", "losses", "workspace", "other")
    if of_operators:
        body["ops"]["written"] = [count + size for size in body["ops"]["written"]]
    path.write_bytes(seal(header, body))
    assert (done := json.loads(command(*CHECK).stdout))["results"] == shipped, done["notes"]
    assert why in done["notes"][0], done["notes"]


def test_a_profile_of_smaller_gradients_is_believed_and_said_to_be_the_projects(project):
    command, path, shipped = project
    header, body = opened(path.read_bytes())
    at_a_tenth(body, "gradients", "optimizer")
    path.write_bytes(seal(header, body))
    (result,) = json.loads(command(*CHECK).stdout)["results"]
    memory, before = result["facts"]["memory"], shipped[0]["facts"]["memory"]
    assert (result["verdicts"]["memory"], memory["source"]) == ("pass", "project")
    assert memory["gpus"][0]["least"] < before["gpus"][0]["least"]
    assert "by a profile that the project has stored" in command(*CHECK[:-2]).stdout


def test_a_figure_of_the_project_is_said_to_be_its_own(project):
    command, _, _ = project
    (result,) = json.loads(command(*CHECK).stdout)["results"]
    assert result["facts"]["memory"]["source"] == "project"
    shown = command("check", "a.yml", "-t", "rtx-3060", "--no-trace").stdout
    assert "by a profile that the project has stored" in shown
