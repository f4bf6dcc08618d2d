# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""HOME and the cache inside what is linted, or of somebody else, are not the user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trainlint.settings import settings_file
from trainlint.settings.settings_file import load_settings
from trainlint.shipped.own_cache import is_own


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = tmp_path / "tree"
    (tree / ".config/trainlint").mkdir(parents=True)
    (tree / ".config/trainlint/settings.toml").write_text(
        f"python = '{sys.executable}'\ntarget = 't4'\n", "utf-8"
    )
    (tree / "a.yml").write_text("a: 1\n", "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tree / ".config"))
    monkeypatch.chdir(tree)
    return tree


def test_a_folder_that_is_linted_names_no_code_to_run(tree: Path) -> None:
    settings = load_settings(Path())
    assert (settings.python, settings.target) == (None, ("t4",))


@pytest.mark.parametrize("mark", [".git/HEAD", "trainlint.toml"])
def test_nor_does_the_project_around_a_file(tree: Path, mark: str) -> None:
    (tree / mark).parent.mkdir(exist_ok=True)
    (tree / mark).write_text("", "utf-8")
    assert load_settings(Path("a.yml")).python is None


def test_nor_does_the_folder_of_a_single_file_unless_it_is_the_accounts_home(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings(Path("a.yml")).python is None
    monkeypatch.setattr(settings_file, "_home_by_account", lambda: tree)
    assert load_settings(Path("a.yml")).python is not None


def test_the_users_own_settings_do(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / ".config").rename(tmp_path / "home")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert load_settings(Path()).python is not None


def test_a_cache_in_the_repository_or_of_another_owner_is_not_used(tree: Path, tmp_path: Path) -> None:
    assert is_own(tmp_path / "cache/trainlint")
    assert not is_own(tree / ".cache", tree)
    (tree / ".git").mkdir()
    assert not is_own(tree / ".cache")
    if os.geteuid() == 0:
        (tmp_path / "theirs").mkdir()
        os.chown(tmp_path / "theirs", 12345, 12345)
        assert not is_own(tmp_path / "theirs")
        assert is_own(tmp_path / "theirs/trainlint/profiles")  # a home of another account's, in a container


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
@pytest.mark.parametrize("made", ["folder", "link"])
def test_nor_is_a_new_folder_in_one_of_another_owner(tmp_path: Path, made: str) -> None:
    """Who owns the folder could put a link in the place of what is made in it."""
    ours = tmp_path / "cache/trainlint"
    ours.parent.mkdir()
    if made == "link":
        (tmp_path / "elsewhere").mkdir()
        ours.symlink_to(tmp_path / "elsewhere")
    else:
        ours.mkdir()
    assert is_own(ours / "profiles")
    os.chown(ours, 12345, 12345, follow_symlinks=False)
    assert not is_own(ours / "profiles")
