# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""trainlint diff: two configs or two revisions, and what a repository's own settings may not start."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

EXAMPLE = (Path(__file__).resolve().parents[2] / "examples" / "realesrgan_x4.yml").read_text("utf-8")
SMALLER = EXAMPLE.replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 6")
HERE = ("-t", "kaggle-t4x2", "--no-trace")


@pytest.fixture
def git(trainlint):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    environment = trainlint.env | {
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip

    def run(*words: str, text: str = "") -> str:
        command = ["git", *words]
        return subprocess.check_output(command, cwd=trainlint.folder, env=environment, text=True, input=text)

    run("init", "--quiet", ".")
    return run


@pytest.fixture
def two(trainlint, git):
    """A repository of two commits: the second halves the batch, and changes settings and an ignore."""
    trainlint.write("configs/x4.yml", EXAMPLE)
    trainlint.write("configs/gone.yml", SMALLER)
    git("add", ".")
    git("commit", "-qm", "one")
    trainlint.write("configs/x4.yml", SMALLER)
    trainlint.write("configs/new.yml", EXAMPLE.replace("name: ", "# trainlint: ignore[x] y\nname: ", 1))
    trainlint.write("trainlint.toml", "strict = false\n")
    (trainlint.folder / "configs/gone.yml").unlink()
    git("add", "-A")
    git("commit", "-qm", "two")
    return git


def test_two_configs_are_compared(trainlint) -> None:
    trainlint.write("old.yml", EXAMPLE)
    trainlint.write("new.yml", SMALLER)
    done = trainlint("diff", "old.yml", "new.yml", *HERE)
    assert done.returncode == 0, done.stderr
    assert "memory  at least 16.50 of 14.56 GiB -> 8.90 to 10.06 of 14.56 GiB" in done.stdout
    assert "gone    error: training needs at least 16.50 GiB" in done.stdout
    assert "still   error: takes " in done.stdout  # or nothing would say why it fails
    back = trainlint("diff", "new.yml", "old.yml", *HERE)
    assert back.returncode == 1
    assert "new     error: training needs at least 16.50 GiB" in back.stdout
    same = trainlint("diff", "old.yml", "old.yml", *HERE)
    assert same.returncode == 0
    assert "->" not in same.stdout


def test_two_revisions_are_compared_and_settings_come_first(trainlint, two) -> None:
    found = json.loads(trainlint("diff", "HEAD~1", "HEAD", *HERE, "--format", "json").stdout)
    assert found["first"] == [
        "trainlint.toml is added, which decides what is reported",
        'configs/new.yml has 1 more "trainlint: ignore"',
    ]
    jobs = {one["name"].split()[0]: (one["old"], one["new"]) for one in found["jobs"]}
    assert jobs == {
        "configs/gone.yml": ("fail", None), "configs/new.yml": (None, "fail"),
        "configs/x4.yml": ("fail", "fail"),
    }  # fmt: skip
    shown = trainlint("diff", "HEAD~1", "HEAD", *HERE, "--format", "markdown")
    assert shown.returncode == 1  # the new config does not fit
    assert shown.stdout.index("trainlint.toml is added") < shown.stdout.index("configs/x4.yml")
    assert "| at least 16.50 of 14.56 GiB -\\> 8.90 to 10.06 of 14.56 GiB |" in shown.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--", "-x", "HEAD"), '"-x" is not a revision'),
        (("HEAD", "--output=x"), "No such option"),
        (("HEAD", "nowhere"), '"nowhere" is neither a file nor a revision'),
        (("HEAD", "HEAD:configs/x4.yml"), "is neither a file nor a revision"),
    ],
)
def test_a_wrong_name_is_one_line(trainlint, two, words, said) -> None:
    done = trainlint("diff", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (trainlint.folder / "x").exists()


def test_outside_of_a_repository_it_says_so(trainlint, config) -> None:
    trainlint.env["GIT_CEILING_DIRECTORIES"] = str(trainlint.folder.parent)
    done = trainlint("diff", "a", "b")
    assert done.returncode == 2
    assert "not a git repository" in done.stderr


def test_nothing_that_the_repository_configures_is_run(trainlint, two) -> None:
    program = trainlint.write("evil.sh", "#!/bin/sh\ntouch OWNED\ncat 2>/dev/null\nexit 1\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "core.editor",
                "diff.evil.textconv", "diff.evil.command", "filter.evil.smudge", "filter.evil.clean",
                "filter.evil.process", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
                "alias.cat-file", "alias.ls-tree", "alias.rev-parse"):  # fmt: skip
        two("config", key, str(program))
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        trainlint.write(f".git/hooks/{hook}", program.read_text()).chmod(0o755)
    trainlint.write(".gitattributes", "* diff=evil filter=evil\n")
    done = trainlint("diff", "HEAD~1", "HEAD", *HERE)
    assert "configs/x4.yml" in done.stdout, done.stderr
    assert list(trainlint.folder.rglob("OWNED")) == []


def test_every_git_command_is_forbidden_to_start_programs(trainlint, two, tmp_path_factory) -> None:
    """The commands of today start none of them; the first that would must not."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").write_text(f'#!/bin/sh\necho "$*" >> {folder}/log\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    trainlint.env["PATH"] = f"{folder}:{trainlint.env['PATH']}"
    assert "configs/x4.yml" in trainlint("diff", "HEAD~1", "HEAD", *HERE).stdout
    commands = (folder / "log").read_text().splitlines()
    assert commands
    for off in ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "diff.external="):
        assert all(f"-c {off} " in command for command in commands)


@pytest.mark.parametrize("entry", [".", "", "{tree}"])
def test_a_program_of_the_tree_is_not_the_systems(trainlint, two, entry) -> None:
    """Where PATH names the working folder, what is called git or nvidia-smi there is not started."""
    for name in ("git", "nvidia-smi"):
        trainlint.write(name, "#!/bin/sh\ntouch OWNED\nexit 1\n").chmod(0o755)
    trainlint.env["PATH"] = f"{entry.format(tree=trainlint.folder)}:{trainlint.env['PATH']}"
    done = trainlint("diff", "HEAD~1", "HEAD", *HERE)
    assert "configs/x4.yml" in done.stdout, done.stderr
    trainlint("configs/x4.yml", "-t", "local", "--no-trace")
    assert list(trainlint.folder.rglob("OWNED")) == []


def test_a_missing_object_is_not_fetched(trainlint, two) -> None:
    """A partial clone's remote is a program of the repository's choice."""
    program = trainlint.write("evil.sh", "#!/bin/sh\ntouch OWNED\nexit 1\n")
    program.chmod(0o755)
    blob = two("rev-parse", "HEAD:configs/x4.yml").strip()
    for key, value in {
        "core.repositoryformatversion": "1", "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{program}", "remote.origin.promisor": "true",
        "protocol.ext.allow": "always", "remote.origin.uploadpack": str(program),
    }.items():  # fmt: skip
        two("config", key, value)
    (trainlint.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    done = trainlint("diff", "HEAD~1", "HEAD", *HERE)
    assert done.returncode == 2
    assert "git cat-file failed" in done.stderr
    assert list(trainlint.folder.rglob("OWNED")) == []


@pytest.mark.parametrize("words", [("diff", "HEAD", "bomb"), ("--since", "bomb", ".")])
def test_trees_that_hold_each_other_without_end_are_not_listed_to_theirs(trainlint, two, words) -> None:
    """Ten levels of ten entries each took 6.7 GB in a minute."""
    tree = two("rev-parse", "HEAD:configs").strip()
    for _ in range(10):
        entries = "".join(f"040000 tree {tree}\td{number}\n" for number in range(10))
        tree = two("mktree", text=entries).strip()
    two("branch", "bomb", two("commit-tree", tree, "-p", "HEAD", "-m", "bomb").strip())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = trainlint(*words, *HERE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "prints more than 67,108,864 bytes: too many files" in done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10


def test_a_repository_whose_files_are_elsewhere_is_not_compared(trainlint, two, tmp_path_factory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    two("config", "core.worktree", str(elsewhere))
    for words in (("diff", "HEAD~1", "HEAD"), ("--since", "HEAD", "configs/x4.yml")):
        done = trainlint(*words, *HERE)
        assert done.returncode == 2
        assert f'has its files elsewhere, in "{elsewhere}"' in done.stderr


def test_a_submodule_and_a_second_working_tree_are_compared(trainlint, two) -> None:
    two("worktree", "add", "--quiet", "second", "HEAD")
    folder = trainlint.folder
    shutil.copytree(folder / ".git", folder / "store")
    subprocess.run(["git", "config", "core.worktree", "../part"], cwd=folder / "store", check=True)
    trainlint.write("part/.git", "gitdir: ../store\n")
    for part in ("second", "part"):
        trainlint.folder = folder / part
        assert "configs/x4.yml" in trainlint("diff", "HEAD~1", "HEAD", *HERE).stdout


def test_a_link_and_a_binary_file_count_as_not_there(trainlint, git) -> None:
    trainlint.write("a.yml", EXAMPLE)
    git("add", ".")
    git("commit", "-qm", "one")
    (trainlint.folder / "a.yml").unlink()
    (trainlint.folder / "a.yml").symlink_to("/etc/passwd")
    trainlint.write("b.yml", b"\0\1")
    git("add", "-A")
    git("commit", "-qm", "two")
    (found,) = json.loads(trainlint("diff", "HEAD~1", "HEAD", *HERE, "--format", "json").stdout)["jobs"]
    assert (found["old"], found["new"]) == ("fail", None)
