# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs the steps of action.yml as GitHub's runner does, on a pull request made here.

    python .ci/action.py

Needs bash, git, PyYAML and a package index. Not run: the steps that use other actions (Python is this one,
the cache is the folder itself, nothing is uploaded).
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GOOD = (ROOT / "examples" / "msrresnet_x4.yml").read_text(encoding="utf-8")
BAD = GOOD.replace("  upscale: 4", "  upscale: 2")
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


def main() -> int:
    """Run the action on a change that breaks a config, then on what a cache could bring; 1 where it errs."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "repository"
        pull_request(work)
        runner = Runner(Path(folder), work, {"paths": "configs", "targets": "rtx-4090"})
        checks = verdicts(runner) | caches(runner, Path(folder) / "later")
    for name, held in checks.items():
        print(f"{'ok  ' if held else 'FAIL'} {name}")
    if not all(checks.values()):
        print(runner.printed)
    return 0 if all(checks.values()) else 1


def verdicts(runner: Runner) -> dict[str, bool]:
    """Run every step of the action once: what has to be true of it."""
    codes = {step["name"]: runner.run(step) for step in ACTION["runs"]["steps"] if "run" in step}
    summary = (runner.folder / "summary").read_text(encoding="utf-8")
    output = runner.values
    sarif = json.loads((runner.folder / "temp" / "trainlint.sarif").read_text(encoding="utf-8"))
    return {
        "the steps before the lint end with 0, the lint with 1": list(codes.values()) == [0, 0, 0, 1],
        "the line is annotated": "::error file=configs/a.yml,line=" in runner.printed,
        "the change is compared": "configs/a.yml" in summary and "new" in summary,
        "the summary has the finding": "network-scale" in summary,
        "the outputs are set": output["steps.lint.outputs.exit-code"] == "1"
        and Path(output["steps.lint.outputs.sarif-file"]).is_file(),
        "SARIF has it": [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["network-scale"],
    }


def caches(runner: Runner, later: Path) -> dict[str, bool]:
    """Run the steps that name and install again, on the folder that they left as a cache restores it."""
    mark = runner.folder / "temp" / "trainlint" / "mark"
    first, again = runner.key(), runner.key()
    mark.touch()
    kept = runner.run(step("install")) == 0 and mark.exists()
    keys = {first}
    for name, other in {
        "steps.python.outputs.python-version": "3.11.0", "runner.arch": "ARM64", "runner.os": "macOS",
        "inputs.torch": "true",
    }.items():  # fmt: skip
        before, runner.values[name] = runner.values[name], other
        keys.add(runner.key())
        runner.values[name] = before
    shutil.copytree(ROOT, later, ignore=shutil.ignore_patterns(".git", ".cache*", ".*_cache", "__pycache__"))
    runner.values["github.action_path"] = str(later)
    same = runner.key()
    source = later / "lint" / "trainlint" / "__init__.py"
    source.write_text(re.sub(r'(__version__ = ")', r"\g<1>99.", source.read_text(encoding="utf-8")))
    keys.add(runner.key())
    replaced = runner.run(step("install")) == 0 and not mark.exists()
    newer = subprocess.run(
        [runner.values["steps.install.outputs.programs"] + "/trainlint", "--version"],
        capture_output=True, encoding="utf-8", check=False,
    ).stdout  # fmt: skip
    return {
        "the same files have the same key, from another folder too": first == again == same,
        "another Python, system, processor, torch or source has another key": len(keys) == 6,
        "what the cache brings is used": kept,
        "another version's is replaced, whatever brought it": replaced and "99.0" in newer,
    }


def step(identity: str) -> dict:
    """Return a step by its id."""
    return next(each for each in ACTION["runs"]["steps"] if each.get("id") == identity)


class Runner:
    """What a runner gives to the steps of a composite action."""

    def __init__(self, folder: Path, work: Path, inputs: dict[str, str]) -> None:
        temp = folder / "temp"
        temp.mkdir()
        given = {name: str(each["default"]) for name, each in ACTION["inputs"].items()} | inputs
        self.values = {f"inputs.{name}": value for name, value in given.items()} | {
            "github.action_path": str(ROOT),
            "runner.arch": "X64",
            "runner.os": "Linux",
            "runner.temp": str(temp),
            "steps.python.outputs.python-path": sys.executable,
            "steps.python.outputs.python-version": platform.python_version(),
        }
        self.work, self.folder, self.printed = work, folder, ""
        kept = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
        self.environment = {
            **{name: value for name, value in os.environ.items() if name in kept or name.startswith("PIP_")},
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_WORKSPACE": str(work), "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"), "RUNNER_OS": "Linux",
        }  # fmt: skip

    def run(self, step: dict) -> int:
        """Run one step's script as `shell: bash` does, keep its outputs, and return its exit code."""
        script, output = self.folder / "step.sh", self.folder / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        given = {name: EXPRESSION.sub(self._value, value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.work, env=self.environment | given, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        for line in output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        self.printed += f"{step['name']}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.returncode

    def key(self) -> str:
        """Return the key under which the install would be cached now."""
        self.run(step("name"))
        return self.values["steps.name.outputs.key"]

    def _value(self, found: re.Match[str]) -> str:
        return self.values[found[1]]


def pull_request(work: Path) -> None:
    """Make a repository as actions/checkout leaves it with fetch-depth 2: the merge and its parent."""
    config = work / "configs" / "a.yml"
    config.parent.mkdir(parents=True)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(work)]
    subprocess.run([*git, "init", "-q"], check=True)
    for text in (GOOD, BAD):
        config.write_text(text, encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "x"], check=True)


if __name__ == "__main__":
    sys.exit(main())
