# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The pre-commit hook: its own command line, and the whole of it through pre-commit."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.process

CONFIG = """\
repos:
  - repo: {root}
    rev: {head}
    hooks:
{hooks}"""
ROOT = Path(__file__).resolve().parents[2]


HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def entry(name: str = "trainlint") -> list[str]:
    return shlex.split(HOOKS[name]["entry"])[1:]


def test_the_hook_reports_configs_and_is_silent_about_other_files(trainlint, variant) -> None:
    trainlint.write("mkdocs.yml", "site_name: x\n")
    done = trainlint(*entry(), "mkdocs.yml")
    assert done.returncode == 0
    assert "mkdocs" not in done.stdout
    trainlint.write("a.yml", variant(("upscale: 4", "upscale: 2")))
    done = trainlint(*entry(), "a.yml", "mkdocs.yml")
    assert done.returncode == 1
    assert "network-scale" in done.stdout


def test_only_the_hook_with_torch_traces() -> None:
    assert [name for name in HOOKS if "--no-trace" not in entry(name)] == ["trainlint-trace"]
    assert HOOKS["trainlint-trace"]["additional_dependencies"]


def test_the_fixing_hook_writes_what_leaves_the_training_alone(trainlint, variant) -> None:
    text = variant(("total_iter: 300000", "totl_iter: 300000"), ("gt_size: 128", "gt_size: 127"))
    path = trainlint.write("a.yml", text)
    done = trainlint(*entry("trainlint-fix"), "a.yml")
    assert "  total_iter: 300000" in path.read_text()
    assert "gt_size: 127" in path.read_text()
    assert "fixable with --unsafe-fixes, which changes training" in done.stderr
    assert done.returncode == 1


class Repository:
    """A git repository with this checkout's hooks, run by the real pre-commit."""

    def __init__(self, command, pre_commit: str, hooks: list[str], home: Path) -> None:
        self.command = command
        self.command.env |= {
            "PRE_COMMIT_HOME": str(home), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull,
        }  # fmt: skip
        head = self.run("git", "-C", str(ROOT), "rev-parse", "HEAD").stdout.strip()
        listed = "".join(f"      - id: {hook}\n" for hook in hooks)
        command.write(".pre-commit-config.yaml", CONFIG.format(root=ROOT, head=head, hooks=listed))
        self.run("git", "init", "--quiet", ".")
        self.run(pre_commit, "install")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments, cwd=self.command.folder, env=self.command.env, capture_output=True,
            encoding="utf-8", check=False,
        )  # fmt: skip

    def commit(self, *names: str) -> subprocess.CompletedProcess[str]:
        self.run("git", "add", *names, ".pre-commit-config.yaml")
        return self.run("git", "commit", "-m", "x")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit installs the hooks, once for all tests."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def repository(trainlint, home):
    if not os.environ.get("TRAINLINT_PRE_COMMIT"):
        pytest.skip("installs trainlint from a clone: set TRAINLINT_PRE_COMMIT=1 (.ci/full does)")
    beside = Path(sys.executable).with_name("pre-commit")
    pre_commit = str(beside) if beside.exists() else shutil.which("pre-commit")
    if pre_commit is None or not (ROOT / ".git").exists():
        pytest.skip("needs pre-commit (pip install 'trainlint[dev]') and a git checkout to clone")
    return lambda *hooks: Repository(trainlint, pre_commit, list(hooks), home)


def test_a_bad_commit_is_stopped_and_a_good_one_passes(trainlint, variant, repository) -> None:
    git = repository("trainlint")
    trainlint.write("configs/a.yml", variant(("upscale: 4", "upscale: 2")))
    trainlint.write("mkdocs.yml", "site_name: x\n")
    stopped = git.commit("configs", "mkdocs.yml")
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "network-scale" in stopped.stdout + stopped.stderr
    assert git.run("git", "rev-parse", "HEAD").returncode != 0
    trainlint.write("configs/a.yml", variant())
    passed = git.commit("configs")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert git.run("git", "rev-parse", "HEAD").returncode == 0


def test_only_changed_files_are_linted(trainlint, variant, repository) -> None:
    git = repository("trainlint")
    trainlint.write("old.yml", variant(("upscale: 4", "upscale: 2")))
    git.run("git", "add", "old.yml")
    git.run("git", "commit", "--no-verify", "-m", "as it was")
    trainlint.write("new.yml", variant(("gt_size: 128", "gt_size: 126")))
    stopped = git.commit("new.yml")
    assert "new.yml" in stopped.stdout + stopped.stderr
    assert "old.yml" not in stopped.stdout + stopped.stderr
    assert stopped.returncode == 1


def test_a_warm_and_an_empty_cache_give_the_same_verdict(trainlint, repository) -> None:
    git = repository("trainlint")
    trainlint.write("trainlint.toml", 'target = "rtx-3060"\n')
    trainlint.write("a.yml", (ROOT / "examples" / "realesrgan_x4.yml").read_bytes())
    seen = []
    for _ in range(2):
        done = git.commit("a.yml", "trainlint.toml")
        seen.append((done.returncode, re.sub(r"in [\d.]+ ?s", "", done.stdout + done.stderr)))
    shutil.rmtree(trainlint.env["XDG_CACHE_HOME"], ignore_errors=True)
    done = git.commit("a.yml", "trainlint.toml")
    seen.append((done.returncode, re.sub(r"in [\d.]+ ?s", "", done.stdout + done.stderr)))
    assert seen[0][0] == 1
    assert "vram-budget" in seen[0][1]
    assert seen[0] == seen[1] == seen[2]


def test_the_fixing_hook_stops_the_commit_with_the_fix_in_place(trainlint, variant, repository) -> None:
    git = repository("trainlint-fix", "trainlint")
    path = trainlint.write("a.yml", variant(("total_iter: 300000", "totl_iter: 300000")))
    stopped = git.commit("a.yml")
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "files were modified by this hook" in stopped.stdout + stopped.stderr
    assert "total_iter" in path.read_text()
    passed = git.commit("a.yml")
    assert passed.returncode == 0, passed.stdout + passed.stderr
