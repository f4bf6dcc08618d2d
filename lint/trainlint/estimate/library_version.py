# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which version of a library decided a job's figures, held against the one that its files ask for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.model.facts import Memory
from trainlint.model.spec import TrainSpec
from trainlint.tape.provenance import version

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin

TRACED_HERE = "traced"


def held(memory: Memory, pins: Sequence[Pin], spec: TrainSpec) -> Memory:
    """Return the figures with what the job's files ask of their library.

    CannotTraceError where they ask for another version than decided, and the size of the images, which a
    library's versions differ in, is not written.
    """
    library = memory.library
    if library is None:
        return memory
    contradicting = next((pin for pin in pins if not pin.requirement.allows(library.version)), None)
    here = library.version if memory.source == TRACED_HERE else version(library.name)
    source = "is installed" if here == library.version else "made the stored profile"
    if contradicting is not None:
        against, cure = str(contradicting), "install that"
    elif not pins and here not in (None, library.version):
        against, cure = f"{library.name} {here} is installed", "run trainlint trace"
    else:
        pin = str(pins[0]) if pins else ""
        return replace(memory, library=dataclasses.replace(library, pin=pin, agrees=True if pins else None))
    if "crop.lq" not in spec:
        known = library.version or "another"
        raise CannotTraceError(
            f"{against}; {known} {source}, and the default size may differ: {cure}, or pass --img-size"
        )
    return replace(memory, library=dataclasses.replace(library, pin=against, agrees=False))


def contradiction(pins: Sequence[Pin], library: str) -> str | None:
    """Say that the files around a job ask for another version than is installed here, or None."""
    here = version(library) if library else None
    contradicting = next((pin for pin in pins if here and not pin.requirement.allows(here)), None)
    return None if contradicting is None else f"{contradicting}; {here} is installed"


def refused_by_another(pins: Sequence[Pin], library: str) -> str | None:
    """Say why what the installed library refuses is not held against a job, or None."""
    against = contradiction(pins, library)
    return None if against is None else f"{against}, and refuses this"
