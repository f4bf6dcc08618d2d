# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs the steps of action.yml as GitHub's runner does, on a pull request made here.

    python .ci/action.py

Needs bash, git, PyYAML and a package index. Not run: the steps that use other actions (Python is this one,
nothing is cached, nothing uploaded).
"""

from __future__ import annotations

import json
import os
import re
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
    """Run the action on a change that breaks a config; 1 where it does not say so."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "repository"
        pull_request(work)
        runner = Runner(Path(folder), work, {"paths": "configs", "targets": "rtx-4090"})
        codes = {step["name"]: runner.run(step) for step in ACTION["runs"]["steps"] if "run" in step}
        summary = (Path(folder) / "summary").read_text(encoding="utf-8")
        output = (Path(folder) / "output").read_text(encoding="utf-8")
        sarif = json.loads((Path(folder) / "temp" / "trainlint.sarif").read_text(encoding="utf-8"))
    checks = {
        "the install and the comparison end with 0": codes["Install trainlint"]
        == codes["What the change does"]
        == 0,
        "the lint fails": codes["Lint"] == 1,
        "the line is annotated": "::error file=configs/a.yml,line=" in runner.printed,
        "the change is compared": "configs/a.yml" in summary and "new" in summary,
        "the summary has the finding": "network-scale" in summary,
        "the outputs are set": "exit-code=1" in output and "sarif-file=" in output,
        "SARIF has it": [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["network-scale"],
    }
    for name, held in checks.items():
        print(f"{'ok  ' if held else 'FAIL'} {name}")
    if not all(checks.values()):
        print(runner.printed, summary, output, sep="\n---\n")
    return 0 if all(checks.values()) else 1


class Runner:
    """What a runner gives to the steps of a composite action."""

    def __init__(self, folder: Path, work: Path, inputs: dict[str, str]) -> None:
        temp = folder / "temp"
        temp.mkdir()
        given = {name: str(each["default"]) for name, each in ACTION["inputs"].items()} | inputs
        self.values = {f"inputs.{name}": value for name, value in given.items()} | {
            "github.action_path": str(ROOT),
            "runner.temp": str(temp),
            "steps.python.outputs.python-path": sys.executable,
        }
        self.work, self.folder, self.printed = work, folder, ""
        kept = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
        self.environment = {
            **{name: value for name, value in os.environ.items() if name in kept or name.startswith("PIP_")},
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_WORKSPACE": str(work), "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        }  # fmt: skip

    def run(self, step: dict) -> int:
        """Run one step's script as `shell: bash` does and return its exit code."""
        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        given = {name: EXPRESSION.sub(self._value, value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.work, env=self.environment | given, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        self.printed += f"{step['name']}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.returncode

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
