# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--fix against a hostile disk: nothing is lost, nothing is left, and what is refused is named."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from trainlint.errors import UsageError
from trainlint.files import atomic_write, replace_text
from trainlint.files.atomic_write import draft, draft_of, remove_leftover_draft
from trainlint.files.replace_text import write_back
from trainlint.files.text_source import load_source
from trainlint.model.document import Source

pytestmark = pytest.mark.process

AFTER = Source("c.yml", "a: good\n")


@pytest.fixture
def broken(variant) -> str:
    """A config with a typo that --fix corrects."""
    return variant(("use_hflip: true", "use_hflipp: true"))


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".trainlint")]


def refused(path: Path, match: str) -> None:
    before = load_source(str(path))
    with pytest.raises(UsageError, match=match):
        write_back(before, Source(str(path), "a: good\n"))
    assert load_source(str(path)).text == before.text
    assert left(path.parent) == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "c.yml"
    made.write_text("a: bad\n")
    return made


def test_a_fix_is_written_and_nothing_else_is_left(trainlint, broken) -> None:
    config = trainlint.write("c.yml", broken)
    assert trainlint("c.yml", "--fix", "--unsafe-fixes", "--no-trace").stderr.startswith("fixed c.yml")
    assert config.read_text() == broken.replace("hflipp", "hflip")
    assert left(trainlint.folder) == []


def test_a_read_only_file_is_refused_and_the_others_are_fixed(trainlint, broken) -> None:
    first, second = trainlint.write("a.yml", broken), trainlint.write("b.yml", broken)
    first.chmod(0o444)
    done = trainlint("a.yml", "b.yml", "--fix", "--unsafe-fixes", "--no-trace")
    assert done.returncode == 2
    assert '"a.yml" is read-only; --diff prints the change' in done.stderr
    assert "fixed b.yml" in done.stderr
    assert first.read_text() == broken
    assert stat.S_IMODE(first.stat().st_mode) == 0o444
    assert second.read_text() != broken


def test_hard_links_are_refused(trainlint, broken) -> None:
    config = trainlint.write("c.yml", broken)
    (trainlint.folder / "other").hardlink_to(config)
    done = trainlint("c.yml", "--fix", "--unsafe-fixes", "--no-trace")
    assert (done.returncode, "has 2 names (hard links)" in done.stderr) == (2, True)
    assert config.samefile(trainlint.folder / "other")
    assert config.read_text() == broken


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


@pytest.mark.parametrize("edit", [("--fix", "--unsafe-fixes"), ("--add-ignore", "a reason")])
def test_a_link_out_of_the_repository_is_refused(trainlint, broken, tmp_path_factory, edit) -> None:
    outside = tmp_path_factory.mktemp("outside") / "c.yml"
    outside.write_text(broken)
    (trainlint.folder / "c.yml").symlink_to(outside)
    (trainlint.folder / ".git").mkdir()
    inside = trainlint.write("inside.yml", broken)
    for named in (".", "c.yml"):
        done = trainlint(named, *edit, "--no-trace")
        assert done.returncode == 2
        assert f'"c.yml" is a link out of its repository, to "{outside}"' in done.stderr
        assert outside.read_text() == broken
        assert left(outside.parent) == left(trainlint.folder) == []
    assert inside.read_text() != broken


def test_a_link_within_the_repository_is_followed(trainlint, broken) -> None:
    (trainlint.folder / ".git").mkdir()
    config = trainlint.write("configs/c.yml", broken)
    (trainlint.folder / "c.yml").symlink_to("configs/c.yml")
    assert trainlint("c.yml", "--fix", "--unsafe-fixes", "--no-trace").returncode == 0
    assert config.read_text() != broken
    assert (trainlint.folder / "c.yml").is_symlink()


