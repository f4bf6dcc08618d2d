# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A search path that is relative to the working folder brings no module or library of a linted tree."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.sampling import sampled

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


@pytest.mark.parametrize("path", sampled(["./", ".", ":/usr/nothing", "here/..", "./:{lint}"], 1))
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


LOAD = """
import ctypes, os, sys
from trainlint.cli.starting.import_path import drop_relative_libraries
drop_relative_libraries()
print(os.environ["LD_LIBRARY_PATH"], sys.argv)
ctypes.CDLL("libnvidia-ml.so.1")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the loader of Linux")
@pytest.mark.parametrize(
    ("path", "left"),
    [("/usr/nothing:", "/usr/nothing"), (":", ""), (".;/usr/nothing", "/usr/nothing"), ("sub/..", "")],
)
def test_no_library_of_the_tree_is_loaded(tmp_path, path: str, left: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"no library")
    before = os.environ.get("LD_LIBRARY_PATH", "").strip(":")
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(filter(None, (before, path)))}
    command = [sys.executable, "-c", "import ctypes; ctypes.CDLL('libnvidia-ml.so.1')"]
    found = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "libnvidia-ml.so.1: file too short" in found.stderr  # what would happen
    done = subprocess.run(
        [sys.executable, "-c", LOAD, "a b"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == f"{':'.join(filter(None, (before, left)))} ['-c', 'a b']\n"
    assert "file too short" not in done.stderr
