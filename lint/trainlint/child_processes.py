# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Processes that trainlint starts: they, and what they started, end with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

SECONDS: Final = 0.5
"""Between two looks whether a process's parent is still there."""
_STARTER: Final = "TRAINLINT_STARTER"
"""The environment variable by which a process knows who wants it, should that be gone before it looks."""
TERMINATED: Final = 128 + signal.SIGTERM
"""The exit code of a program that was asked to end, as a shell gives it."""


def program(name: str) -> str | None:
    """Return where a program of the system is: never in the working folder, whatever PATH says."""
    here = Path.cwd().resolve()
    entries = map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep))
    places = [str(entry) for entry in entries if entry.is_absolute() and entry.resolve() != here]
    executable = shutil.which(name, path=os.pathsep.join(places))
    return None if executable is None or Path(executable).resolve().parent == here else executable


def run(
    command: Sequence[str | os.PathLike[str]], given: str, *, timeout: float | None, cwd: str
) -> subprocess.CompletedProcess[str]:
    """Run a command as subprocess.run does; all of its process group is ended where we do not wait for it."""
    _end_orderly()
    process = subprocess.Popen(  # noqa: S603 - our interpreter, or one that the user named
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        errors="replace", cwd=cwd, env=environment(), start_new_session=os.name == "posix",
    )  # fmt: skip
    try:
        out, err = process.communicate(given, timeout)
    except BaseException:
        _kill(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _end_orderly() -> None:
    """Let SIGTERM end what was begun: a folder of temporary files is removed, a process killed."""
    usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if usual and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(TERMINATED)


def environment() -> dict[str, str]:
    """Return the environment of a process that is to end with this one."""
    return {**os.environ, _STARTER: str(os.getpid())}


def end_with_parent() -> None:
    """End this process soon after the one that started it, which may have been killed without a word.

    Between the two may be a wrapper of the interpreter; and the first may be gone by now.
    """
    parent, starter = os.getppid(), int(os.environ.get(_STARTER, "0"))

    def look() -> None:
        while os.getppid() == parent and (starter in (0, parent) or _runs(starter)):
            time.sleep(SECONDS)
        os._exit(TERMINATED)

    threading.Thread(target=look, daemon=True).start()


def _runs(process: int) -> bool:
    """Say whether a process is there; Windows' os.kill has no signal that only asks."""
    if os.name == "posix":
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
    return True


def end_with_input() -> None:
    """End this process when its standard input ends: the one that started it holds the other end."""

    def look() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os._exit(TERMINATED)

    threading.Thread(target=look, daemon=True).start()
