# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Folders that the program looks for its samples in and that are not there, whatever it then dies of."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import traceback
from pathlib import Path
from types import FrameType
from typing import Any, Final

from trainlint.trace.dry_run.doubts import NEAREST, Doubt
from trainlint.trace.dry_run.program_place import SKIPPED_MODULES, Place, place_of, places_of

LOOKED_THROUGH: Final = ("os.listdir", "os.scandir", "glob.glob", "pathlib.Path.glob", "pathlib.Path.rglob")
"""Python's audit events of a folder that is looked through: its path, then the pattern if it is apart."""
STEPS_OF_A_SEARCH: Final = (__name__.partition(".")[0], "glob", "os", "pathlib")
"""Modules between the one that looks for files and the event."""
MOST_FOLDERS: Final = 64
NOTHING_THERE: Final = re.compile(
    r"\b(?:no|empty|0|zero|at least|len|found?|find|missing|enough|exists?|directory|folder)\b"
    r"|\bnot? (?:a|valid)\b",
    re.IGNORECASE,
)
"""What is said of data of which there is none."""
OF_CODE: Final = (AttributeError, ImportError, KeyError, NameError, SyntaxError, TypeError)
"""Errors that a folder without samples does not lead to."""
WORD: Final = re.compile(r"[^\s'\"`,;()\[\]<>=]+")
_MAGIC: Final = re.compile(r"[*?\[]")


class MissingData:
    """The folders that were looked for so far, each with the places that did."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[Place, ...]] = {}
        folders = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix}
        self._installed = tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in folders)

    def look(self, event: str, arguments: Any) -> None:
        """Keep a folder that the program looks through and that is not there."""
        if event not in LOOKED_THROUGH or len(self._places) >= MOST_FOLDERS:
            return
        frame = sys._getframe()  # noqa: SLF001 - documented, whatever its name
        folder = "" if _is_torchs(frame) else _folder(event, arguments)
        is_known = not folder or folder in self._places or self._is_installed(folder)
        if not is_known and not Path(folder).is_dir():
            self._places[folder] = places_of(place_of(frame))[:NEAREST]

    def of(self, error: BaseException, frames: traceback.StackSummary) -> str:
        """Return the path that an error names, or the folder it comes of, which is not there; "": none."""
        own = [frame for frame in frames if not self._is_installed(frame.filename)]
        said = f"{error} {(own[-1].line or '') if own else ''}"
        if isinstance(error, OF_CODE) or NOTHING_THERE.search(said) is None:
            return ""
        for match in WORD.finditer(str(error)):
            word = match[0].rstrip(".:")
            if "://" not in word and os.sep in word.strip(os.sep) and not Path(word).exists():
                return word
        summary = traceback.StackSummary.from_list(own)
        doubts = (Doubt(places, folder, lines=sys.maxsize) for folder, places in self._places.items())
        return next((doubt.reason for doubt in doubts if doubt.led_to(error, summary)), "")

    def _is_installed(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self._installed)


def _is_torchs(frame: FrameType | None) -> bool:
    """Return whether torch looks for its own libraries, or Python for modules."""
    while frame is not None and _module(frame) in STEPS_OF_A_SEARCH:
        frame = frame.f_back
    return frame is None or _module(frame) in SKIPPED_MODULES


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _folder(event: str, arguments: Any) -> str:
    """Return the folder of an event, before the first wildcard of its pattern; "" where none is named."""
    path = arguments[0] if arguments else None
    if not isinstance(path, (str, Path)):
        return ""
    pattern = str(Path(path, str(arguments[1])) if event.startswith("pathlib.") else path)
    wild = _MAGIC.search(pattern)
    return pattern[: wild.start()].rpartition(os.sep)[0] if wild else pattern
