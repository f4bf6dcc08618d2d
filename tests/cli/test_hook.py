# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The pre-commit hook: its own command line, and the whole of it through pre-commit."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CONFIG = """\
repos:
  - repo: {root}
    rev: {head}
    hooks:
      - id: trainlint
"""
ROOT = Path(__file__).resolve().parents[2]


def entry() -> list[str]:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return shlex.split(hook["entry"])[1:]


def test_the_hook_reports_configs_and_is_silent_about_other_files(trainlint, variant) -> None:
    trainlint.write("mkdocs.yml", "site_name: x\n")
    done = trainlint(*entry(), "mkdocs.yml")
    assert done.returncode == 0
    assert "mkdocs" not in done.stdout
    trainlint.write("a.yml", variant(("upscale: 4", "upscale: 2")))
    done = trainlint(*entry(), "a.yml", "mkdocs.yml")
    assert done.returncode == 1
    assert "network-scale" in done.stdout


def test_the_hook_never_starts_torch() -> None:
    assert "--no-trace" in entry()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit clones a repository, and this is none")
def test_the_hook_runs_through_pre_commit(trainlint, variant) -> None:
    pre_commit = Path(sys.executable).with_name("pre-commit")
    command = str(pre_commit) if pre_commit.exists() else shutil.which("pre-commit")
    if command is None:
        pytest.skip("pre-commit is not installed (pip install 'trainlint[dev]')")
    trainlint.write("configs/a.yml", variant(("upscale: 4", "upscale: 2")))
    trainlint.write("mkdocs.yml", "site_name: x\n")
    trainlint.env["PRE_COMMIT_HOME"] = str(trainlint.folder / ".pre-commit")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        options = {"cwd": trainlint.folder, "env": trainlint.env, "capture_output": True}
        return subprocess.run(arguments, **options, encoding="utf-8", check=False)

    head = subprocess.check_output(["git", "-C", str(ROOT), "rev-parse", "HEAD"], text=True).strip()
    trainlint.write(".pre-commit-config.yaml", CONFIG.format(root=ROOT, head=head))
    run("git", "init", "--quiet", ".")
    run("git", "add", ".")
    done = run(command, "run", "--all-files")
    assert "network-scale" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    trainlint.write("configs/a.yml", variant())
    run("git", "add", ".")
    done = run(command, "run", "--all-files")
    assert done.returncode == 0, done.stdout + done.stderr
