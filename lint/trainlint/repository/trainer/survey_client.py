# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Asking what a repository's Python says: a limited process parses it, started for the first question."""

from __future__ import annotations

import atexit
import json
import sys
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trainlint.files.safe_open import note_failure
from trainlint.repository.trainer.definitions import QUIET_FUNCTIONS, BrokenFile, Survey
from trainlint.shipped.resource_paths import PACKAGE

if TYPE_CHECKING:
    import subprocess

TIMEOUT_S: Final = 600
"""Seconds on the clock for an answer: its process was stopped then, since counts end its work long before."""
MOST_ANSWER_CHARACTERS: Final = 16 << 20
"""Characters of an answer; BasicSR's longest has 200 KB."""
MOST_FAILURES: Final = 3
"""Questions about one repository that may fail before no more are asked."""
MOST_RUNNING: Final = 8
"""Processes that wait for a further question: a folder may hold any number of repositories."""
START: Final = (
    "import sys; sys.path[:] = [{folder!r}, *sys.path]; "
    "from trainlint.repository.survey.survey_process import main; main()"
)
NO_ANSWER: Final = "the process that reads its source has ended early"


class SurveyProcess:
    """The process that reads one repository."""

    def __init__(self, root: Path, package: str) -> None:
        self.root, self.package = root, package
        self.failures = 0
        self._process: subprocess.Popen[str] | None = None

    def answer(self, question: tuple[str, ...] | dict[str, str]) -> dict[str, Any]:
        """Return the answer to one question, or {"error": why}."""
        answer: Any = None
        if self.failures < MOST_FAILURES:
            try:
                answer = self._talk(json.dumps(question))
            except (OSError, ValueError, RecursionError) as error:
                note_failure(self.root, error)
                self.close()
        if not isinstance(answer, dict) or "error" in answer:
            self.failures += 1
        return answer if isinstance(answer, dict) else {"error": NO_ANSWER}

    def _talk(self, question: str) -> Any:
        process = self._process = self._process or self._start()
        if process.stdin is None or process.stdout is None:
            return None
        watch = threading.Timer(TIMEOUT_S, process.kill)
        watch.start()
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline(MOST_ANSWER_CHARACTERS))
        finally:
            watch.cancel()

    def _start(self) -> subprocess.Popen[str]:
        import subprocess  # noqa: PLC0415  # slow, and a config alone has no repository

        running = [survey for survey in _PROCESSES.values() if survey.is_running]
        for survey in running[: max(0, len(running) + 1 - MOST_RUNNING)]:
            survey.close()
        command = [sys.executable, "-I", "-S", "-c", START.format(folder=str(PACKAGE.parent))]
        process = subprocess.Popen(  # noqa: S603 - our own interpreter on our own code
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="ascii", cwd=PACKAGE,
        )  # fmt: skip
        atexit.register(self.close)
        if process.stdin is not None:
            process.stdin.write(json.dumps([str(self.root), QUIET_FUNCTIONS, self.package]) + "\n")
        return process

    @property
    def is_running(self) -> bool:
        """Whether its process waits for a question."""
        return self._process is not None

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


_PROCESSES: Final[dict[tuple[Path, str], SurveyProcess]] = {}


def _asked(root: Path, package: str) -> SurveyProcess:
    return _PROCESSES.setdefault((root, package), SurveyProcess(root, package))


def forget() -> None:
    """Read every repository again when it is asked about next."""
    for process in _PROCESSES.values():
        process.close()
    _PROCESSES.clear()
    for known in (ask, ask_parser, ask_declares, ask_options):
        known.cache_clear()


@cache
def ask(root: Path, names: tuple[str, ...], package: str = "") -> Survey:
    """Return what classes and functions of these names lead to in a repository; `error` says why not.

    `package` is the trainer's: a folder inside that has one of the same name is another trainer.
    """
    answer = _asked(root, package).answer(names)
    if "error" in answer:
        broken = answer.get("broken")
        return Survey({}, {}, error=str(answer["error"]), broken=BrokenFile(**broken) if broken else None)
    return Survey(answer["places"], answer["nodes"], answer["patches"], answer["altered"])


@cache
def ask_parser(root: Path, script: str) -> dict[str, Any] | None:
    """Return what the argparse parser of a script takes, by its path from the root; None where unknown.

    {"flags": [{names, dest, positional, action, type, choices, default, nargs, required}], "whole": bool}
    """
    answer = _asked(root, "").answer({"parser": script}).get("parser")
    return answer if isinstance(answer, dict) else None


@cache
def ask_declares(root: Path, key: str) -> bool | None:
    """Return whether a class of the repository has a field of a name; None where unknown."""
    answer = _asked(root, "").answer({"declares": key}).get("declares")
    return answer if isinstance(answer, bool) else None


@cache
def ask_options(root: Path, path: str) -> dict[str, Any] | None:
    """Return the classes with annotated fields of a file at a path from the root; None where unknown."""
    answer = _asked(root, "").answer({"options": path}).get("options")
    return answer if isinstance(answer, dict) else None
