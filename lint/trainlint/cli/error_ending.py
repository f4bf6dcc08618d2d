# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a run of the command ends: what is an error's message and exit code."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, NoReturn

from trainlint.errors import TrainlintError

if TYPE_CHECKING:
    from collections.abc import Callable

EXIT_USAGE, EXIT_INTERNAL, EXIT_INTERRUPT = 2, 3, 130


class ReaderLeftError(Exception):
    """The output is no longer read. It is no OSError: click ends on those with 1, which says findings."""


def end(work: Callable[[], object], *, debug: bool) -> NoReturn:
    """Do a command's work and exit; `debug` alone shows a traceback."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # torch's advice is for whoever wrote the step, not for our reader
    try:
        code = work()
    except TrainlintError as error:
        _complain(str(error))
        sys.exit(EXIT_USAGE)
    except KeyboardInterrupt:
        _complain("interrupted")
        sys.exit(EXIT_INTERRUPT)
    except (BrokenPipeError, ReaderLeftError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more
        sys.exit(EXIT_USAGE)
    except Exception as error:  # noqa: BLE001  # what is ours is reported, whatever it is
        if debug:
            _show_traceback(error)
            sys.exit(EXIT_INTERNAL)
        _complain(f"internal error: {type(error).__name__}: {error}; please report it (--debug shows where)")
        sys.exit(EXIT_INTERNAL)
    sys.exit(code if isinstance(code, int) else 0)


def _show_traceback(error: BaseException) -> None:
    import traceback  # noqa: PLC0415 - for --debug alone

    from trainlint.cli.console import say  # noqa: PLC0415 - not needed for --version

    say("".join(traceback.format_exception(error)), err=True)


def _complain(message: str) -> None:
    from trainlint.cli.console import complain  # noqa: PLC0415 - not needed for --version

    complain(message)
