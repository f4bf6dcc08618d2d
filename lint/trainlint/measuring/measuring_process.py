# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Starting a measurement: a fresh process per run, so that no figure carries over into the next."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from trainlint import child_processes
from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError, UsageError
from trainlint.measuring.gpu_reading import Reading, Request
from trainlint.measuring.package_copy import START, copy_package
from trainlint.shipped.resource_paths import PACKAGE

TIMEOUT_S: Final = 3600
"""An hour: cudnn.benchmark may try every algorithm of a large network first."""
ERRORS: Final[Mapping[str, type[TrainlintError]]] = {
    "usage": UsageError,
    "arguments": BadArgumentsError,
    "trace": CannotTraceError,
}


@dataclass(frozen=True)
class MeasuringProcess:
    """Runs requests in `python`, the user's own interpreter, or in this one (None).

    `networks` are the user's network files and folders: their code runs.
    """

    python: Path | None = None
    networks: tuple[Path, ...] = ()
    timeout_s: float = TIMEOUT_S

    def __call__(self, request: Request) -> Reading:
        """Return what a run showed; UsageError without a GPU, CannotTraceError where the step cannot run."""
        message = {
            "request": asdict(request),
            "networks": [str(path.absolute()) for path in self.networks],
            "environment": self.python is not None,
        }
        with tempfile.TemporaryDirectory(prefix="trainlint-") as folder:
            if self.python is not None:
                copy_package(Path(folder))
            reply = self._ask(message, folder)
        if "error" in reply:
            raise ERRORS.get(reply.get("kind", ""), CannotTraceError)(str(reply["error"]))
        return Reading.parse(reply["reading"])

    def _ask(self, message: Mapping[str, Any], folder: str) -> dict[str, Any]:
        """Send a message; modules come from our package or its copy, never from the working folder."""
        python, place = (
            (sys.executable, str(PACKAGE.parent)) if self.python is None else (self.python, folder)
        )
        try:
            start = START.format(folder=place, module="on_gpu.measure_step")
            done = child_processes.run(
                [python, "-c", start], json.dumps(message), timeout=self.timeout_s, cwd=folder
            )
            answer: dict[str, Any] = json.loads(done.stdout)
        except subprocess.TimeoutExpired as error:
            raise CannotTraceError(f"the run took longer than {self.timeout_s:.0f} s") from error
        except OSError as error:
            raise UsageError(
                f'"{python}" is not a Python interpreter that can be run: {error.strerror}'
            ) from error
        except json.JSONDecodeError as error:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise CannotTraceError(f"the run stopped with exit code {done.returncode}: {last}") from error
        return answer
