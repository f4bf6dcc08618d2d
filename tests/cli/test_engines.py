# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is there in C and in Python: the same output to the byte."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from trainlint.estimate.replay import pure
from trainlint.estimate.replay.engine import FASTEST
from trainlint.resources import PACKAGE

pytestmark = pytest.mark.process

CONFIG = PACKAGE.parents[1] / "examples" / "realesrgan_x4.yml"

RUN = """
import sys
if sys.argv[1] == "python":
    sys.modules["trainlint.estimate.replay._native"] = sys.modules["trainlint.tape._flow"] = None
from trainlint.estimate.replay import engine
from trainlint.tape import flow
from trainlint.cli.main import run
print(engine.FASTEST.__name__, flow.FASTEST.__name__, file=sys.stderr)
run(sys.argv[2:])
"""


@pytest.mark.skipif(FASTEST is pure, reason="installed without a compiler")
def test_both_print_the_same_bytes(tmp_path):
    command = [str(CONFIG), "-t", "kaggle-t4x2", "--no-trace", "--format", "json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    quick, slow = (
        subprocess.run(
            [sys.executable, "-c", RUN, engine, *command], capture_output=True, env=environment, check=False
        )
        for engine in ("c", "python")
    )
    assert quick.stdout == slow.stdout
    assert b'"fail"' in quick.stdout
    native, pure_ones = quick.stderr.split()[:2], slow.stderr.split()[:2]
    assert native == [b"trainlint.estimate.replay.native", b"trainlint.tape.native_flow"]
    assert pure_ones == [b"trainlint.estimate.replay.pure", b"trainlint.tape.pure_flow"]
