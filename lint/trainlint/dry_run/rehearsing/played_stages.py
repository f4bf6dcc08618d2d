# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Later stages of progressive training: the program is run with an option file in which they come at once.

The keys are those of Restormer, MIRNetv2 and their kin: a stage lasts so many iterations, so that those
before it last none. The program sees the changed file in the place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.config.edit import apply_edits, set_value
from trainlint.config.value_by_path import dig
from trainlint.dry_run.rehearsing.changed_options import ChangedOptions
from trainlint.dry_run.rehearsing.option_documents import option_documents
from trainlint.dry_run.starting.program import Program
from trainlint.model.document import Document
from trainlint.model.facts import Uncounted
from trainlint.model.job import Job
from trainlint.tape import Tape

SECTION: Final = ("datasets", "train")
CROPS, BATCHES, ITERATIONS = "gt_sizes", "mini_batch_sizes", "iters"
LARGEST_CROP, LOADED = "gt_size", "batch_size_per_gpu"
MOST_STAGES: Final = 16
UNCOUNTED_STAGES: Final = Uncounted("what the later stages of its progressive training need", "more")


class Stage(Struct, frozen=True):
    """A later stage, and the option file in which it is the first that takes time."""

    number: int
    crop: int
    batch: int
    options: ChangedOptions

    @property
    def name(self) -> str:
        """What runs and reasons call it."""
        return f"stage {self.number} (crop {self.crop}, batch {self.batch})"


class PlayedStage(Struct, frozen=True):
    """What a later stage was seen to need, at its own batch."""

    crop: int
    tape: Tape


def later_stages(program: Program, folder: Path) -> tuple[Stage, ...]:
    """Return the stages after the first, of the one option file that has some.

    One of the first's crop is not among them: its tape is known at every batch.
    """
    documents = option_documents(program, folder)
    staged = [stages for document in documents if (stages := tuple(_stages(document)))]
    return staged[0] if len(staged) == 1 else ()


def _stages(document: Document) -> Iterator[Stage]:
    values = [dig(document.value, (*SECTION, key)) for key in (CROPS, BATCHES, ITERATIONS)]
    if not all(_is_list(value) and len(value) == len(values[0]) <= MOST_STAGES for value in values):
        return
    crops, batches, iterations = values
    loaded, largest = (dig(document.value, (*SECTION, key)) for key in (LOADED, LARGEST_CROP))
    if loaded != batches[0] or type(largest) is not int:  # what a step has is not what is loaded
        return
    for index in range(1, len(crops)):
        lasting = [0] * index + list(iterations[index:])
        edit = set_value(document, (*SECTION, ITERATIONS), lasting)
        crop = min(crops[index], largest)
        if edit is not None and crop != min(crops[0], largest):
            text = apply_edits(document.source.text, [edit])
            options = ChangedOptions(Path(document.source.path).resolve(), text)
            yield Stage(index + 1, crop, batches[index], options)


def unplayed_stages(job: Job) -> Iterator[Uncounted]:
    """Yield what is not known of a job where its first stage alone was recorded."""
    if len(job.spec.get("stages") or ()) > 1:
        yield UNCOUNTED_STAGES


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)
