# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command's first step: an answer that was kept is printed before anything else is imported."""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than a kept answer to print
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final, NoReturn

    from trainlint.cli.answers import AnswerRecording, Said

OTHERS: Final = (
    "diff",
    "explain",
    "spec",
    "init",
    "trace",
    "measure",
    "rule",
    "rules",
    "targets",
    "dialects",
    "schema",
    "lsp",
    "sweep",
)
"""Commands whose answers are not kept: `check`, which needs no name, and `fit` are left."""
COMPLETION: Final = "_TRAINLINT_COMPLETE"
"""A shell asks click for words by this variable."""
OWN: Final = (
    *("-", "--help", "-h", "--version", "--debug", "--no-cache", "--fix", "--data", "--log", "--python"),
    *("--jobs", "--networks", "--output", "-o", "--report", "--write-baseline"),
)
"""Words that make a run's output its own: standard input, files written, what lies outside of a project, what
other processes ask."""


def run() -> NoReturn:
    """Run the command as main.run does, or print again what it printed for the same questions."""
    try:
        _check_folder()
        _answer(sys.argv[1:])
    except SystemExit as end:
        _leave(end.code)


def _check_folder() -> None:
    """End where the working folder was deleted: nothing can be found from it, installed packages neither."""
    try:
        os.getcwd()  # noqa: PTH109 - importing pathlib takes longer than printing what was kept
    except OSError:
        sys.stderr.write("trainlint: the working folder is no longer there: change into one that is\n")
        sys.exit(2)


def _answer(words: Sequence[str]) -> NoReturn:
    if not is_asked(words):
        _run(words)
    from trainlint.cli import answers  # noqa: PLC0415 - not for --version

    found = answers.known(words)
    if found is None:
        _run(words, answers.AnswerRecording(words))
    said, code = found
    try:
        _print(said)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more
        sys.exit(1)
    sys.exit(code)


def is_asked(words: Sequence[str]) -> bool:
    """Say whether a command is one whose answers are kept, on streams that take any text as it is."""
    if not words or words[0] in OTHERS or any(word.partition("=")[0] in OWN for word in words):
        return False
    utf8 = all((stream.encoding or "").lower() == "utf-8" for stream in (sys.stdout, sys.stderr))
    return utf8 and os.name == "posix"  # elsewhere Python asks the system past `os`


def _leave(code: str | int | None) -> NoReturn:
    """End the process as sys.exit does, without freeing one object after the other: 0.3 of yamllint's run.

    What has to be done at the end is done: functions registered for it, and what is still to be written.
    """
    threading = sys.modules.get("threading")  # nobody's threads where nobody imported it
    if isinstance(code, str) or _is_watched() or (threading is not None and threading.active_count() > 1):
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001 - nothing public runs them
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (AttributeError, OSError, ValueError):  # no stream, nobody who reads it, or closed
        sys.exit(code)
    os._exit(code or 0)


def _is_watched() -> bool:
    """Say whether a profiler or a debugger runs us: it writes what it saw after us."""
    if sys.version_info >= (3, 12) and any(map(sys.monitoring.get_tool, range(6))):
        return True
    return sys.getprofile() is not None or sys.gettrace() is not None


def _run(words: Sequence[str], recording: AnswerRecording | None = None) -> NoReturn:
    """Run what the words ask for: where they are paths and common options, without click."""
    from trainlint import module_store  # noqa: PLC0415 - a kept answer takes five modules

    module_store.use()
    from trainlint.cli import ending  # noqa: PLC0415 - as above

    gc.set_threshold(ending.GARBAGE)  # before the other modules are imported: they leave no cycles either
    found = None
    if _may_be_plain(words):
        from trainlint.cli.plain_words import asked  # noqa: PLC0415 - takes longer than a kept answer

        found = asked(words[1:] if words[0] == "check" else words)
    if found is None:
        from trainlint.cli import main  # noqa: PLC0415 - as above

        main.run(recording=recording)
    ending.end(lambda: _checked(*found), recording, debug=False)


def _may_be_plain(words: Sequence[str]) -> bool:
    """Say whether click has nothing to do but parse: no shell's completion, no patterns of Windows."""
    mine = words and words[0] not in OTHERS and words[0] != "fit"
    return bool(mine) and os.name == "posix" and COMPLETION not in os.environ


def _checked(paths: tuple[str, ...], options: Mapping[str, Any]) -> int:
    _postpone("inspect")
    from trainlint.cli.checking import check  # noqa: PLC0415 - takes longer than a kept answer

    return check(paths, options)


def _postpone(name: str) -> None:
    """Have a module imported when it is first asked for something; dataclasses asks `inspect` for nothing.

    importlib.util.LazyLoader would import it as soon as a second module imports it.
    """
    if name in sys.modules:
        return
    from importlib import import_module  # noqa: PLC0415 - takes longer than a kept answer
    from types import ModuleType  # noqa: PLC0415 - as above

    waiting = ModuleType(name)

    def __getattr__(asked: str) -> Any:  # noqa: N807 - a module's own (PEP 562)
        if sys.modules.get(name) is waiting:
            del sys.modules[name]
        vars(waiting).update(vars(import_module(name)))
        try:
            return vars(waiting)[asked]
        except KeyError:
            raise AttributeError(f"module {name!r} has no attribute {asked!r}") from None

    vars(waiting)["__getattr__"] = __getattr__
    sys.modules[name] = waiting


def _print(said: Said) -> None:
    """Print what went through the gate before (console.py), in its order."""
    for err, text in said:
        stream = sys.stderr if err else sys.stdout
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # Python's own streams have it
        stream.write(text)
        stream.flush()
