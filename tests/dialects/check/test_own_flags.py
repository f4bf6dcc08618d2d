# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Flags of a command whose script is anybody's: its own parser says which there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.api import check

SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--opt", type=str)
parser.add_argument("-b", "--bench")
parser.add_argument("--launcher", choices=["none", "pytorch"], default="none")
args = parser.parse_args()
"""


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def of(flags: str, script: str = SCRIPT) -> list[tuple[str, str]]:
        (tmp_path / ".git").mkdir()
        (tmp_path / "options").mkdir()
        (tmp_path / "options" / "x4.yml").write_text("a: 1\n")
        (tmp_path / "train.py").write_text(script)
        (tmp_path / "run.sh").write_text(f"python train.py {flags}\n")
        monkeypatch.chdir(tmp_path)
        report = check(["run.sh"], "rtx-3090", trace=False)
        findings = [finding for result in report.results for finding in result.findings]
        return [
            (str(finding.level), finding.message) for finding in findings if finding.rule == "unknown-key"
        ]

    return of


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--opt options/x4.yml --laucnher pytorch", '--laucnher; did you mean "--launcher"?'),
        ("-opt options/x4.yml", '-opt; did you mean "--opt"?'),
        ("--opt options/x4.yml --auto_resume", "--auto_resume"),
    ],
)
def test_a_flag_that_the_scripts_parser_does_not_take_stops_it(seen, flags: str, message: str) -> None:
    assert seen(flags) == [("fail", f"unrecognized arguments: {message}")]


@pytest.mark.parametrize("flags", ["--opt options/x4.yml --launch=pytorch -b3", "--opt options/x4.yml"])
def test_what_argparse_finds_is_taken(seen, flags: str) -> None:
    assert seen(flags) == []


@pytest.mark.parametrize(
    "script",
    [
        SCRIPT.replace("args = ", "add_more(parser)\nargs = "),
        SCRIPT.replace("parse_args()", "parse_known_args()"),
        "import sys\n",
    ],
)
def test_a_parser_that_more_may_be_added_to_says_nothing(seen, script: str) -> None:
    assert seen("--opt options/x4.yml --laucnher pytorch", script) == []
