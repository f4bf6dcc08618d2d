# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What Windows and macOS lack is taken away here: the package imports, lints and fixes without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm_cache import warm

ROOT = Path(__file__).resolve().parents[1]
CONFIG = (ROOT / "examples" / "typos.yml").read_text("utf-8")

MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
"""Modules that only POSIX has (the Availability notes of Python's documentation)."""

OF_OS = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "chown", "fchmod", "fchown", "fork",
    "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg", "lchown", "mkfifo", "nice", "pread",
    "sched_getaffinity", "setsid", "statvfs", "sysconf", "sysconf_names", "uname", "wait",
)  # fmt: skip
OF_SIGNAL = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPROF", "SIGUSR1", "alarm", "pthread_sigmask", "setitimer")

WINDOWS = f"""
import os, platformdirs, shutil, signal, subprocess, sys, tempfile
for name in {MODULES!r}:
    sys.modules[name] = None
for name in {OF_OS!r}:
    vars(os).pop(name, None)
for name in {OF_SIGNAL!r}:
    vars(signal).pop(name, None)
"""
"""Run first. What Python's own modules need (and platformdirs) choose by the system is imported before."""

IMPORTS = """
import importlib, pkgutil, sys, trainlint
sys.modules["torch"] = None
for found in pkgutil.walk_packages(trainlint.__path__, "trainlint."):
    if found.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(found.name)
    except ImportError as error:  # an optional library that is not installed
        name = error.name or ""
        assert found.name in COMPILED or name.partition(".")[0] in OPTIONAL, (found.name, error)
print("imported")
"""
OPTIONAL = {
    "IPython",
    "cattrs",
    "pynvml",
    "torch",
    "torchvision",
    "timm",
    "spandrel",
    "numpy",
    "pygls",
    "lsprotocol",
    "watchfiles",
}
"""Libraries of the extras."""

COMPILED = ("trainlint.estimate.replay.native_replay", "trainlint.tape.native_flow")
"""What imports an extension, which is built where there is a compiler."""


def python(folder: Path, text: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "XDG_CACHE_HOME": str(warm(folder / ".cache")), "XDG_CONFIG_HOME": str(folder / ".config"),
        "HOME": str(folder), "PYTHONUTF8": "0", **more,
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", text, *words],
        cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.process
def test_every_module_imports(tmp_path) -> None:
    done = python(tmp_path, f"{WINDOWS}\nOPTIONAL, COMPILED = {OPTIONAL!r}, {COMPILED!r}\n{IMPORTS}")
    assert done.stdout == "imported\n", done.stderr


def run_without(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command where what the other systems lack is missing."""
    return python(
        folder, f"{WINDOWS}\nfrom trainlint.cli.main import run\nrun(sys.argv[1:])", *words,
        PATH="", CUDA_VISIBLE_DEVICES="",
    )  # fmt: skip


@pytest.mark.process
def test_a_sweep_is_judged(tmp_path) -> None:
    (tmp_path / "a.yml").write_bytes((ROOT / "examples" / "msrresnet_x4.yml").read_bytes())
    words = ("a.yml", "datasets.train.batch_size_per_gpu=4,8,16", "-t", "t4", "--no-trace")
    done = run_without(tmp_path, "sweep", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("typos.yml", "-t", "local", "--no-trace"), 2, 'target "local": no NVIDIA GPU found'),
        *(
            pytest.param(*row, marks=pytest.mark.process)
            for row in (
                (("typos.yml", "-t", "rtx-3060", "--no-trace"), 1, "[crop-scale]"),
                (("typos.yml", "--fix", "-t", "rtx-3060", "--no-trace"), 1, "fixed"),
                (("fit", "typos.yml", "-t", "rtx-3060", "--no-trace"), None, "rtx-3060"),
                (("spec", "typos.yml"), 0, "batch"),
                (("rules",), 0, "vram-budget"),
            )
        ),
    ],
)
def test_commands_work(tmp_path, words, code, said) -> None:
    (tmp_path / "typos.yml").write_text(CONFIG, encoding="utf-8")
    done = run_without(tmp_path, *words)
    assert said in done.stdout + done.stderr
    assert "internal error" not in done.stderr
    assert code is None or done.returncode == code, done.stderr
