# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The other end of --python: reads a request on standard input, traces, answers with tapes.

Request and answer are one JSON object each: {"step", "options", "paths"} and {"tape": base64} or
{"error": reason, "kind"}.

What the user's code prints goes to standard error: it cannot spoil the answer.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

from trainlint.child_processes import end_with_parent
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.tape.encoding import encode

OLDEST_TORCH: Final = (2, 6)
"""The oldest that can trace; pyproject.toml's extra `torch` asks for the same."""


def answer(request: dict[str, Any]) -> dict[str, str]:
    """Trace a step with the networks of this environment."""
    check_torch()
    from trainlint.trace.building.build import networks_from, networks_of  # noqa: PLC0415 - imports torch; its absence is an answer too
    from trainlint.trace.building.user_registries import build_from_environment  # noqa: PLC0415 - as above
    from trainlint.trace.trace import trace  # noqa: PLC0415 - as above

    options: dict[str, Any] = {name: tuple(value) for name, value in request["options"].items()}
    files = networks_from(
        [Path(path) for path in request["paths"]]
    )  # for names that the environment does not know
    with files, networks_of(build_from_environment):
        tape = trace(request["step"], **options)
    return {"tape": base64.b64encode(encode(tape)).decode("ascii")}


def check_torch() -> None:
    """Raise CannotTraceError where this torch is too old: what a tracer needs is missing, or crashes."""
    import torch  # noqa: PLC0415 - its absence is an answer too

    version = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if version is not None and (int(version[1]), int(version[2])) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        raise CannotTraceError(
            f"{sys.executable} has torch {torch.__version__}; tracing needs {oldest} or later"
        )


def main() -> None:
    """Answer one request."""
    end_with_parent()
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    sys.path[:0] = request["paths"]
    try:
        reply = answer(request)
    except CannotTraceError as error:
        reply = {"error": error.reason, "kind": "trace"}
        if isinstance(error, BadArgumentsError):
            reply = {"error": error.reason, "kind": "arguments", "about": error.about}
    except ImportError as error:
        reply = {"error": f"{sys.executable} cannot trace: {error}", "kind": "trace"}
    json.dump(reply, channel)
    channel.close()


if __name__ == "__main__":
    main()
