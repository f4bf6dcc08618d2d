# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program died of, at the value of its config or command that the message or the traceback names."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from trainlint.dry_run.judging.offered_images import offered_images
from trainlint.dry_run.judging.wanted_package import wanted_package
from trainlint.dry_run.rehearsing.injected_package import OWN_FOLDERS
from trainlint.dry_run.rehearsing.recordings import Recorded
from trainlint.dry_run.rehearsing.run_record import WRONG_WORDS, Died, Frame, LackingPackage
from trainlint.dry_run.starting.interpreters import base
from trainlint.dry_run.starting.program import Program
from trainlint.expressions.patterns import later
from trainlint.model.document import Document
from trainlint.model.document import Path as KeyPath
from trainlint.model.job import Problem

RULE: Final = "program-crashes"
NAMED_WORDS: Final = later(r"""["'`]([^"'`\n]{2,200})["'`]|\b([A-Za-z_][\w.\-]{3,})\b""")
"""Words of a message that may be a key or a value: in quotes, or of four letters and more."""
OFFLINE: Final = (
    "OfflineModeIsEnabled", "LocalEntryNotFoundError", "ConnectionError", "URLError", "gaierror",
    "ProxyError", "NewConnectionError", "ConnectTimeout", "MaxRetryError",
)  # fmt: skip
"""Errors of a network that a dry run has not."""
UNREACHED: Final = ("name resolution", "Network is unreachable", "urlopen error", "Max retries exceeded")
"""What is said of it, also by a library in an error of its own."""
QUESTION_ERROR: Final = "EOFError"
"""The error of a program that asks a question: there is no answer in a dry run."""
HELD_BACK: Final = ("PermissionError", QUESTION_ERROR)
"""Errors by which an enclosure shows, where the real run may go on."""
KEPT_OUT: Final = "the dry run keeps it from writing there"
NO_ROOM: Final = ("DefaultCPUAllocator", "Cannot allocate memory")
"""What is said where this machine's memory, or the share of it that a dry run gives, is at its end."""
OUT_OF_MEMORY: Final = "MemoryError"
OF_LAYERS: Final = (errno.EOVERFLOW, errno.EROFS, errno.EXDEV)
"""Numbers of errors that a private layer has, and a plain folder hardly ever."""
IMITATION: Final = f"{os.sep}{OWN_FOLDERS[0]}{os.sep}{OWN_FOLDERS[1]}{os.sep}"
DEEPSPEED: Final = "deepspeed"
OF_CODE: Final = ("ModuleNotFoundError", "ImportError", "NameError", "AttributeError", "UnboundLocalError")
"""Errors of code: in what plays the GPU they are its own."""
LIBRARIES: Final = (
    f"{os.sep}site-packages{os.sep}",
    f"{os.sep}dist-packages{os.sep}",
    f"{os.sep}lib{os.sep}python",
    "<",
    IMITATION,
)


def crash_problem(known: Recorded, document: Document, program: Program) -> Iterator[Problem]:
    """Yield the problem that a crash is: none where the run on the real machine may go on."""
    died = known.died
    if died is None or _is_imitated(died):
        return
    lacks = _of_environment(died, program)
    if lacks is not None and not lacks.refuses:
        return
    elsewhere = died.misses_file or lacks is not None  # the machine with the GPU may have it
    without = f"; {died.missing} is not there" if died.missing else ""
    message = f"{said(died)}{_who_added(died, program)}{without}"
    yield Problem(RULE, message, _place(died, document), on_key=False, harmless=elsewhere)


def _of_environment(died: Died, program: Program) -> LackingPackage | None:
    """Return what a program could not import where that may be so in this environment alone."""
    return None if program.is_environment_named else died.lacks


def _who_added(died: Died, program: Program) -> str:
    """Say that a starter added the word that the program refuses."""
    words = (word for word in program.added_words if word.partition("=")[0] in died.message)
    word = next(words, None)
    if word is None or died.type != WRONG_WORDS:
        return ""
    option = "--no_local_rank" if program.starter == DEEPSPEED else "--use-env"
    return f" ({program.starter} adds {word}: start it by torchrun, or with {option})"


