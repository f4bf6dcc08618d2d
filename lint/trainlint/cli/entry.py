# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command's process: how it begins, and how it ends."""

# ruff: noqa: E402 - imports wait until the path is clean

from __future__ import annotations

from trainlint.cli.starting.import_path import drop_relative_entries, drop_relative_libraries

drop_relative_entries()  # before anything else is imported
drop_relative_libraries()

import atexit
import gc
import os
import sys
from typing import Final, NoReturn

from trainlint.cli.starting.option_like_files import refuse_named_files
from trainlint.cli.starting.streams import check_streams

GARBAGE_THRESHOLD: Final = 100_000
"""Objects between two searches for cycles: reading tapes makes a million small tuples and hardly a cycle."""


def run() -> NoReturn:
    """Run the command as main.run does, and end the process quickly."""
    try:
        check_streams()
        _check_folder()
        refuse_named_files(sys.argv[1:])
        _run()
    except SystemExit as end:
        _leave(end.code)


def _check_folder() -> None:
    """End where the working folder is gone: nothing can be found from it, installed packages neither."""
    try:
        os.stat(os.getcwd())  # noqa: PTH109, PTH116 - pathlib may be one of the packages that cannot be found
    except FileNotFoundError:
        sys.stderr.write("trainlint: the working folder is no longer there: change into one that is\n")
        sys.exit(2)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        sys.stderr.write(f"trainlint: the working folder cannot be read: {why}; change into another\n")
        sys.exit(2)


def _run() -> NoReturn:
    gc.set_threshold(GARBAGE_THRESHOLD)  # before the other modules are imported: they leave no cycles either
    from trainlint.cli import main  # noqa: PLC0415 - as above

    main.run()


def _leave(code: str | int | None) -> NoReturn:
    """End the process as sys.exit does, without freeing one object after the other: 0.3 of yamllint's run.

    What has to be done at the end is done: functions registered for it, and what is still to be written.
    """
    threading = sys.modules.get("threading")  # no threads where it was not imported
    if isinstance(code, str) or _is_watched() or (threading is not None and threading.active_count() > 1):
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 - nothing public runs them
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (AttributeError, OSError, ValueError):  # no stream, no reader, or closed
        sys.exit(code)
    os._exit(code or 0)


def _is_watched() -> bool:
    """Say whether a profiler or a debugger runs us: it writes what it saw after us."""
    if sys.version_info >= (3, 12) and any(map(sys.monitoring.get_tool, range(6))):
        return True
    return sys.getprofile() is not None or sys.gettrace() is not None
