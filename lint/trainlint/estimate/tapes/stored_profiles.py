# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Stored tapes: a folder of profiles, and the search for one before torch is asked to trace.

Looked through in this order: the project's own folder, the user's cache, those that travel with trainlint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import platformdirs
from msgspec import Struct, field

from trainlint.estimate.replay.gpu_ledger import OpenTapeError, check_closed
from trainlint.files.safe_open import is_there
from trainlint.shipped.kept_data import in_wheel
from trainlint.shipped.resource_paths import PACKAGE
from trainlint.tape import EVERY_BATCH, Tape
from trainlint.tape.bounded_read import read_regular
from trainlint.tape.encoding import decode, encode
from trainlint.tape.profile_header import StaleError, read_header
from trainlint.tape.provenance import outdated

if TYPE_CHECKING:
    from trainlint.tape.blueprints.blueprint import Blueprint
    from trainlint.tape.crops.crop_tapes import Crops

Read = TypeVar("Read")

SUFFIX: Final = ".tape"
CROPS_SUFFIX: Final = ".crops"
SIDES_SUFFIX: Final = ".sides"
"""Of crops that lie next to a tape of theirs and have but what it lacks: those that travel with trainlint."""
BLUEPRINT_SUFFIX: Final = ".blueprint"
KEY_DIGITS: Final = 24
"""Hexadecimal digits of the key in a profile's name; the header has all of it."""
PROJECT: Final = Path(".trainlint", "profiles")
MOST_PROFILE_BYTES: Final = 2**21
"""Bytes of a file: a hundred times the largest shipped one."""
MOST_HEADERS: Final = 1000
"""Tapes of a folder whose headers are looked at: a project has one or a few for each of its runs."""


