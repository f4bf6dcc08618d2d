# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a trainer's source is looked for, and what is never read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainlint.files import enclosing_folders
from trainlint.files.enclosing_folders import folders_above, folders_of_script, inside
from trainlint.model.trainer import Named, Signs
from trainlint.repository.trainer import identify

SIGNS = Signs(as_of="2026-01", markers=("pkg/options.py",))


def lay(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def found(config: Path, named: Named | None = None):
    return identify("toy", SIGNS, str(config), "", named)


def test_a_repository_ends_the_search(tmp_path):
    lay(tmp_path, "pkg/options.py")
    config = lay(tmp_path, "repo/conf/a.yml")
    (tmp_path / "repo" / ".git").mkdir()
    assert found(config).basis == "config"
    marker = lay(tmp_path, "repo/pkg/options.py")
    assert (found(config).basis, found(config).path) == ("source", str(marker))


def test_without_a_repository_the_working_directory_does(tmp_path, monkeypatch):
    config = lay(tmp_path, "work/conf/a.yml")
    lay(tmp_path, "pkg/options.py")
    monkeypatch.chdir(tmp_path / "work")
    assert found(config).basis == "config"
    monkeypatch.chdir(tmp_path)
    assert found(config).basis == "source"
    assert identify("toy", SIGNS, os.path.relpath(config), "", None).basis == "source"


def test_outside_of_both_there_is_only_its_own_folder(tmp_path, monkeypatch):
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    config = lay(tmp_path, "a/b/c.yml")
    lay(tmp_path, "pkg/options.py")
    assert list(folders_above(str(config))) == [config.parent]
    assert found(config).basis == "config"


def test_above_a_script_are_no_package_and_nobody_else_s_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config, script = lay(tmp_path, "conf/a.yml"), lay(tmp_path, "tools/repo/pkg/train.py")
    lay(tmp_path, "tools/repo/pkg/__init__.py")

    def around(owners: dict[Path, int]) -> list[Path]:
        monkeypatch.setattr(enclosing_folders, "_owner", lambda folder: owners.get(folder, 1))
        return list(folders_of_script(str(script), str(config)))

    repo = tmp_path / "tools/repo"
    assert around({}) == [repo, tmp_path / "tools", tmp_path]
    assert around({tmp_path / "tools": 2}) == [repo]
    assert around({repo: 2, repo / "pkg": 2}) == []
    monkeypatch.chdir(repo)
    assert around({}) == [repo]
    monkeypatch.chdir(tmp_path / "conf")
    assert around({}) == []


def test_links_are_not_followed_out(tmp_path):
    outside = lay(tmp_path, "outside/options.py")
    config = lay(tmp_path, "repo/a.yml")
    (tmp_path / "repo" / ".git").mkdir()
    (tmp_path / "repo" / "pkg").symlink_to(outside.parent)
    assert inside(tmp_path / "repo", "pkg/options.py") is None
    assert inside(tmp_path / "repo", "../outside/options.py") is None
    assert found(config).basis == "config"


def test_who_is_named_wins_over_what_lies_around(tmp_path):
    config = lay(tmp_path, "repo/a.yml")
    (tmp_path / "repo" / ".git").mkdir()
    lay(tmp_path, "repo/pkg/options.py")
    trainer = found(config, Named("toy", "flag"))
    assert (trainer.basis, trainer.named, trainer.path) == ("flag", True, None)
    assert found(config, Named("another", "flag")).basis == "source"


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("VERSION", "1.4.2\n", "1.4.2"),
        ("pyproject.toml", '[project]\nname = "x"\nversion = "0.3.1"\n', "0.3.1"),
        ("pyproject.toml", '[project]\ndynamic = ["version"]\n', None),
    ],
)
def test_the_version_is_what_the_repository_states(tmp_path, name, text, version):
    config = lay(tmp_path, "a.yml")
    (tmp_path / ".git").mkdir()
    lay(tmp_path, "pkg/options.py")
    lay(tmp_path, name, text)
    assert found(config).version == version
