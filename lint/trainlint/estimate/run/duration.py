# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many iterations a run has, and how many of them lie between two saves."""

from __future__ import annotations

from math import ceil
from typing import Final

from trainlint.dialects.extract.base_model import DENOISE
from trainlint.errors import CannotTraceError
from trainlint.expressions.patterns import later
from trainlint.model.spec import TrainSpec

STATE_FILE: Final = later(r"(?:^|[/\\])(\d{1,12})\.state$")
EPOCH: Final = later(r"epoch_(\d{1,9})\.pt$")
"""Names of checkpoints that say how far the run was."""
DROPS_LAST_DIALECTS: Final = frozenset({"timm", "vae"})
"""Dialects of epochs whose loader drops the last, smaller batch of each process (timm/data/loader.py,
train_vae.py); what is left over of an accumulated one still counts."""

PACKED: Final = (
    "how many rows the packed samples of an epoch fill is not known: max_steps says how long the run is"
)
"""How many samples there are does not say it: a row holds as many as fit."""

FROM_THE_FIRST: Final = frozenset({"vae"})
"""Dialects whose epochs count from 0 when they save: the first saves at any interval (train_vae.py)."""

LAST_APART: Final = frozenset({"kohya"})
"""Dialects whose last epoch is saved at the end alone, where the config names no interval too (sd-scripts
train_network.py, library/train_util.py: save_sd_model_on_epoch_end_or_stepwise)."""
LAST_STEP_APART: Final = frozenset({"ai-toolkit"})
"""The same of the last step (jobs/process/BaseSDTrainProcess.py: run)."""


def iterations(spec: TrainSpec) -> int:
    """Return the optimizer steps of the whole run, as the trainer counts them.

    Raises CannotTraceError where neither they nor epochs and the data set's size are known.
    """
    if "duration.iterations" in spec:
        return int(spec["duration.iterations"])
    if "duration.epochs" not in spec:
        raise CannotTraceError("nothing says how long the run is")
    return int(spec["duration.epochs"]) * epoch(spec)


def samples_seen(spec: TrainSpec) -> int | None:
    """Return the samples that the whole run of a placed spec learns from; None where that is not known.

    Epochs go through the data set whatever the batch.
    """
    if "duration.iterations" in spec:
        total = spec.get("batch.total")
        steps = int(spec["duration.iterations"]) * int(spec.get("accumulate") or 1)
        return int(total) * steps if total else None
    if "duration.epochs" not in spec or "data.images" not in spec or spec.get("sequence.packing"):
        return None
    return int(spec["duration.epochs"]) * _images(spec)


def _images(spec: TrainSpec) -> int:
    """Return the images of an epoch: of those that there are, as many as the ratio says."""
    return ceil(float(spec["data.images"]) * float(spec.get("data.enlarge", 1)))


def samples_name(spec: TrainSpec) -> str:
    """Return what a run learns from: images, or a language model's samples."""
    is_language = "model.base" in spec and spec.get("objective") != DENOISE
    return "samples" if is_language else "images"


def epoch(spec: TrainSpec) -> int:
    """Return the iterations of one epoch of a placed spec; the last, smaller batch counts where it is kept.

    Raises CannotTraceError where the data set's size or the batch is unknown.
    """
    if spec.get("sequence.packing"):
        raise CannotTraceError(PACKED)
    if "data.images" not in spec:
        raise CannotTraceError(
            f"the number of training {samples_name(spec)} is not known (setting dataset-size)"
        )
    if not spec.get("batch.total"):
        raise CannotTraceError("the batch over all GPUs is not known")
    images, total = _images(spec), int(spec["batch.total"])
    accumulated = int(spec.get("accumulate", 1))
    if spec.get("dialect") not in DROPS_LAST_DIALECTS:
        return max(1, ceil(images / (total * accumulated)))
    per_process = int(spec.get("batch.per_process") or total)
    batches = ceil(images / max(1, total // per_process)) // per_process
    return max(1, ceil(batches / accumulated))


def resumed(spec: TrainSpec) -> int | None:
    """Return the iterations that a resumed run has behind it, by its checkpoint; 0 where none is named.

    None where the name does not say. BasicSR and its relatives write N.state, the VAE script
    checkpoint_epoch_N.pt after the epoch N, which it repeats when resumed (rules resume-ineffective,
    resume-past-end).
    """
    name = str(spec.get("resume") or "")
    if not name:
        return 0
    if (state := STATE_FILE.search(name)) is not None:
        return int(state[1])
    if (after := EPOCH.search(name)) is not None and spec.get("dialect") == "vae":
        try:
            return int(after[1]) * epoch(spec)
        except CannotTraceError:
            return None
    return None


def saves(spec: TrainSpec) -> int:
    """Return how often the trainer saves at its interval during the run (an interval beyond it: never).

    Raises CannotTraceError where the interval or the run's length is unknown.
    """
    dialect = spec.get("dialect")
    if "checkpoint.every" in spec:
        apart = dialect in LAST_STEP_APART
        return max(0, iterations(spec) - apart) // _interval(spec, "checkpoint.every")
    if "checkpoint.every_epochs" in spec and "duration.epochs" in spec:
        epochs, every = int(spec["duration.epochs"]), _interval(spec, "checkpoint.every_epochs")
        apart = dialect in LAST_APART
        return ceil(epochs / every) if dialect in FROM_THE_FIRST else max(0, epochs - apart) // every
    if dialect in LAST_APART and "checkpoint.every_epochs" not in spec:
        return 0
    return iterations(spec) // interval(spec)


def saves_of_epochs(spec: TrainSpec) -> int:
    """Return how often a trainer saves after epochs besides, where its config saves by steps too.

    Raises CannotTraceError where the number of epochs is unknown.
    """
    both = "checkpoint.every" in spec and "checkpoint.every_epochs" in spec
    if not both or spec.get("dialect") not in LAST_APART:
        return 0
    epochs = spec.get("duration.epochs") or ceil(iterations(spec) / epoch(spec))
    return max(0, int(epochs) - 1) // _interval(spec, "checkpoint.every_epochs")


def saves_behind(spec: TrainSpec) -> int | None:
    """Return how many of its saves a resumed run has behind it; None where its checkpoint does not say.

    Raises CannotTraceError where the interval is unknown.
    """
    done = resumed(spec)
    if not done:
        return done
    every = interval(spec)
    return ceil(done / every) if spec.get("dialect") in FROM_THE_FIRST else done // every


def interval(spec: TrainSpec) -> int:
    """Return the iterations from one save to the next.

    Raises CannotTraceError where the config does not say, or says it in epochs of unknown length.
    """
    if "checkpoint.every" in spec:
        return _interval(spec, "checkpoint.every")
    if "checkpoint.every_epochs" in spec:
        return _interval(spec, "checkpoint.every_epochs") * epoch(spec)
    if spec.get("dialect") in LAST_APART:
        return iterations(spec)  # its only save
    raise CannotTraceError("the config does not say how often checkpoints are saved")


def _interval(spec: TrainSpec, name: str) -> int:
    every = int(spec[name])
    if every < 1:
        raise CannotTraceError(f"the interval between checkpoints is {every}")
    return every