def test_a_full_disk_leaves_nothing(trainlint, broken) -> None:
    config = trainlint.write("c.yml", broken)
    done = subprocess.run(
        [sys.executable, "-m", "trainlint", "c.yml", "--fix", "--unsafe-fixes", "--no-trace"],
        cwd=trainlint.folder, env=trainlint.env, capture_output=True, encoding="utf-8", check=False,
        preexec_fn=_small_files,
    )  # fmt: skip
    assert done.returncode == 2
    assert 'cannot write "c.yml": file too large; it is unchanged' in done.stderr
    assert config.read_text() == broken
    assert left(trainlint.folder) == []


def test_a_file_that_changes_at_the_last_moment_is_left_alone(path, monkeypatch) -> None:
    real = os.fsync
    monkeypatch.setattr(
        "os.fsync", lambda descriptor: (path.write_text("a: bad # newer\n"), real(descriptor))
    )
    before = load_source(str(path))
    with pytest.raises(UsageError, match="was changed while it was linted"):
        write_back(before, AFTER)
    assert path.read_text() == "a: bad # newer\n"
    assert left(path.parent) == []


@pytest.mark.parametrize(
    "change", [lambda path: path.chmod(0o600), lambda path: path.with_name("link").hardlink_to(path)]
)
def test_a_file_whose_permissions_or_names_change_is_left_alone(path, monkeypatch, change) -> None:
    monkeypatch.setattr("os.fsync", lambda _: change(path))
    path.chmod(0o644)
    refused(path, "was changed")


def test_a_file_replaced_by_another_with_the_same_text_is_left_alone(path, monkeypatch) -> None:
    def swap(_: int) -> None:
        other = path.with_name("other")
        other.write_text("a: bad\n")
        other.replace(path)

    monkeypatch.setattr("os.fsync", swap)
    refused(path, "was changed")


def test_another_runs_file_is_left_alone(path) -> None:
    with draft(path.resolve(), "c.yml") as other:
        script = (
            "import sys; from trainlint.files.replace_text import write_back\n"
            "from trainlint.files.atomic_write import remove_leftover_draft\n"
            "from trainlint.files.text_source import load_source\n"
            "from trainlint.model.document import Source\n"
            "remove_leftover_draft(sys.argv[1])\n"
            "write_back(load_source(sys.argv[1]), Source(sys.argv[1], 'a: worse'))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
        )
        assert "is being fixed by another run of trainlint" in done.stderr
        assert path.read_text() == "a: bad\n"
        other.write(b"a: good\n")
        other.flush()
        draft_of(path).replace(path)
    assert path.read_text() == "a: good\n"
    assert left(path.parent) == []


def test_two_runs_at_once_lose_nothing(trainlint, broken) -> None:
    names = [f"{at}.yml" for at in range(6)]
    for name in names:
        trainlint.write(name, broken)
    command = [sys.executable, "-m", "trainlint", ".", "--fix", "--unsafe-fixes", "--no-trace"]
    runs = [
        subprocess.Popen(command, cwd=trainlint.folder, env=trainlint.env, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, encoding="utf-8")
        for _ in range(3)
    ]  # fmt: skip
    said = [run.communicate()[1] for run in runs]
    for name in names:
        assert (trainlint.folder / name).read_text() == broken.replace("hflipp", "hflip")
        assert sum(f"fixed {name}" in each for each in said) == 1
    assert left(trainlint.folder) == []
    for run, each in zip(runs, said, strict=True):
        assert run.returncode == (2 if "trainlint: " in each else 0), each


def test_what_a_killed_run_left_is_removed_by_the_next(trainlint, broken, config) -> None:
    for name, text in (("c.yml", broken), ("fine.yml", config)):
        trainlint.write(name, text)
        trainlint.write(f".{name}.trainlint", text[:50])
    assert len(left(trainlint.folder)) == 2
    done = trainlint(".", "--fix", "--unsafe-fixes", "--no-trace")
    assert done.stderr.count("fixed ") == 1
    assert left(trainlint.folder) == []


