# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a traced step is stored as: the tape, the step it is of, its file, and where it is from."""

from trainlint.tape.tape import (
    EMPTIED,
    EVERY_BATCH,
    FORMAT,
    GRADIENT_SUM,
    HELD,
    IN_ONE_PIECE,
    IN_TILES,
    OPTIMIZER_FILE,
    SECOND_STEP,
    SEMANTICS,
    SOURCES,
    TILE_ROWS,
    VALIDATION,
    VARIABLES,
    Block,
    Event,
    File,
    Network,
    Op,
    Size,
    Tape,
)  # fmt: skip

__all__ = [
    "EMPTIED", "EVERY_BATCH", "FORMAT", "GRADIENT_SUM", "HELD", "IN_ONE_PIECE", "IN_TILES", "OPTIMIZER_FILE",
    "SECOND_STEP", "SEMANTICS", "SOURCES", "TILE_ROWS", "VALIDATION", "VARIABLES", "Block", "Event", "File",
    "Network", "Op", "Size", "Tape",
]  # fmt: skip
