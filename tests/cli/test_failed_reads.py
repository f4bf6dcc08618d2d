# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file that the machine fails to read is never as if it were not there."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import trainlint
from tests.warm_cache import warm
from trainlint.errors import UsageError
from trainlint.files import safe_open
from trainlint.model.finding import Outcome
from trainlint.repository.environment.lock_files import MOST_LOCK_BYTES
from trainlint.repository.environment.requirements_nearby import MOST_PACKAGES, MOST_REQUIREMENTS_BYTES

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml"
FORCED = "python basicsr/train.py -opt options/a.yml --force_yml datasets:train:batch_size_per_gpu=4000\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (
        (".git/HEAD", ""),
        ("basicsr/train.py", ""),
        ("options/a.yml", EXAMPLE.read_text("utf-8")),
        ("train.sh", FORCED),
        ("requirements.txt", "torch==2.1.0\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path.with_name(f"{tmp_path.name}-cache"))))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path.parent / "config"))
    return tmp_path


LOOKS = ("open", "stat", "lstat", "scandir")


def broken(monkeypatch: pytest.MonkeyPatch, name: str, number: int, looks: tuple[str, ...] = LOOKS) -> None:
    """Let every look at a file of a name fail."""

    def failing(work):
        def work_or_fail(path, *args, **options):
            if not isinstance(path, int) and Path(path).name == name:
                raise OSError(number, os.strerror(number), os.fspath(path))
            return work(path, *args, **options)

        return work_or_fail

    for place in looks:
        monkeypatch.setattr(os, place, failing(getattr(os, place)))


def check():
    return trainlint.check(["options/a.yml"], targets=["rtx-3060"], trace=False).results


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO, errno.ESTALE])
@pytest.mark.parametrize("name", ["train.sh", "requirements.txt"])
def test_a_neighbour_that_cannot_be_read_leaves_nothing_judged(tree, monkeypatch, name, number) -> None:
    with monkeypatch.context() as patch:
        broken(patch, name, number)
        (result,) = check()
    assert result.outcome is Outcome.UNREADABLE
    assert name in result.findings[0].message
    assert os.strerror(number).lower() in result.findings[0].message
    assert {one.outcome for one in check()} == {Outcome.FAIL}  # and nothing of it is remembered


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_script_that_the_user_may_not_open_starts_nothing_of_theirs(tree, monkeypatch, number) -> None:
    """They cannot run it either; who may is told what it starts."""
    broken(monkeypatch, "train.sh", number, ("open",))
    (result,) = check()
    assert result.outcome is not Outcome.UNREADABLE
    assert "4000" not in str(result.variant)
    assert Outcome.FAIL not in {finding.level for finding in result.findings}
    monkeypatch.undo()


def test_what_git_ignores_is_not_guessed(tree, monkeypatch) -> None:
    (tree / ".gitignore").write_text("options\n", "utf-8")
    with monkeypatch.context() as patch:
        broken(patch, ".gitignore", errno.EIO)
        with pytest.raises(UsageError, match=r"gitignore\" cannot be read: input/output error"):
            trainlint.check(["."], targets=["rtx-3060"], trace=False)


def test_a_folder_of_scripts_that_cannot_be_listed_leaves_nothing_judged(tree, monkeypatch) -> None:
    (tree / "scripts").mkdir()
    with monkeypatch.context() as patch:
        broken(patch, "scripts", errno.EIO)
        (result,) = check()
    assert result.outcome is Outcome.UNREADABLE


@pytest.mark.parametrize(
    ("number", "looks"),
    [(errno.EMFILE, LOOKS), (errno.EIO, LOOKS), (errno.EACCES, ("open",)), (errno.EPERM, ("open",))],
)
def test_settings_that_cannot_be_read_end_the_run(tree, monkeypatch, number, looks) -> None:
    (tree / "trainlint.toml").write_text('target = "t4"\n', "utf-8")
    broken(monkeypatch, "trainlint.toml", number, looks)
    with pytest.raises(UsageError, match="cannot read the settings"):
        check()


def test_what_is_not_there_is_no_failure(tree) -> None:
    safe_open.failures(forget=True)
    assert not safe_open.is_file(tree / "nowhere")
    assert safe_open.failures() == ()


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "requirements.txt",
            f"torch==1.7.0\n# {'x' * MOST_REQUIREMENTS_BYTES}\n",
            "larger than 2,097,152 bytes",
        ),
        ("uv.lock", f"# {'x' * MOST_LOCK_BYTES}\n", "larger than 8,388,608 bytes"),
        ("requirements.txt", "torch>1.7\n" * (MOST_PACKAGES + 1), "more than 200 times"),
    ],
)
def test_what_is_too_large_to_say_what_is_installed_leaves_nothing_judged(tree, name, text, why) -> None:
    (tree / name).write_text(text, "utf-8")
    for _ in range(2):
        (result,) = check()
        assert result.outcome is Outcome.UNREADABLE
        assert why in result.findings[0].message
