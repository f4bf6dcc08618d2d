# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The first line of a profile: what can be read without unpacking, and what it may say.

Anyone can commit a profile, so nothing in it is believed before it was checked: types, ranges, counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, Final, NoReturn

from trainlint.expressions.patterns import later
from trainlint.tape import FORMAT, SEMANTICS, Network, Tape

MAGIC: Final = "trainlint tape"
"""First key of a profile's header."""
KEY_PATTERN: Final = later(r"[0-9a-f]{64}")
LARGEST_NUMBER: Final = 2**60
"""Bytes, parameters or FLOPs that a number may say: the largest step of the guides has 2**51 per sample."""
LARGEST_BATCH: Final = 2**20
"""Samples that a batch may have: as far as the largest batch is looked for."""
MOST_DEVICES: Final = 2
"""GPUs on a tape: DataParallel's first, and one that represents all others."""
MOST_ENTRIES: Final = 1000
"""Networks, files, notes and libraries that a header may list; a tape has a handful of each."""
MOST_CHARACTERS: Final = 1000
"""Characters of a name or a remark."""


class StaleError(Exception):
    """A profile that this trainlint must not use; the message says why."""


def damaged(what: str) -> NoReturn:
    """Raise the StaleError of a profile that is damaged; `what` says where."""
    raise StaleError(f"it is damaged ({what})")


def header_of(tape: Tape) -> dict[str, Any]:
    """Return a tape's header."""
    return {
        MAGIC: FORMAT,
        "semantics": SEMANTICS,
        "key": tape.key,
        "batches": list(tape.batches),
        "made_with": dict(tape.made_with),
        "networks": [asdict(network) for network in tape.networks],
        "files": {file.name: file.size for file in tape.files},
        "devices": tape.devices,
        "affine": tape.affine,
        "notes": list(tape.notes),
        "step": dict(tape.step),
    }


def read_header(line: bytes) -> dict[str, Any]:
    """Return the header that a line holds; StaleError where it is none, or says what no tape could."""
    try:
        header = parsed(line)
        version, semantics = header[MAGIC], header["semantics"]
    except (StaleError, KeyError, TypeError) as error:
        raise StaleError("it is not a trainlint tape") from error
    if version != FORMAT:
        raise StaleError(f"its format is {str(version)[:20]}, this trainlint reads {FORMAT}")
    if semantics != SEMANTICS:
        raise StaleError(f"it was traced by rules {str(semantics)[:20]}, this trainlint's are {SEMANTICS}")
    for name, holds in CHECKS.items():
        if name not in header or not holds(header[name]):
            damaged(f'"{name}" is not what a tape has there')
    return header


def parsed(text: bytes) -> dict[str, Any]:
    """Return the JSON object of a part of a profile; StaleError for anything else."""
    try:
        value = json.loads(text, parse_constant=damaged)
    except (ValueError, RecursionError) as error:
        raise StaleError("it is damaged (no JSON)") from error
    return value if isinstance(value, dict) else damaged("no object")


def whole(value: Any, least: int = 0, most: int = LARGEST_NUMBER) -> bool:
    """Return whether a value is a whole number in these bounds; True and False are not."""
    return type(value) is int and least <= value <= most


def word(value: Any) -> bool:
    """Return whether a value is a text of reasonable length."""
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def _all(value: Any, holds: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) <= MOST_ENTRIES and all(map(holds, value))


def _names(value: Any, holds: Callable[[Any], bool]) -> bool:
    known = isinstance(value, dict) and len(value) <= MOST_ENTRIES
    return known and all(word(name) and holds(item) for name, item in value.items())


def _network(value: Any) -> bool:
    named = isinstance(value, dict) and value.keys() == {field.name for field in fields(Network)}
    return named and _sound(value)


def _sound(network: Mapping[str, Any]) -> bool:
    counted = whole(network["parameters"]) and whole(network["trainable"], 0, network["parameters"])
    return word(network["role"]) and word(network["arch"]) and counted


CHECKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "key": lambda value: isinstance(value, str) and KEY_PATTERN.fullmatch(value) is not None,
    "batches": lambda value: _all(value, lambda item: whole(item, 1, LARGEST_BATCH)) and len(value) <= 1,
    "made_with": lambda value: _names(value, word),
    "networks": lambda value: _all(value, _network),
    "files": lambda value: _names(value, whole),
    "devices": lambda value: whole(value, 1, MOST_DEVICES),
    "affine": word,
    "notes": lambda value: _all(value, word),
    "step": lambda value: isinstance(value, dict),
}
"""Field -> what says whether its value is one that a tape may have."""
