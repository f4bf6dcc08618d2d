"""Stored tapes: a folder of profiles, and the search for one before torch is asked to trace.

Looked through in this order: the project's own folder, the user's cache, those that travel with trainlint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from trainlint.estimate.crop_file import decode_crops, encode_crops
from trainlint.estimate.crops import Crops
from trainlint.estimate.encoding import StaleError, decode, encode
from trainlint.resources import PACKAGE
from trainlint.tape import Tape

Read = TypeVar("Read")

SUFFIX: Final = ".tape"
CROPS_SUFFIX: Final = ".crops"
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
        for path in self._paths(key, batch, SUFFIX):
            found = self._read(path, decode)
            if found is not None and self._is_of(path, found.key, key) and speaks_for(found, batch):
                return found
        return None

    def find_crops(self, key: str, batch: int) -> Crops | None:
        """Return the stored crops that speak for `batch` samples per GPU."""
        for path in self._paths(key, batch, CROPS_SUFFIX):
            found = self._read(path, decode_crops)
            if found is not None and self._is_of(path, found[0], key) and speaks_for(found[1].tape, batch):
                return found[1]
        return None

    def _paths(self, key: str, batch: int, suffix: str) -> tuple[Path, Path]:
        return self.folder / f"{_name(key)}-{batch}{suffix}", self.folder / f"{_name(key)}{suffix}"

    def _read(self, path: Path, read: Callable[[bytes], Read]) -> Read | None:
        try:
            return read(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            self.refused[path] = f"it cannot be read: {error.strerror}"
        except StaleError as error:
            self.refused[path] = str(error)
        return None

    def _is_of(self, path: Path, found: str, key: str) -> bool:
        if found != key:
            self.refused[path] = "it is of another step than its name says"
        return found == key

    def save(self, tape: Tape) -> Path:
        """Write a profile, whole or not at all; OSError where the folder cannot be used."""
        return self._save(tape.key, tape.batches, SUFFIX, encode(tape))

    def save_crops(self, crops: Crops, key: str) -> Path:
        """Write a step's crops under their common key, as `save` does."""
        return self._save(key, crops.tape.batches, CROPS_SUFFIX, encode_crops(crops, key))

    def _save(self, key: str, batches: Sequence[int], suffix: str, data: bytes) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{_name(key)}{''.join(f'-{batch}' for batch in batches)}{suffix}"
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(data)
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
