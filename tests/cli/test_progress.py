# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The progress line as a terminal gets it: shown while torch works, erased before the report."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pty = pytest.importorskip("pty", reason="no pseudo-terminals here")

pytestmark = pytest.mark.process

ERASE = "\r\x1b[K"


def on_a_terminal(trainlint, *arguments: str) -> tuple[str, str]:
    """Run with a terminal as stderr; return what it showed and what went to stdout."""
    ours, theirs = pty.openpty()
    env = {**trainlint.env, "TERM": "xterm"}
    command = [sys.executable, "-m", "trainlint", *arguments]
    running = subprocess.Popen(
        command,
        cwd=trainlint.folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            break
        if not read:
            break
        shown += read
    os.close(ours)
    out, _ = running.communicate(timeout=120)
    return shown.decode(), out.decode()


def test_a_terminal_sees_what_is_traced_and_keeps_nothing_of_it(trainlint, config) -> None:
    trainlint.write("slow/a.yml", config)
    shown, out = on_a_terminal(trainlint, "slow", "-t", "rtx-3060", "--profiles-dir", "none")
    lines = shown.split(ERASE)
    assert any(line.startswith("slow/a.yml: tracing MSRResNet") for line in lines)
    assert all(line == "" or line.startswith("slow/a.yml") for line in lines)
    assert lines[-1] == ""
    assert out.startswith("pass  slow/a.yml on rtx-3060")


def test_quiet_shows_no_progress(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    assert on_a_terminal(trainlint, "a.yml", "--no-trace", "--quiet")[0] == ""
    assert on_a_terminal(trainlint, "a.yml", "--no-trace")[0].endswith(ERASE)
