# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The action, the workflow and the problem matcher, held against what GitHub takes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = ROOT / "docs" / "github" / "workflow.yml"
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
MATCHER = ROOT / "docs" / "github" / "problem-matcher.json"


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", ROOT / "action.yml"),
        ("vendor.github-workflows", WORKFLOW),
        ("vendor.github-workflows", RELEASE),
    ],
)
def test_they_are_valid_by_their_schemas(schema, file) -> None:
    beside = Path(sys.executable).with_name("check-jsonschema")
    command = str(beside) if beside.exists() else shutil.which("check-jsonschema")
    if command is None:
        pytest.skip("check-jsonschema is not installed (pip install 'trainlint[dev]')")
    done = subprocess.run(
        [command, "--builtin-schema", schema, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_publishing_may_ask_for_a_token() -> None:
    workflow = yaml.safe_load(RELEASE.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert [name for name, job in workflow["jobs"].items() if "permissions" in job] == ["publish"]
    assert workflow["jobs"]["publish"]["permissions"] == {"id-token": "write"}


def test_no_input_is_pasted_into_a_script() -> None:
    """An input's text would be code there; as a variable it is a value."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 4
    assert not [script for script in scripts if "${{" in script]


def test_the_workflow_may_only_read() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert list(workflow[True]) == ["pull_request"]
    (job,) = workflow["jobs"].values()
    assert set(job["steps"][1]["with"]) <= set(ACTION["inputs"])


def script(name: str) -> str:
    (found,) = (step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == name)
    return found


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action runs in bash")
def test_its_scripts_lint_annotate_and_summarise(trainlint, variant) -> None:
    """The steps as the runner runs them, with this trainlint where the action installs its own."""
    trainlint.write("venv/bin/trainlint", f'#!/bin/sh\nexec {sys.executable} -m trainlint "$@"\n').chmod(
        0o755
    )
    trainlint.write("with space/a.yml", variant(("upscale: 4", "upscale: 2")))
    environment = trainlint.env | {
        "PROGRAMS": str(trainlint.folder / "venv" / "bin"), "PATHS": "with space\n",
        "TARGETS": "rtx-3060\n", "TORCH": "false",
        "ARGUMENTS": "--select\nnetwork-scale\n", "SARIF": str(trainlint.folder / "out.sarif"),
        "GITHUB_OUTPUT": str(trainlint.folder / "output"),
        "GITHUB_STEP_SUMMARY": str(trainlint.folder / "summary"),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script("Lint")], cwd=trainlint.folder, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=with space/a.yml,line=24,")
    output = (trainlint.folder / "output").read_text()
    assert "exit-code=1" in output
    assert json.loads((trainlint.folder / "out.sarif").read_text())["version"] == "2.1.0"
    assert "network-scale" in (trainlint.folder / "summary").read_text()
    assert os.listdir(trainlint.folder / "with space") == ["a.yml"]  # noqa: PTH208  # it is asked for names


def test_the_matcher_reads_the_concise_format(trainlint, variant) -> None:
    trainlint.write(
        "a.yml", variant(("upscale: 4", "upscale: 2"), ("milestones: [200000]", "milestones: [400000]"))
    )
    lines = trainlint("a.yml", "--no-trace", "--format", "concise").stdout.splitlines()
    matchers = json.loads(MATCHER.read_text(encoding="utf-8"))["problemMatcher"]
    found = [
        (matcher["severity"], match[pattern.get("code", pattern["message"])], match[pattern["line"]])
        for matcher in matchers
        for pattern in matcher["pattern"]
        for line in lines
        if (match := re.match(pattern["regexp"], line))
    ]
    assert ("error", "network-scale", "24") in found
    assert any(severity == "warning" for severity, _, _ in found)
    assert len(found) == len(lines)


def test_the_matcher_shows_what_was_not_judged(trainlint, variant) -> None:
    trainlint.write("a.yml", variant())
    trainlint.write("b.yml", variant(("upscale: 4", "upscale: 2")))
    lines = trainlint(".", "-t", "rtx-4090", "--no-trace", "--format", "concise").stdout.splitlines()
    (notice,) = (
        matcher["pattern"][0] for matcher in json.loads(MATCHER.read_text(encoding="utf-8"))["problemMatcher"]
        if matcher["severity"] == "notice"
    )  # fmt: skip
    matched = [match for line in lines if (match := re.match(notice["regexp"], line))]
    assert [(match[1], match[4].partition(":")[0]) for match in matched] == [
        ("a.yml", "skipped"),
        ("b.yml", "memory not judged"),
    ]


@pytest.mark.skipif(os.name != "posix", reason="the step as Linux and macOS run it")
@pytest.mark.parametrize(
    "name", ["Name what is installed", "Install trainlint", "What the change does", "Lint"]
)
def test_no_step_runs_a_module_of_the_pull_request(tmp_path, name) -> None:
    """Every module of the standard library has a namesake in the workspace that says when it runs."""
    work, action = tmp_path / "work", tmp_path / "action"
    work.mkdir()
    action.mkdir()
    for module in (*sys.stdlib_module_names, "pip", "yaml", "trainlint", "sitecustomize", "usercustomize"):
        (work / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{module} ')\n")
    run = next(step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == name)
    environment = {
        **os.environ, "RUNNER_OS": "Linux", "ACTION": str(action), "KEY": "k", "PYTHON": sys.executable,
        "TORCH": "false", "VENV": str(tmp_path / "venv"), "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "PROGRAMS": str(Path(sys.executable).parent),
        "TARGETS": "t4", "ARGUMENTS": "", "PATHS": ".", "SARIF": str(tmp_path / "sarif"), "MACHINE": "x",
        "PIP_NO_INDEX": "1",
    }  # fmt: skip
    environment.pop("PYTHONPATH", None)
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", run]
    subprocess.run(command, cwd=work, env=environment, capture_output=True, check=False, timeout=300)
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
