# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A PYTHONPATH that is relative to the working folder brings no module of a linted tree."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LATE = (
    "yaml",
    "typing",
    "dataclasses",
    "click",
    "jsonschema",
    "trainlint_zoo",
    "torch",
    "numpy",
    "platformdirs",
)
START = "import sys; sys.argv[0] = 'trainlint'; from trainlint.cli.entry import run; run()"
"""What the installed command's script does."""


@pytest.mark.parametrize("path", ["./", ".", ":/usr/nothing", "here/..", "./:{lint}"])
def test_no_module_of_the_tree_is_imported(trainlint, config, path: str) -> None:
    trainlint.write("a.yml", config)
    (trainlint.folder / "here").mkdir()
    for name in LATE:
        trainlint.write(f"{name}.py", "open('ran', 'a').write(__name__ + ' ')\n")
    inherited = os.environ.get("PYTHONPATH", "")
    lint = inherited or "/usr/nothing"
    environment = {
        **trainlint.env,
        "PYTHONPATH": os.pathsep.join(filter(None, (path.format(lint=lint), inherited))),
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", START, "--no-trace", "-t", "rtx-3060", "a.yml"], cwd=trainlint.folder,
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert not (trainlint.folder / "ran").exists(), (trainlint.folder / "ran").read_text()
    assert done.returncode == 0, done.stderr
