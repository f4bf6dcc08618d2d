# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing in the user's own interpreter (--python PATH): what comes back is a tape, not code.

Only a command-line flag or the user's own settings name that interpreter, never a file of the linted tree.
"""

from __future__ import annotations

import base64
import binascii
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint import child_processes
from trainlint.errors import BadArgumentsError, CannotTraceError, UsageError
from trainlint.estimate.tapes.trains import trained
from trainlint.measuring.package_copy import START, copy_package
from trainlint.tape import Tape
from trainlint.tape.encoding import decode
from trainlint.tape.profile_header import StaleError

TIMEOUT_S: Final = 300
"""A minute covers importing a framework and tracing the largest network met; five allow for a cold disk."""
OUR_WORDS: Final = "if sys.version_info < (3, 11)"
"""Words of it that no Python prints."""


class OtherPython(Struct, frozen=True):
    """An interpreter that traces for us; call it like trace/trace.py's `trace`.

    `paths` are put on its sys.path first: where the user's own modules lie.
    """

    python: Path
    paths: tuple[Path, ...] = ()
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        if shutil.which(self.python) is None:
            raise UsageError(f'"{self.python}" is not a Python interpreter that can be run')

    def __call__(self, step: Mapping[str, Any], **options: Any) -> Tape:
        """Trace `step` there; CannotTraceError carries that interpreter's reason."""
        with tempfile.TemporaryDirectory(prefix="trainlint-") as folder:
            copy_package(Path(folder))
            request = {"step": dict(step), "options": options, "paths": [*map(str, self.paths)]}
            reply = self._ask(request, folder)
        if "error" in reply:
            if reply.get("kind") == "arguments":
                raise BadArgumentsError(str(reply["error"]), str(reply["about"]))
            raise CannotTraceError(str(reply["error"]))
        try:
            tape = decode(base64.b64decode(reply["tape"]))
        except (KeyError, binascii.Error, StaleError) as error:
            raise CannotTraceError(f'"{self.python}" sent no usable tape: {error}') from error
        return trained(tape, self.paths)

    def _ask(self, request: Mapping[str, Any], folder: str) -> dict[str, Any]:
        start = START.format(folder=folder, module="trace_worker")
        try:
            done = child_processes.run(
                [self.python, "-c", start],
                json.dumps(request),
                timeout=self.timeout_s,
                cwd=folder,  # Python looks for modules where it starts: never in the linted tree
            )
        except subprocess.TimeoutExpired as error:
            raise CannotTraceError(f'"{self.python}" took longer than {self.timeout_s:.0f} s') from error
        try:
            reply: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError as error:
            if OUR_WORDS in done.stderr or OUR_WORDS in done.stdout:  # it read them back: a shell, ls, env
                raise UsageError(f'"{self.python}" is not a Python interpreter') from error
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise CannotTraceError(
                f'"{self.python}" stopped with exit code {done.returncode}: {last}'
            ) from error
        return reply
