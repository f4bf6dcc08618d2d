# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs the command in forks of a process that has its modules imported: 0.1 s instead of 0.5, 3 with torch.

Each run has a process of its own, as a shell would start it, with its own folder, environment and streams; it
leaves nothing to the next. Only what Python itself does before the first import has been done, and what is
shipped was read: who asks for that starts an interpreter.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO

IMPORTED = (
    "jsonschema",
    "cerberus",
    "trainlint.cli.main",
    "trainlint.cli.commands.check_command",
    "trainlint.cli.lint_and_report",
    "trainlint.cli.commands.fit_command",
    "trainlint.cli.commands.explain_command",
    "trainlint.cli.commands.diff_command",
    "cel_expr_python.ext",
    "tomli",
    "trainlint.cli.entry",
    "trainlint.cli.starting.option_like_files",
    "trainlint.commands.scripts",
    "trainlint.config.toml",
    "trainlint.dialects.reader.doubt_summary",
    "trainlint.dialects.reader.weighing",
    "trainlint.dialects.reader.lacking_in_source",
    "trainlint.documents.markdown_page",
    "trainlint.estimate.exceeding_card",
    "trainlint.judge.fixes.fixer",
    "trainlint.report.brief.job_text",
    "trainlint.report.fingerprint",
)
"""What the server imports, where it is there: what most runs need and takes longest."""
TRACER = ("torch", "trainlint.trace.trace")
"""What it imports besides for runs that trace."""
TIMEOUT_S = 120
EXAMPLES = (
    "msrresnet_x4.yml",
    "trainers/trainner-redux_x4.yml",
    "trainers/timm.sh",
    "trainers/litgpt_lora.yaml",
)
"""Configs that it judges once, so that rules, dialects and expressions are in memory before it forks."""


class ForkServer:
    """A process that runs commands for the tests of one worker."""

    def __init__(self, folder: Path, *names: str) -> None:
        """`names` are the modules that it imports, once it is asked to run something."""
        self.folder, self.names = folder, names

    def start(self) -> None:
        """Begin the process, which imports while other tests run."""
        _ = self._process

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        command = [sys.executable, __file__, *self.names]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def run(
        self, arguments: Sequence[str], folder: Path, env: Mapping[str, str], text: str | None
    ) -> subprocess.CompletedProcess[str]:
        """Run `python -m trainlint ARGUMENTS` in a folder and return what it printed."""
        given, out, err = (self.folder / name for name in ("stdin", "stdout", "stderr"))
        given.write_text(text or "", "utf-8")
        request = {
            "arguments": arguments, "folder": str(folder), "env": dict(env),
            "streams": [str(given), str(out), str(err)],
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        words = [sys.executable, "-m", "trainlint", *arguments]
        if code == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(words, TIMEOUT_S)
        printed = (path.read_text("utf-8") for path in (out, err))
        return subprocess.CompletedProcess(words, code, *printed)

    def close(self) -> None:
        """End the process, where there is one."""
        process = vars(self).pop("_process", None)
        if process is not None:
            process.communicate()


STARTED: list[ForkServer] = []
"""The server of this worker, without torch, where it was started before the first test."""


def serve() -> None:
    """Run a command for each line of standard input, and print its exit code."""
    for name in sys.argv[1:]:
        with suppress(ImportError):
            import_module(name)
    read_what_is_shipped()
    gc.freeze()  # or a fork's search for cycles copies all of it
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201 - the answer


def read_what_is_shipped() -> None:
    """Judge the examples: rules, dialects, expressions and the names of networks are in memory then."""
    from trainlint import check  # noqa: PLC0415 - once what the caller named is imported
    from trainlint.catalogue.zoo.file_check import check_all_tables  # noqa: PLC0415 - the same
    from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES  # noqa: PLC0415 - the same

    examples = Path(__file__).resolve().parents[1] / "examples"
    check([examples / name for name in EXAMPLES], targets=["rtx-3060"], trace=False)
    for kind in (NETWORKS, RECIPES):
        check_all_tables(kind)


def _run(arguments: Sequence[str], folder: str, env: Mapping[str, str], streams: Sequence[str]) -> NoReturn:
    """Be the command: nothing of the server is left but what it imported."""
    signal.alarm(TIMEOUT_S)
    for number, (path, flags) in enumerate(
        zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_TRUNC] * 2), strict=True)
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.stdin, sys.stdout, sys.stderr = map(_stream, range(3), "rww")
    sys.argv = ["trainlint", *arguments]
    sys.path[0] = folder
    code: object = 1
    try:
        runpy.run_module("trainlint", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _stream(number: int, mode: str) -> TextIO:
    return os.fdopen(number, mode, encoding="utf-8", closefd=False)


if __name__ == "__main__":
    serve()
