# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Paths to candidates: folders as git sees them, globs, order, each file once."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainlint.documents.discover import InputFile, discover
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import load_source


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *names: str, text: str = "a: 1\n") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [Path(candidate.path).as_posix() for candidate in discover(paths, exclude)]


def test_folder_is_sorted_and_holds_only_known_suffixes(tree: Path) -> None:
    write(
        tree,
        "c/b.yml",
        "c/a.json",
        "c/x.py",
        "c/sub/t.toml",
        "c/run.sh",
        "c/.git/x.yml",
        "c/node_modules/x.json",
        "c/own.egg-info/SOURCES.txt",
        "c/.vscode/settings.json",
    )
    write(tree, "c/env/pyvenv.cfg", "c/env/x.yml")
    assert found("c") == ["c/a.json", "c/b.yml", "c/run.sh", "c/sub/t.toml"]
    assert found(".")[0] == "c/a.json"
    assert not any(candidate.explicit for candidate in discover(["c"]))


def test_named_file_is_explicit_and_comes_once(tree: Path) -> None:
    write(tree, "c/a.yml", "c/x.py")
    assert list(discover(["c/x.py", "c/a.yml", "c", "./c/a.yml"])) == [
        InputFile("c/x.py", explicit=True),
        InputFile("c/a.yml", explicit=True),
    ]


def test_gitignore_nested_negated_and_from_above(tree: Path) -> None:
    write(tree, "repo/.gitignore", text="out/\n/top.yml\n*.tmp.yml\n")
    write(tree, "repo/c/.gitignore", text="secret.yml\n!keep.tmp.yml\n")
    write(tree, "repo/.git/info/exclude", text="mine.yml\n")
    write(tree, "repo/top.yml", "repo/c/top.yml", "repo/out/a.yml", "repo/c/out/a.yml")
    write(
        tree,
        "repo/c/secret.yml",
        "repo/secret.yml",
        "repo/c/keep.tmp.yml",
        "repo/c/x.tmp.yml",
        "repo/c/mine.yml",
    )
    assert found("repo") == ["repo/c/keep.tmp.yml", "repo/c/top.yml", "repo/secret.yml"]
    assert found("repo/c") == ["repo/c/keep.tmp.yml", "repo/c/top.yml"]
    assert found("repo/out") == ["repo/out/a.yml"]
    assert found("repo/c/secret.yml") == ["repo/c/secret.yml"]


def test_gitignore_holds_without_a_repository(tree: Path) -> None:
    write(tree, "c/.gitignore", text="b.yml\n")
    write(tree, "c/a.yml", "c/b.yml")
    assert found("c") == ["c/a.yml"]


def test_globs_and_missing_paths(tree: Path) -> None:
    write(tree, "c/a.yml", "c/b.yml", "c/d/e.yml", "c/[x].yml")
    assert found("c/*.yml") == ["c/[x].yml", "c/a.yml", "c/b.yml"]
    assert found("c/**/e.yml") == ["c/d/e.yml"]
    assert found("c/[x].yml") == ["c/[x].yml"]
    with pytest.raises(UsageError, match=r'no such file or folder: "no\.yml"'):
        found("no.yml")
    with pytest.raises(UsageError, match=r'nothing matches "c/\*\.toml"'):
        found("c/*.toml")


def test_exclude_applies_to_folders_only(tree: Path) -> None:
    write(tree, "c/a.yml", "c/old/b.yml")
    assert found("c", exclude=("old",)) == ["c/a.yml"]
    assert found("c/old/b.yml", exclude=("old", "*.yml")) == ["c/old/b.yml"]


def test_links_do_not_loop(tree: Path) -> None:
    write(tree, "c/a.yml")
    (tree / "c/loop").symlink_to(tree / "c", target_is_directory=True)
    (tree / "c/gone.yml").symlink_to(tree / "nowhere.yml")
    assert found("c") == ["c/a.yml"]


def test_lists_of_images_are_no_commands(tree: Path) -> None:
    write(tree, "c/meta_info.txt", text="0001.png (480,480,3)\n" * 20_000)
    write(tree, "c/command.txt", text="python train.py\n")
    assert found("c") == ["c/command.txt"]


CALLS = "from trl import SFTTrainer\n\nSFTTrainer('Qwen/Qwen3-4B').train()\n"


def test_programs_that_make_a_trainer_are_looked_at(tree: Path) -> None:
    write(tree, "train.py", "tests/train.py", "test_own.py", text=CALLS)
    write(tree, "other.py", text="from own import Trainer\n\nTrainer().train()\n")
    write(tree, "helper.py", text="import trl\n")
    assert found(".") == ["train.py"]
    assert found("other.py") == ["other.py"]


def test_a_program_of_one_long_word_is_none(tree: Path) -> None:
    """A pattern that tries every beginning of a word takes minutes for it."""
    write(tree, "train.py", text=f"import trl\n{'a' * 240_000}\n")
    assert found(".") == []


def test_unreadable_folder_is_reported_when_it_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "c/a.yml", "c/no/b.yml")
    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, closed(getattr(os, name)))
    assert found("c") == ["c/a.yml", "c/no"]
    with pytest.raises(UnreadableError, match="permission denied"):
        load_source("c/no")


def closed(real: Callable[[str], Any]) -> Callable[[str], Any]:
    """Imitate a folder without read permission (root may read every real one)."""

    def look(path: str) -> Any:
        if str(path).endswith("no"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path)

    return look


@pytest.fixture
def locked(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose owner lets nobody in, as every system call sees it (tests may run as root)."""
    write(tree, "c/a.yml", "c/locked/b.yml")
    inside = os.fspath(tree / "c" / "locked")

    def guard(name: str, *, itself: bool) -> None:
        real: Callable[..., Any] = getattr(os, name)

        def call(path: Any = ".", *rest: Any, **options: Any) -> Any:
            full = "" if isinstance(path, int) else os.fspath(tree / path)
            if full.startswith(inside + os.sep) or (itself and full == inside):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path, *rest, **options)

        monkeypatch.setattr(os, name, call)

    for name in ("stat", "lstat"):
        guard(name, itself=False)
    for name in ("scandir", "listdir"):
        guard(name, itself=True)
    return tree / "c" / "locked"


def test_a_locked_folder_is_a_candidate_and_the_others_are_found(locked: Path) -> None:
    assert found("c") == ["c/a.yml", "c/locked"]
    assert found("c/locked") == ["c/locked"]
    with pytest.raises(UnreadableError, match="permission denied"):
        load_source("c/locked")


def test_a_file_or_glob_in_a_locked_folder_is_a_candidate(locked: Path) -> None:
    assert found("c/locked/b.yml", "c/a.yml") == ["c/locked/b.yml", "c/a.yml"]
    assert found("c/locked/*.yml", "c/a.yml") == ["c/locked", "c/a.yml"]
    with pytest.raises(UsageError, match="nothing matches"):
        found("c/*.json")


def test_trainlints_own_settings_are_no_config(tree: Path) -> None:
    write(tree, "c/a.toml", "c/trainlint.toml")
    assert found("c") == ["c/a.toml"]
    assert found("c/trainlint.toml") == ["c/trainlint.toml"]


def test_what_macos_keeps_beside_a_file_is_none(tree: Path) -> None:
    write(tree, "c/a.yml", "c/._a.yml")
    assert found("c") == ["c/a.yml"]
