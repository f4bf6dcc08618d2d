"""Stored tapes: a folder of profiles, and the search for one before torch is asked to trace.

Looked through in this order: the project's own folder, the user's cache, those that travel with trainlint.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trainlint.estimate.encoding import StaleError, decode, encode
from trainlint.resources import PACKAGE
from trainlint.tape import Tape

SUFFIX: Final = ".tape"
KEY_DIGITS: Final = 24
"""Hexadecimal digits of the key in a profile's name; the header has all of it."""
PROJECT: Final = Path(".trainlint", "profiles")


@dataclass
class Store:
    """A folder of profiles; `refused` says why files in it that were looked at were not used."""

    folder: Path
    refused: dict[Path, str] = field(default_factory=dict)

    def find(self, key: str, batch: int) -> Tape | None:
        """Return the stored tape that speaks for `batch` samples per GPU, the one made for it alone first."""
        for path in (self.folder / f"{_name(key)}-{batch}{SUFFIX}", self.folder / f"{_name(key)}{SUFFIX}"):
            tape = self._read(path, key)
            if tape is not None and speaks_for(tape, batch):
                return tape
        return None

    def _read(self, path: Path, key: str) -> Tape | None:
        try:
            tape = decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            self.refused[path] = f"it cannot be read: {error.strerror}"
        except StaleError as error:
            self.refused[path] = str(error)
        else:
            if tape.key == key:
                return tape
            self.refused[path] = "it is of another step than its name says"
        return None

    def save(self, tape: Tape) -> Path:
        """Write a profile, whole or not at all; OSError where the folder cannot be used."""
        self.folder.mkdir(parents=True, exist_ok=True)
        batches = "".join(f"-{batch}" for batch in tape.batches)
        path = self.folder / f"{_name(tape.key)}{batches}{SUFFIX}"
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(encode(tape))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        self.refused.pop(path, None)
        return path


def _name(key: str) -> str:
    return key[:KEY_DIGITS]


def speaks_for(tape: Tape, batch: int) -> bool:
    """Tell whether a tape holds for this many samples per GPU."""
    return not tape.batches or batch in tape.batches


def project_folder(root: Path) -> Path:
    """Return where a project keeps the profiles that it commits."""
    return root / PROJECT


def user_folder() -> Path:
    """Return the user's cache of profiles."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - a few ms that not every command needs

    return user_cache_path("trainlint", appauthor=False) / "profiles"


def shipped_folder() -> Path:
    """Return the profiles that travel with trainlint."""
    return PACKAGE / "profiles"