def why_unjudged(known: Recorded, program: Program) -> str:
    """Say why there is nothing to judge memory by."""
    died = known.died
    if died is None:
        return known.stopped or "nothing was recorded"
    lacks = _of_environment(died, program)
    if _is_imitated(died):
        return _held_back(died)
    if lacks is not None:
        return wanted_package(lacks, first_line(died))
    if died.missing:
        images = offered_images(died, program)
        return f"{died.missing} is not there, and it stops without it: put it there{images}"
    if died.misses_file:
        images = offered_images(died, program)
        return f"it needs a file that is not there ({first_line(died)}): put it there{images}"
    steps = known.outcome.rounds
    return f"it stops after {steps} training steps" if steps else "it stops before a training step is done"


def _held_back(died: Died) -> str:
    """Say what the dry run does not have, or does not do, that the program wants."""
    if _wants_network(died):
        where = "put the file where it looks, or use --network on a machine that can reach it"
        return f"it needs the network ({first_line(died)}): {where}"
    if died.type == QUESTION_ERROR:
        return f"it waits for input on standard input ({first_line(died)}): answer by a flag or a file"
    if _wants_memory(died):
        return f"it needs more of this machine's memory than a dry run gives it ({first_line(died)})"
    why = died.reason or (KEPT_OUT if died.type in HELD_BACK else "what plays the GPU caused it")
    if why == first_line(died):  # an error of ours, which says no more than the reason
        return why
    return f"it stops with {died.type} ({first_line(died)}): {why}"


def _is_imitated(died: Died) -> bool:
    """Return whether the real run may go on: the imitation failed, or the dry run holds something back."""
    inside = bool(died.frames) and IMITATION in died.frames[-1].file and died.type in OF_CODE
    layered = any(f"[Errno {number}]" in died.message for number in OF_LAYERS)
    return (
        died.imitation or inside or layered or died.type.rpartition(".")[2] in HELD_BACK
        or _wants_network(died) or _wants_memory(died)
    )  # fmt: skip


def _wants_memory(died: Died) -> bool:
    return died.type == OUT_OF_MEMORY or any(words in died.message for words in NO_ROOM)


def _wants_network(died: Died) -> bool:
    kinds = {kind.rpartition(".")[2] for kind in (died.type, *died.causes)}
    return not kinds.isdisjoint(OFFLINE) or any(words in died.message for words in UNREACHED)


def said(died: Died) -> str:
    """Say what a program dies of and where: its own last line, and not a library's."""
    if died.type == WRONG_WORDS:
        return f"the program refuses its command: {first_line(died)}"
    if died.type == "SystemExit":
        return f"the program stops: {first_line(died)}"
    frame = own_frame(died.frames)
    where = "" if frame is None else f", at {_seen(frame.file)}:{frame.line} in {frame.function}"
    return f"the program stops with {died.type.rpartition('.')[2]}: {first_line(died)}{where}"


def _seen(path: str) -> str:
    """Return a path as seen from the working directory, if it lies in there."""
    relative = os.path.relpath(path) if Path(path).is_absolute() else path
    return path if relative.startswith("..") else relative


def own_frame(frames: Sequence[Frame]) -> Frame | None:
    """Return the last frame of the program's own; of a library's where there is no other."""
    own = [frame for frame in frames if not any(part in frame.file for part in LIBRARIES)]
    known = own or list(frames)
    return known[-1] if known else None


def first_line(died: Died) -> str:
    """Return what a program says in the first line of its error."""
    lines = [line.strip() for line in died.message.splitlines() if line.strip()]
    return lines[0] if lines else "without a word"


def _place(died: Died, document: Document) -> KeyPath:
    """Return the path of the value that a message is about; the root where it names none."""
    names = [match[1] or match[2] for match in NAMED_WORDS.finditer(died.message)]
    values = {str(value): path for path, value in _leaves(document.value, ()) if _telling(value)}
    keys: dict[str, list[KeyPath]] = {}
    for path, _ in _leaves(document.value, ()):
        for depth in range(1, len(path) + 1):
            keys.setdefault(str(path[depth - 1]), []).append(path[:depth])
    for name in names:
        if name in values:
            return values[name]
    for name in names:
        known = list(dict.fromkeys(keys.get(name, ())))
        if len(known) == 1:
            return known[0]
    ends = {base(value): path for value, path in values.items()}
    return next((ends[base(name)] for name in names if base(name) in ends), ())


def _telling(value: Any) -> bool:
    """Return whether a value is one that a message is known by: no number, and no word of two letters."""
    return isinstance(value, str) and len(value) > 2  # noqa: PLR2004 - letters


def _leaves(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
        if not value:
            yield path, value
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value
