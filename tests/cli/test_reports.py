# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Reports in several formats from one run."""

from __future__ import annotations

import json

import pytest

from trainlint.report.formats import names


@pytest.mark.rest
def test_one_run_writes_every_format_and_prints_one(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(("upscale: 4", "upscale: 2")))
    wanted = [option for name in names() for option in ("--report", f"{name}={name}.out")]
    both = trainlint("a.yml", "--no-trace", "-t", "rtx-4090", "--format", "json", *wanted)
    assert both.returncode == 1
    for name in names():
        alone = trainlint("a.yml", "--no-trace", "-t", "rtx-4090", "--format", name)
        written = (trainlint.folder / f"{name}.out").read_text(encoding="utf-8")
        assert alone.stdout == written
        assert alone.returncode == both.returncode  # the format decides nothing
    assert both.stdout == (trainlint.folder / "json.out").read_text(encoding="utf-8")


def test_a_machine_format_has_standard_output_for_itself(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("notes.yml", "site_name: x\n")
    done = trainlint(".", "--no-trace", "--format", "sarif", "--report", "text=said.txt")
    assert json.loads(done.stdout)["version"] == "2.1.0"
    assert "a.yml" in (trainlint.folder / "said.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--report", "sarif"), 'sarif" is not FORMAT=FILE; formats are checkstyle, concise'),
        (("--report", "sarfi=x"), '"sarfi=x" is not FORMAT=FILE'),
        (("--report", "json=x", "--report", "sarif=x"), '"x" is named for two reports'),
        (("--report", "json=x", "-o", "x"), '"x" is named for two reports'),
        (("--report", "json=none/x"), 'cannot write "none/x"'),
        (("--report", "json=x", "--diff"), "--diff cannot be used with"),
    ],
)
def test_wrong_use_is_one_line(trainlint, config, options, said) -> None:
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "--no-trace", *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_paths_are_those_of_the_checkout(trainlint, variant) -> None:
    trainlint.write("repo/configs/a.yml", variant(("upscale: 4", "upscale: 2")))
    trainlint.env["GITHUB_WORKSPACE"] = str(trainlint.folder / "repo")
    done = trainlint("repo/configs/a.yml", "--no-trace", "--format", "gitlab")
    assert {one["location"]["path"] for one in json.loads(done.stdout)} == {"configs/a.yml"}
    done = trainlint("repo/configs/a.yml", "--no-trace", "--format", "github")
    assert "::error file=configs/a.yml,line=" in done.stdout