class Store(Struct, dict=True):
    """A folder of profiles; `refused` says why files in it that were looked at were not used.

    `source` (one of tape.SOURCES) is what its tapes are said to be from: where nothing says whose they are, a
    project's. `within` is the folder that no link among them may lead out of.
    """

    folder: Path
    source: str = "project"
    within: Path | None = None
    refused: dict[Path, str] = field(default_factory=dict)
    doubtful: dict[Path, str] = field(default_factory=dict)
    """Why files that were used might say something else if they were traced here and now."""
    checked: bool = False
    """Nothing is added to the folder, and what is in it was found right before it came there."""

    @cached_property
    def _names(self) -> frozenset[str]:
        """The files of a folder to which nothing is added."""
        try:
            return frozenset(os.listdir(self.folder))  # noqa: PTH208 - it is asked for names
        except OSError:
            return frozenset()

    def find(self, key: str, batch: int, *, strict: bool = False) -> Tape | None:
        """Return the stored tape that speaks for `batch` samples per GPU, the one made for it alone first.

        One that is outdated (tape/provenance.py) is refused where this is `strict`.
        """
        for path in self._paths(key, batch, SUFFIX):
            stored = self._read(path, partial(decode, checked=self.checked))
            if stored is None or not self._is_of(path, stored.key, key) or not speaks_for(stored, batch):
                continue
            tape = replace(stored, source=self.source)
            if self.source == "project" and self._is_made_up(path, tape):
                continue
            if self._is_closed(path, tape) and self._is_current(path, tape, strict=strict):
                return tape
        return None

    def headers(self) -> Iterator[Mapping[str, Any]]:
        """Yield what the folder's tapes say of themselves; one that cannot be read is passed over."""
        said = dict(self.refused)
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(SUFFIX))  # noqa: PTH208 - names
        except OSError:
            return
        for name in names[:MOST_HEADERS]:
            header = self._read(self.folder / name, lambda data: read_header(data.partition(b"\n")[0]))
            if header is not None:
                yield header
        self.refused = said  # nothing was looked for there

    def has(self, key: str, batch: int) -> bool:
        """Return whether a file is there in which `find` looks."""
        paths = self._paths(key, batch, SUFFIX)
        return any(path.name in self._names if self.checked else is_there(path) for path in paths)

    def find_crops(self, key: str, batch: int, *, strict: bool = False) -> Crops | None:
        """Return the stored crops that speak for `batch` samples per GPU, as `find` does."""
        from trainlint.tape.crops.crop_file import decode_crops  # noqa: PLC0415 - where no tape is stored

        readers: dict[Path, Callable[[bytes], tuple[str, Crops]]] = dict.fromkeys(
            self._paths(key, batch, CROPS_SUFFIX), decode_crops
        )
        if self.source == "shipped":
            readers[self.folder / f"{_name(key)}{SIDES_SUFFIX}"] = self._sides
        for path, read in readers.items():
            stored = self._read(path, read)
            if (
                stored is None
                or not self._is_of(path, stored[0], key)
                or not speaks_for(stored[1].tape, batch)
            ):
                continue
            if self.source == "project" and self._has_made_up_side(path, stored[1]):
                continue
            tape = replace(stored[1].tape, source=self.source)
            if self._is_closed(path, tape) and self._is_current(path, tape, strict=strict):
                return replace(stored[1], tape=tape)
        return None

    def find_blueprint(self, kind: str, batch: int, *, strict: bool = False) -> Blueprint | None:
        """Return the stored blueprint of a kind of step that speaks for `batch` samples per GPU.

        A project's folder has none: what anybody may have written is a tape, which is checked as it is.
        """
        from trainlint.tape.blueprints.blueprint_file import decode_blueprint  # noqa: PLC0415 - of language models

        if self.source == "project":
            return None
        for path in self._paths(kind, batch, BLUEPRINT_SUFFIX):
            stored = self._read(path, partial(decode_blueprint, checked=self.checked))
            if stored is None or not self._is_of(path, stored.kind, kind):
                continue
            if bool(stored.batches) != (batch < EVERY_BATCH):  # one sample is not padded, and has no mask
                continue
            if self._is_current(path, stored, strict=strict):
                return replace(stored, source=self.source)
        return None

    def _sides(self, data: bytes) -> tuple[str, Crops]:
        from trainlint.tape.crops.sides_file import decode_sides  # noqa: PLC0415 - where no tape is stored

        return decode_sides(data, self._next_to, checked=self.checked)

    def _next_to(self, name: str) -> bytes:
        return read_regular(self.folder / name, MOST_PROFILE_BYTES)

    def path_of(self, key: str) -> Path:
        """Return where the tape of a step lies that speaks for every batch."""
        return self._paths(key, 0, SUFFIX)[1]

    def _paths(self, key: str, batch: int, suffix: str) -> tuple[Path, Path]:
        return self.folder / f"{_name(key)}-{batch}{suffix}", self.folder / f"{_name(key)}{suffix}"

    def _read(self, path: Path, read: Callable[[bytes], Read]) -> Read | None:
        if self.checked and path.name not in self._names:
            return None
        if self.within is not None and os.path.islink(path) and leads_out(path, self.within):  # noqa: PTH114  # no error where it may not look
            self.refused[path] = "it is a link that leads out of the project"
            return None
        try:
            return read(read_regular(path, MOST_PROFILE_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self.refused[path] = f"it cannot be read: {error.strerror}"
        except StaleError as error:
            self.refused[path] = str(error)
        return None

    def _is_made_up(self, path: Path, tape: Tape) -> bool:
        from trainlint.tape.claims import contradiction  # noqa: PLC0415 - of a project's own profiles

        why = contradiction(tape)
        if why is not None:
            self.refused[path] = why
        return why is not None

    def _has_made_up_side(self, path: Path, crops: Crops) -> bool:
        from trainlint.tape.crops.crop_side import NotPolynomialError  # noqa: PLC0415 - where no tape is stored

        try:
            return any(self._is_made_up(path, crops.at(side)) for side in crops.sides)
        except NotPolynomialError:
            self.refused[path] = "it is damaged (its sides are not alike)"
            return True

    def _is_of(self, path: Path, stored_key: str, key: str) -> bool:
        if stored_key != key:
            self.refused[path] = "it is of another step than its name says"
        return stored_key == key

    def _is_closed(self, path: Path, tape: Tape) -> bool:
        if self.checked:
            return True
        try:
            check_closed(tape)
        except OpenTapeError:
            self.refused[path] = "it is damaged (its memory grows with every step)"
            return False
        return True

    def _is_current(self, path: Path, tape: Tape | Blueprint, *, strict: bool) -> bool:
        why = outdated(tape)
        if why is not None:
            self.refused.pop(path, None)  # by an earlier, strict look
            (self.refused if strict else self.doubtful)[path] = why
        return why is None or not strict

    def save(self, tape: Tape) -> Path:
        """Write a profile, whole or not at all; OSError where the folder cannot be used."""
        return self._save(tape.key, tape.batches, SUFFIX, encode(tape))

    def save_blueprint(self, made: Blueprint) -> Path:
        """Write a blueprint under its kind, as `save` does."""
        from trainlint.tape.blueprints.blueprint_file import encode_blueprint  # noqa: PLC0415 - as below

        return self._save(made.kind, made.batches, BLUEPRINT_SUFFIX, encode_blueprint(made))

    def save_crops(self, crops: Crops, key: str) -> Path:
        """Write a step's crops under their common key, as `save` does."""
        from trainlint.tape.crops.crop_file import encode_crops  # noqa: PLC0415 - for what is written alone

        return self._save(key, crops.tape.batches, CROPS_SUFFIX, encode_crops(crops, key))

    def save_sides(self, crops: Crops, tape: Tape) -> Path:
        """Write what crops add to a tape that is stored here; NotPolynomialError where they are not alike."""
        from trainlint.tape.crops.crop_side import family_key  # noqa: PLC0415 - for what is written alone
        from trainlint.tape.crops.sides_file import encode_sides  # noqa: PLC0415 - as above

        (name,) = (path.name for path in self._paths(tape.key, 0, SUFFIX)[1:])
        data = encode_sides(crops, name, self._next_to(name))
        return self._save(family_key(tape.step, crops.period), (), SIDES_SUFFIX, data)

    def _save(self, key: str, batches: Sequence[int], suffix: str, data: bytes) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{_name(key)}{''.join(f'-{batch}' for batch in batches)}{suffix}"
        from secrets import token_hex  # noqa: PLC0415 - for what is written alone

        temporary = path.with_name(f".{path.name}.{token_hex(8)}")
        with temporary.open("xb") as file:  # a new file: a link that was laid there would be written through
            try:
                file.write(data)
                file.close()  # Windows renames no open file
                temporary.replace(path)
            except BaseException:
                file.close()
                temporary.unlink(missing_ok=True)
                raise
        self.refused.pop(path, None)
        self.doubtful.pop(path, None)
        return path


def _name(key: str) -> str:
    return key[:KEY_DIGITS]


def speaks_for(tape: Tape | Blueprint, batch: int) -> bool:
    """Return whether a tape holds for this many samples per GPU."""
    return not tape.batches or batch in tape.batches


def project_folder(root: Path) -> Path:
    """Return where a project keeps the profiles that it commits."""
    return root / PROJECT


def leads_out(path: Path, root: Path) -> bool:
    """Return whether a path, with its links followed, is outside of a folder."""
    return not path.resolve().is_relative_to(root.resolve())


def user_folder() -> Path:
    """Return the user's cache of profiles."""
    return platformdirs.user_cache_path("trainlint", appauthor=False) / "profiles"


def shipped_folder() -> Path:
    """Return where the profiles lie that travel with trainlint."""
    return PACKAGE / "profiles"


def shipped_store() -> Store:
    """Return the profiles that travel with trainlint; those in a wheel were checked before it was built."""
    return Store(shipped_folder(), "shipped", checked=in_wheel())