def killed_at_line(number: int, before: Source, after: Source) -> bool:
    """Write a file back in a fork that kills itself at the given line of the writing; False: it had fewer."""
    code = {atomic_write.__file__, replace_text.__file__}
    left = number

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        nonlocal left
        if frame.f_code.co_filename not in code:
            return None
        left -= event == "line"
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    child = os.fork()
    if not child:
        sys.settrace(trace)
        write_back(before, after)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="killed in a fork")
def test_a_kill_at_any_line_of_the_writing_loses_nothing(path) -> None:
    old = path.read_text() * 5_000
    new = old.replace("bad", "good")
    path.write_text(old)
    before, after = load_source(str(path)), Source(str(path), new)
    seen, number = set(), 1
    while killed_at_line(number, before, after):
        seen.add((path.read_text() == new, tuple(left(path.parent))))
        assert path.read_text() in (old, new), f"half a text after line {number}"
        remove_leftover_draft(str(path))
        assert left(path.parent) == []
        path.write_text(old)
        number += 1
    assert path.read_text() == new
    assert seen == {(False, ()), (False, (draft_of(path).name,)), (True, ())}


def test_linting_alone_removes_nothing(trainlint, config) -> None:
    trainlint.write("c.yml", config)
    trainlint.write(".c.yml.trainlint", "x")
    trainlint("c.yml", "--no-trace")
    assert left(trainlint.folder) == [".c.yml.trainlint"]


def test_what_the_tree_put_in_the_way_is_not_followed(path) -> None:
    """A link of the draft's name would have it written elsewhere."""
    precious = path.with_name("precious")
    precious.write_text("precious")
    draft_of(path).symlink_to(precious)
    with pytest.raises(UsageError, match="is in the way"):
        write_back(load_source(str(path)), AFTER)
    remove_leftover_draft(str(path))
    draft_of(path).unlink()
    os.mkfifo(draft_of(path))
    with pytest.raises(UsageError, match="is in the way"):
        write_back(load_source(str(path)), AFTER)
    draft_of(path).unlink()
    draft_of(path).hardlink_to(precious)
    write_back(load_source(str(path)), AFTER)
    assert (path.read_text(), precious.read_text()) == ("a: good\n", "precious")


@pytest.mark.parametrize("name", ["a" * 251 + ".yml", "é" * 125 + ".yml", "漢" * 83 + ".yml"])
def test_a_long_name_has_room_for_its_draft(tmp_path, name) -> None:
    path = tmp_path / name
    path.write_text("a: bad\n")
    write_back(load_source(str(path)), AFTER)
    assert path.read_text() == "a: good\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_attributes_stay_and_the_time_is_now(path) -> None:
    os.utime(path, (1, 1))
    try:
        os.setxattr(path, "user.note", b"kept")
    except (AttributeError, OSError):
        pytest.skip("this file system has no attributes")
    write_back(load_source(str(path)), AFTER)
    assert os.getxattr(path, "user.note") == b"kept"
    assert path.stat().st_mtime > 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_root_keeps_the_owner(path) -> None:
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    write_back(load_source(str(path)), AFTER)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o640)


def test_a_file_whose_owner_cannot_be_kept_is_refused(path, monkeypatch) -> None:
    real = os.fstat

    def another(descriptor: int) -> os.stat_result:
        status = list(real(descriptor))
        status[5] += 1
        return os.stat_result(status)

    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("trainlint.files.atomic_write._is_still", lambda *_: True)
    monkeypatch.setattr("os.fstat", another)
    monkeypatch.setattr("os.chown", forbidden)
    refused(path, "has another owner or group, which it would lose")


def test_text_and_name_are_on_the_disk_in_that_order(path, monkeypatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "text")
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", synced)
    monkeypatch.setattr("os.replace", lambda *names: (done.append("name"), replace(*names)))
    write_back(load_source(str(path)), AFTER)
    assert done == ["text", "name", "folder"]
