# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program starts later than the recorded steps, by its option files: a discriminator, a loss.

The keys are those of BasicSR, its kin and taming-transformers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from trainlint.dry_run.rehearsing.option_documents import option_documents
from trainlint.dry_run.starting.program import Program
from trainlint.expressions.patterns import later
from trainlint.model.facts import Uncounted

KEYS: Final = later(
    r"(?!val|ema|save|log|eval|warm)(?:\w+_)?start_(?:iter|step)s?|disc_start|\w*d_init_iters"
)
"""Keys of a step before which a part of the training is left out."""
RESUMED: Final = "start_iter"
"""One that says at the top of a file which step the training goes on from."""


def later_starts(program: Program, folder: Path, rounds: int) -> Iterator[Uncounted]:
    """Yield what a program's option files let start after so many steps, each key once."""
    seen: dict[str, int] = {}
    for document in option_documents(program, folder):
        top = document.value if isinstance(document.value, Mapping) else {}
        seen |= dict(_starts({key: value for key, value in top.items() if key != RESUMED}))
    for key, step in seen.items():
        if step > rounds:
            yield Uncounted(f'what starts at step {step:,} ("{key}")', "more")


def _starts(value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _starts(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, int) and not isinstance(item, bool) and KEYS.fullmatch(str(key)):
                yield str(key), item
            yield from _starts(item)
