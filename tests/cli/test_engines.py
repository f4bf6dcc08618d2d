# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is there in C and in Python: the same output to the byte."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.warm_cache import warm
from trainlint.estimate.replay import pure_replay
from trainlint.estimate.replay.replay_engine import FASTEST
from trainlint.shipped.resource_paths import PACKAGE

pytestmark = pytest.mark.process

CONFIG = PACKAGE.parents[1] / "examples" / "realesrgan_x4.yml"

RUN = """
import sys
if sys.argv[1] == "python":
    sys.modules["trainlint.estimate.replay._native"] = sys.modules["trainlint.tape._flow"] = None
from trainlint.estimate.replay import replay_engine as engine
from trainlint.tape import flow
from trainlint.cli.main import run
print(engine.FASTEST.__name__, flow.FASTEST.__name__, file=sys.stderr)
run(sys.argv[2:])
"""


@pytest.mark.skipif(FASTEST is pure_replay, reason="installed without a compiler")
def test_both_print_the_same_bytes(tmp_path):
    command = [str(CONFIG), "-t", "kaggle-t4x2", "--no-trace", "--format", "json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(warm(tmp_path)), "PYTHONPATH": str(PACKAGE.parent)}
    quick, slow = (
        subprocess.run(
            [sys.executable, "-c", RUN, engine, *command], capture_output=True, env=environment, check=False
        )
        for engine in ("c", "python")
    )
    assert quick.stdout == slow.stdout
    assert b'"fail"' in quick.stdout
    native, pure_ones = quick.stderr.split()[:2], slow.stderr.split()[:2]
    assert native == [b"trainlint.estimate.replay.native_replay", b"trainlint.tape.native_flow"]
    assert pure_ones == [b"trainlint.estimate.replay.pure_replay", b"trainlint.tape.pure_flow"]
