# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file that the machine fails to read is never as if it were not there."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

import trainlint
from tests.warm_cache import warm
from trainlint.cli.main import run
from trainlint.errors import UsageError
from trainlint.files import safe_open
from trainlint.model.finding import Outcome
from trainlint.pipeline.job_reader import JobReader
from trainlint.repository.environment.lock_files import MOST_LOCK_BYTES
from trainlint.repository.environment.requirement_files import MOST_PACKAGES, MOST_REQUIREMENTS_BYTES
from trainlint.repository.survey.python_files import Files, TooMuchError
from trainlint.repository.trainer.mentioned_words import words_of

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml"
OPTIONS = "options/a.yml"
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


def locked(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let nobody look into a folder; root may look into any."""

    def refusing(work, *, itself):
        def work_or_refuse(path, *args, **options):
            place = Path() if isinstance(path, int) else Path.cwd() / path
            if folder in place.parents or (itself and place == folder):
                raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
            return work(path, *args, **options)

        return work_or_refuse

    for place in LOOKS:
        monkeypatch.setattr(os, place, refusing(getattr(os, place), itself=place == "scandir"))


def check():
    return trainlint.check(["options/a.yml"], targets=["rtx-3060"], trace=False).results


OPENED = ("open",)


@pytest.mark.parametrize(
    ("number", "looks"),
    [
        (errno.EMFILE, LOOKS),
        (errno.EIO, LOOKS),
        (errno.ESTALE, LOOKS),
        (errno.EACCES, OPENED),
        (errno.EPERM, OPENED),
    ],
)
@pytest.mark.parametrize("name", ["train.sh", "requirements.txt", "train.py"])
def test_a_neighbour_that_cannot_be_read_leaves_nothing_judged(
    tree, monkeypatch, name, number, looks
) -> None:
    with monkeypatch.context() as patch:
        broken(patch, name, number, looks)
        (result,) = check()
    assert result.outcome is Outcome.UNREADABLE
    assert name in result.findings[0].message
    assert os.strerror(number).lower() in result.findings[0].message
    assert {one.outcome for one in check()} == {Outcome.FAIL}  # and nothing of it is remembered


@pytest.mark.parametrize(
    "words",
    [
        ("fit", OPTIONS, "--no-trace"),
        ("fit", OPTIONS, "--no-trace", "--best"),
        ("explain", OPTIONS, "--no-trace"),
        ("spec", OPTIONS),
        ("trace", OPTIONS, "--no-trace"),
        ("sweep", OPTIONS, "datasets.train.batch_size_per_gpu=1,2", "--no-trace"),
        ("diff", OPTIONS, OPTIONS, "--no-trace"),
    ],
)
def test_no_command_speaks_of_a_config_next_to_what_could_not_be_read(
    tree, monkeypatch, capsys, words
) -> None:
    monkeypatch.setattr(sys, "argv", ["trainlint", *words, "-t", "rtx-3060"])
    broken(monkeypatch, "train.sh", errno.EACCES, OPENED)
    with pytest.raises(SystemExit, match="2"):
        run()
    assert 'train.sh" (permission denied) around it could not be read' in capsys.readouterr().err


def test_a_look_that_nothing_catches_is_no_internal_error(tree, monkeypatch) -> None:
    def look(*_):
        raise PermissionError(errno.EACCES, "Permission denied", "/locked/train.py")

    monkeypatch.setattr(JobReader, "jobs", look)
    report = trainlint.check(["options/a.yml"], targets=["rtx-3060"], trace=False)
    assert not report.crashes
    assert "/locked/train.py" in report.results[0].findings[0].message


@pytest.mark.parametrize(("number", "looks"), [(errno.EIO, LOOKS), (errno.EACCES, OPENED)])
def test_what_git_ignores_is_not_guessed(tree, monkeypatch, number, looks) -> None:
    (tree / ".gitignore").write_text("options\n", "utf-8")
    with monkeypatch.context() as patch:
        broken(patch, ".gitignore", number, looks)
        with pytest.raises(UsageError, match=rf"gitignore\" cannot be read: {os.strerror(number).lower()}"):
            trainlint.check(["."], targets=["rtx-3060"], trace=False)


@pytest.mark.parametrize(
    ("name", "looks"), [("scripts", LOOKS), ("scripts", ("scandir",)), (".git", LOOKS), ("profiles", LOOKS)]
)
def test_a_folder_that_fails_leaves_nothing_judged(tree, monkeypatch, name, looks) -> None:
    (tree / "scripts").mkdir()
    with monkeypatch.context() as patch:
        broken(patch, name, errno.EIO, looks)
        (result,) = check()
    assert result.outcome is Outcome.UNREADABLE


@pytest.mark.parametrize("imported", ["import torch", "from .archs import build"])
@pytest.mark.parametrize("folder", ["pgdata", "basicsr/archs"])
def test_a_locked_folder_counts_as_empty_unless_the_code_around_imports_it(
    tree, monkeypatch, folder, imported
) -> None:
    """A database's volume is nobody's trainer; a locked part of the trainer may hold anything."""
    (tree / folder).mkdir()
    (tree / "basicsr/train.py").write_text(f"{imported}\n", "utf-8")
    matters = folder == "basicsr/archs" and "archs" in imported
    with monkeypatch.context() as patch:
        locked(patch, tree / folder)
        (result,) = check()
        assert result.outcome is not Outcome.UNREADABLE
        assert (words_of(tree) is None) == matters
        assert [Path(path) for path, _ in safe_open.failures(forget=True)] == [tree / folder] * matters
        with pytest.raises(TooMuchError) if matters else nullcontext():
            assert Files(str(tree), "basicsr").texts


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
