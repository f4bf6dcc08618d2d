# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Readings in the words of who starts the job: "with torchrun", "if it is glf-crP of 2025-12-10"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trainlint.model.launcher import WITH_LAUNCHER, WITHOUT_LAUNCHER

LAUNCHER_WORDS: Final = {WITHOUT_LAUNCHER: "without torchrun", WITH_LAUNCHER: "with torchrun"}
"""The readings of a launcher in the words of who starts the job."""
AS_IN: Final = "as in "
"""How the reading begins that a command gives."""
IF_IT_IS: Final = "if it is "
WHOLE_PHRASES: Final = (AS_IN, "by itself", "where ", "with")
"""How readings begin that are words by themselves; others are versions of a script or of a network."""


def are_launches(names: Sequence[str]) -> bool:
    """Return whether readings say how the job is started, whatever else they say."""
    return bool(names) and all(any(plain in name for plain in LAUNCHER_WORDS) for name in names)


def only_launches(names: Sequence[str]) -> bool:
    """Return whether readings differ in nothing but how the job is started."""
    return are_launches(names) and len(set(map(without_launcher, names))) == 1


def settled_by(names: Sequence[str]) -> str:
    """Return the option that says which of some readings is meant."""
    return "--launcher" if names and not any(map(without_launcher, names)) else "--reading"


def without_launcher(name: str) -> str:
    """Return what a reading is beside how it is started: "" where it is nothing else."""
    for plain in LAUNCHER_WORDS:
        name = name.replace(f", {plain}", "").replace(plain, "")
    return name


def either(names: Iterable[str]) -> str:
    """Say under which readings something is meant: "if it is v1 or v2", "with torchrun"."""
    words = list(dict.fromkeys(map(reading_words, _however_started(list(names)))))
    return " or ".join([*words[:1], *(word.removeprefix(IF_IT_IS) for word in words[1:])])


def _however_started(names: Sequence[str]) -> Iterator[str]:
    """Yield readings, one that is there however it is started without how it is."""
    for name in names:
        version = without_launcher(name)
        ways = {f"{version}, {plain}" for plain in LAUNCHER_WORDS}
        yield version if version and ways <= set(names) else name


def reading_words(name: str) -> str:
    """Say under what a reading is meant: "with torchrun", "if it is glf-crPLUS, with torchrun"."""
    words = name
    for plain, ours in LAUNCHER_WORDS.items():
        words = words.replace(plain, ours)
    return words if name.startswith(WHOLE_PHRASES) else f"{IF_IT_IS}{words}"


def reading_label(name: str | None) -> str:
    """Return a reading's name for a table or a list, in the same words: "with torchrun", "glf-crPLUS"."""
    return reading_words(name).removeprefix(IF_IT_IS) if name else ""
