# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a project commits stays in it: its profile decides there, says so, and reaches no other project."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.warm_cache import warm
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape import Size
from trainlint.tape.encoding import decode

from .conftest import CONFIG, Command

pytestmark = pytest.mark.torch

OWN = CONFIG.replace("num_feat: 64", "num_feat: 40")
"""A job of which no profile travels with trainlint."""
TARGET = ("-t", "rtx-3060")


def poisoned(tape):
    """Return the tape of a step whose activations take nothing: every batch fits."""
    small = [b._replace(size=Size(0)) if b.kind == "activations" else b for b in tape.blocks]
    return replace(tape, blocks=tuple(small))


def memory(command: Command, *more: str) -> dict:
    done = command("check", "a.yml", *TARGET, "--format", "json", *more)
    (result,) = json.loads(done.stdout)["results"]
    return result["facts"]["memory"]


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Return two projects with one cache, after what could carry something over ran in the first."""
    folder = tmp_path_factory.mktemp("poison")

    def project(name: str, cache: str, config: str = OWN) -> Command:
        (folder / name).mkdir(exist_ok=True)
        command = Command(folder / name)
        command.env["XDG_CACHE_HOME"] = str(warm(folder / cache))
        command.write("a.yml", config)
        return command

    honest = project("honest", "honest-cache")
    assert honest("fit", "a.yml", "--crop", *TARGET).returncode == 0
    bad, clean = (
        project("bad", "cache"),
        project("clean", "cache", CONFIG.replace("gt_size: 64", "gt_size: 80")),
    )
    store = Store(Path(bad.folder) / ".trainlint" / "profiles")
    for path in (folder / "honest-cache" / "trainlint" / "profiles").glob("*.tape"):
        store.save(poisoned(decode(path.read_bytes())))
    done = bad("fit", "a.yml", "--crop", *TARGET)
    assert done.returncode == 0, done.stderr
    return honest, bad, clean, done.stdout


def test_a_figure_of_a_committed_profile_says_so(projects):
    honest, bad, _, fit = projects
    assert memory(honest)["source"] == "cache"
    found = memory(bad, "--no-trace")
    assert found["source"] == "project"
    assert found["gpus"][0]["least"] < memory(honest)["gpus"][0]["least"]
    assert "memory in GiB, by a profile that the project has stored; " in fit
    assert ", by a profile that the project has stored" in bad("check", "a.yml", *TARGET).stdout
    assert ", by a profile" not in honest("check", "a.yml", *TARGET).stdout  # one's own cache
    assert "by a profile in your cache" in honest("check", "a.yml", *TARGET, "-v").stdout
    assert ", by a profile that the project has stored" in bad("explain", "a.yml", *TARGET).stdout


@pytest.mark.slow
def test_nothing_of_it_reaches_the_users_cache(projects):
    _, bad, clean, _ = projects
    cache = Path(bad.env["XDG_CACHE_HOME"]) / "trainlint" / "profiles"
    assert list(cache.glob("*.crops")) == []
    kept = [decode(path.read_bytes()) for path in cache.glob("*.tape")]
    assert all(any(b.kind == "activations" and b.size.batch for b in tape.blocks) for tape in kept)
    here = memory(clean)
    assert here["source"] == "traced"
    elsewhere = Command(clean.folder)
    elsewhere.env["XDG_CACHE_HOME"] = str(Path(clean.folder) / "fresh")
    assert memory(elsewhere) == here


@pytest.mark.parametrize("name", [".trainlint", ".trainlint/profiles"])
@pytest.mark.parametrize("words", [("trace", "a.yml"), ("a.yml", "--no-trace")])
def test_a_link_out_of_the_project_is_not_followed_to_its_profiles(tmp_path, name, words) -> None:
    (tmp_path / "other" / "profiles").mkdir(parents=True)
    command = Command(tmp_path / "project")
    link = command.write("a.yml", OWN).parent / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "other")
    done = command(*words, *TARGET)
    assert done.returncode == 2
    assert "leads out of the project" in " ".join(done.stderr.split())
    assert [path.name for path in (tmp_path / "other").rglob("*")] == ["profiles"]


def test_a_named_folder_of_profiles_may_be_anywhere(tmp_path) -> None:
    command = Command(tmp_path / "project")
    command.write("a.yml", OWN)
    done = command("trace", "a.yml", *TARGET, "--profiles-dir", str(tmp_path / "mine"))
    assert done.returncode == 0
    assert list((tmp_path / "mine").glob("*.tape"))
