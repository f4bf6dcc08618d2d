# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program starts later than the recorded steps, by its option files: a discriminator, a loss.

The keys are those of BasicSR, its kin, neosr and taming-transformers. Where one file has them all, and says
that training goes on beyond them, the program is run with a file in which they are 0: what a card has to hold
from then on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.config.edit import apply_edits, set_value
from trainlint.dry_run.rehearsing.changed_options import ChangedOptions
from trainlint.dry_run.rehearsing.option_documents import option_documents
from trainlint.dry_run.starting.program import Program
from trainlint.expressions.patterns import later
from trainlint.model.document import Document
from trainlint.model.document import Path as KeyPath
from trainlint.model.facts import Uncounted

KEYS: Final = later(
    r"(?!val|ema|save|log|eval|warm)(?:\w+_)?start_(?:iter|step)s?|disc_start|\w*d_init_iters"
    r"|(?:wavelet|sam|eco)_init"
)
"""Keys of a step before which a part of the training is left out."""
RESUMED: Final = "start_iter"
"""One that says at the top of a file which step the training goes on from."""


LAST_STEPS: Final = ("total_iter", "total_iters", "niter")
"""Keys of the step that training ends with."""


class StartedAtOnce(Struct, frozen=True):
    """An option file in which everything starts with the first step, and what a report says of that."""

    options: ChangedOptions
    note: str


def started_at_once(program: Program, folder: Path) -> StartedAtOnce | None:
    """Return the one option file that starts something later, changed; None where it is not that simple."""
    documents = [document for document in option_documents(program, folder) if _later_in(document)]
    if len(documents) != 1:
        return None
    document = documents[0]
    starts = _later_in(document)
    ends = [step for key, step in _numbers(document.value) if key[-1] in LAST_STEPS]
    edits = [set_value(document, key, 0) for key in starts]
    if not ends or max(starts.values()) >= min(ends) or None in edits:
        return None
    text = apply_edits(document.source.text, [edit for edit in edits if edit is not None])
    named = " and ".join(f'at step {step:,} ("{key[-1]}")' for key, step in starts.items())
    note = f"what starts {named} is counted from the first step on"
    return StartedAtOnce(ChangedOptions(Path(document.source.path).resolve(), text), note)


def later_starts(program: Program, folder: Path, rounds: int) -> Iterator[Uncounted]:
    """Yield what a program's option files let start after so many steps, each key once."""
    seen: dict[str, int] = {}
    for document in option_documents(program, folder):
        seen |= {str(key[-1]): step for key, step in _later_in(document).items()}
    for key, step in seen.items():
        if step > rounds:
            yield Uncounted(f'what starts at step {step:,} ("{key}")', "more")


def _later_in(document: Document) -> dict[KeyPath, int]:
    """Return the keys of a file by which something starts after the first step."""
    return {
        key: step
        for key, step in _numbers(document.value)
        if step > 0 and KEYS.fullmatch(str(key[-1])) and key != (RESUMED,)
    }


def _numbers(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    """Yield the whole numbers that a key has, and where."""
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            if isinstance(item, list | tuple | Mapping):
                yield from _numbers(item, (*path, index))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, int) and not isinstance(item, bool):
                yield (*path, str(key)), item
            yield from _numbers(item, (*path, key))
