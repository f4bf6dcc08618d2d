# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Common command lines are read without click, to what click reads in them; all others are click's."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.cli.check import check_command
from trainlint.cli.plain_words import FLAGS, FORMATS, asked
from trainlint.resources import PACKAGE

EXAMPLE = str(PACKAGE.parents[1] / "examples" / "msrresnet_x4.yml")
WORDS = st.sampled_from(
    [
        *(*FLAGS, *FORMATS, "-t", "--target", "--format", "-", "--", "", "a.yml", "b c.yml", "check", "fit"),
        *("--target=t4", "-tt4", "rtx-4090", "é", "--strict=1", "-q", "--jobs", "2", "--no", "html", "nofmt"),
    ]
)


def by_click(words):
    """Return the paths and options as click reads them; None for what it refuses."""
    try:
        params = dict(check_command.make_context("check", list(words)).params)
    except click.ClickException:
        return None
    return params.pop("paths"), params


@given(st.lists(WORDS, max_size=6))
def test_what_is_read_is_what_click_reads(words):
    found = asked(words)
    assert found is None or found == by_click(words)


@pytest.mark.parametrize(
    "words",
    [
        ["a.yml"],
        ["configs", "b.yml", "-t", "kaggle-t4x2"],
        ["a.yml", "-t", "t4", "--target", "l4", "--no-trace"],
        ["--format", "github", "--skip-unknown", "--strict", "a.yml", "--no-cache"],
    ],
)
def test_common_words_are_read(words):
    assert asked(words) == by_click(words)


@pytest.mark.parametrize(
    "words",
    [[], ["-"], ["-t"], ["a.yml", "-t"], ["a.yml", "--fix"], ["-t", "t4"], ["a.yml", "--format", "x"]],
)
def test_other_words_are_left_to_click(words):
    assert asked(words) is None


RUN = """
import json, sys
from trainlint.cli import entry
entry._leave = lambda code: print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
entry.run()
"""


def run(tmp_path, *words):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], capture_output=True, text=True, env=environment, check=True
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, done.stdout, {*modules}


@pytest.mark.parametrize("first", [(), ("check",)])
def test_a_common_run_imports_neither_click_nor_what_inspect_needs(tmp_path, first):
    words = (*first, EXAMPLE, "-t", "rtx-4090", "--no-trace", "--no-cache")
    code, printed, modules = run(tmp_path, *words)
    assert code == 0
    assert not {"click", "dis", "tokenize"} & modules
    same = run(tmp_path, *words, "--quiet")
    assert same[:2] == (code, printed)
    assert "click" in same[2]


def test_errors_end_as_clicks_do(tmp_path):
    for words in (("nowhere.yml",), (EXAMPLE, "-t", "no-such-gpu")):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": str(tmp_path)}
        done = [
            subprocess.run(
                [sys.executable, "-m", "trainlint", *words, *more],
                capture_output=True, text=True, env=environment, check=False,
            )
            for more in ((), ("--quiet",))
        ]  # fmt: skip
        assert done[0].returncode == done[1].returncode == 2
        assert done[0].stderr == done[1].stderr != ""


def test_a_postponed_module_is_the_module_once_it_is_asked():
    script = (
        "import sys\nfrom trainlint.cli.entry import _postpone\n_postpone('inspect')\n"
        "import inspect\nassert 'ast' not in sys.modules\n"
        "assert inspect.cleandoc('  a') == 'a'\nassert 'ast' in sys.modules\n"
        "import inspect as again\nassert again.cleandoc is inspect.cleandoc\n"
        "try: inspect.nothing\nexcept AttributeError as error: print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "module 'inspect' has no attribute 'nothing'\n"
