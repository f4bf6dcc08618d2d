# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Bytes of the checkpoints that a run leaves on disk."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.log_bytes import log_bytes
from trainlint.estimate.run.duration import iterations, saves, saves_behind, saves_of_epochs
from trainlint.estimate.run.validation_image import written_pixels
from trainlint.model.facts import Disk
from trainlint.model.spec import TrainSpec
from trainlint.tape import OPTIMIZER_FILE, File

LATEST_SAVERS = frozenset({"basicsr", "trainner-redux", "neosr"})
"""Dialects whose trainer ends with `save(epoch=-1, current_iter=-1)`: the networks once more as *_latest,
without the training state (train.py and base_model.py of BasicSR, traiNNer-redux and neosr)."""

STATE_SUFFIX = ".state"
"""Suffix of the training state in these trainers."""

ALL_AND_PARTS = "zoom23"
"""train_zoom23_autoencoder.py ends with encoder, decoder and autoencoder_zoom23.pth: the weights twice. A
third of each of its checkpoints is weights, the rest AdamW's two moments."""

IMPROVING = "vae"
"""train_vae.py saves after an epoch that lowers validation's loss too, whatever --checkpoint_freq says, and
once more as best_model.pt, which the first epoch always writes. Nothing is deleted."""
UNKNOWN_IMPROVEMENTS = "how many epochs lower validation's loss, each of which saves too, is not known"

LINKING = "timm"
LINKED = 2
"""timm's CheckpointSaver writes each save to a file of its own before it deletes one: next to those that it
keeps lie last.pth.tar, unless it is one of them, and the save that is being written (timm 1.0
utils/checkpoint_saver.py). model_best.pth.tar is a hard link."""
WHETHER_NEXT_TO_KEPT = (
    "whether last.pth.tar and the save that is being written are next to those that are kept is not known"
)

SAVING_FIRST = frozenset({"llamafactory", "axolotl", "trl"})
"""Dialects of transformers' Trainer, which writes a checkpoint before it deletes the oldest, and whose script
ends with the weights once more in the output folder (transformers 5.24 trainer.py: _save_checkpoint;
LLaMA-Factory train/sft/workflow.py, axolotl train.py and trl/scripts/sft.py: save_model)."""
WRITTEN_FIRST = "a checkpoint is written before the oldest is deleted"
LAST_STEP = "whether the last step is saved too, as transformers does since 4.46, is not known"

IMAGE_MODELS = frozenset({"ai-toolkit", "diffusers", "kohya", "simpletuner"})
"""Dialects whose trainers end with what is trained once more under a name of its own: train_network.py of
sd-scripts (get_last_ckpt_name), BaseSDTrainProcess.save() of ai-toolkit, save_lora_weights or save_pretrained
of diffusers' scripts and SimpleTuner."""
STATES = ("optimizer.bin", OPTIMIZER_FILE)
WRITING_FIRST = SAVING_FIRST | {"kohya"}
"""Dialects that write a save before they delete the oldest."""

STATE_TIMES = 10
"""How many times a file of trained weights accelerate's state takes at most: the weights again in float32 and
four more values of that of each (Prodigy's), twenty bytes where the file has two at least."""
STATES_NEXT_TO_WEIGHTS = "the states that the trainer saves next to the weights are not counted"

UNKNOWN_VALIDATION_IMAGES = "how many images validation writes, and how large, is not known"

UNKNOWN_EARLIER_SESSIONS = "what the sessions before it have left on the disk is not known"

IMAGE_CHANNELS = 3  # of an image that is written, 8 bits each
PNG_BYTES_PER_PIXEL = 1.3
"""Bytes of a pixel at the least: photographs written as PNG by OpenCV take 1.34 to 2.04
(bench/data/loading.csv)."""


def estimate_disk(spec: TrainSpec, files: Sequence[File]) -> Disk:
    """Multiply one save's files by the saves that are kept, and add the trainer's last one.

    `files` are one save's. Without `checkpoint.keep` nothing is deleted.
    Raises CannotTraceError where the saves cannot be counted or the files are unknown.
    """
    if not files:
        raise CannotTraceError("what the trainer saves is not known")
    if spec.get("checkpoint.weights_only"):
        files = [file for file in files if file.name != OPTIMIZER_FILE]
    per_checkpoint = sum(file.size for file in files)
    kept = saves(spec)
    if "checkpoint.keep" in spec:
        kept = min(kept, max(0, int(spec["checkpoint.keep"])))
    final = _final(spec, files)
    behind = saves_behind(spec)
    added = 0 if behind is None else min(kept, max(0, saves(spec) - behind))
    most, reasons = kept, [] if added == kept else [UNKNOWN_EARLIER_SESSIONS]
    if spec.get("dialect") == IMPROVING:
        most, reasons = max(kept, int(spec["duration.epochs"])), [UNKNOWN_IMPROVEMENTS, *reasons]
    elif spec.get("dialect") == LINKING:
        most, reasons = min(saves(spec), kept + LINKED), [WHETHER_NEXT_TO_KEPT, *reasons]
    elif spec.get("dialect") in WRITING_FIRST and kept < saves(spec):
        most, reasons = kept + 1, [WRITTEN_FIRST, *reasons]
    elif spec.get("dialect") in SAVING_FIRST and _ends_between(spec):
        most, reasons = kept + 1, [LAST_STEP, *reasons]
        kept = min(kept + 1, int(spec.get("checkpoint.keep", kept + 1)))  # as today's does
    by_epochs = saves_of_epochs(spec)
    kept_epochs = min(by_epochs, int(spec.get("checkpoint.keep_epochs", by_epochs)))
    kept, added = kept + kept_epochs, added + (kept_epochs if behind == 0 else 0)
    most += min(by_epochs, kept_epochs + 1)
    if by_epochs > kept_epochs and WRITTEN_FIRST not in reasons:
        reasons = [WRITTEN_FIRST, *reasons]
    if states := _states(spec, most):
        reasons = [STATES_NEXT_TO_WEIGHTS, *reasons]
    return Disk(
        per_checkpoint=per_checkpoint,
        checkpoints=kept,
        total=kept * per_checkpoint + final,
        most=(most + STATE_TIMES * states) * per_checkpoint + final,
        least=added * per_checkpoint + final,
        why="; ".join(reasons),
        final=final,
        omits=_omitted(spec),
        images=_images(spec),
        logs=log_bytes(spec),
        files={file.name: file.size for file in files},
    )


def _states(spec: TrainSpec, kept: int) -> int:
    """Return how many states lie next to the weights at most, the last one's among them."""
    match spec.get("checkpoint.states"):
        case "all":
            return saves(spec) + saves_of_epochs(spec) + 1
        case "kept":
            return kept + 1
        case "last":
            return 1
    return 0


def _final(spec: TrainSpec, files: Sequence[File]) -> int:
    """Return the bytes of what is saved once more under a name of its own when the run ends."""
    if spec.get("dialect") == IMPROVING:
        return sum(file.size for file in files)
    if spec.get("dialect") in SAVING_FIRST | IMAGE_MODELS:
        return sum(file.size for file in files if file.name not in STATES)
    if spec.get("dialect") in LATEST_SAVERS:
        return sum(file.size for file in files if not file.name.endswith(STATE_SUFFIX))
    return 2 * files[0].size // 3 if spec.get("dialect") == ALL_AND_PARTS else 0


def _ends_between(spec: TrainSpec) -> bool:
    """Return whether a run that saves every so many steps ends between two saves."""
    return "checkpoint.every" in spec and iterations(spec) % int(spec["checkpoint.every"]) != 0


def _images(spec: TrainSpec) -> tuple[int, int] | None:
    """Return the least and the most bytes of the images that validation writes, of known sets.

    The least are photographs in PNG, the most are as if PNG saved nothing.

    BasicSR and its relatives write every image of every validation under a name with its iteration
    (sr_model.py, nondist_validation). None where none are written or their number is not known.
    """
    if not spec.get("validation.save_images") or spec.get("dialect") not in LATEST_SAVERS:
        return None
    pixels, every = written_pixels(spec), int(spec.get("validation.every") or 0)
    if pixels is None or every < 1:
        return None
    written = iterations(spec) // every * pixels
    return round(written * PNG_BYTES_PER_PIXEL), written * IMAGE_CHANNELS


def unseen_images(spec: TrainSpec, kept: Disk) -> str | None:
    """Return why it is unknown how much validation writes; None where it is known, or nothing is written."""
    every = int(spec.get("validation.every") or 0)
    if not kept.omits or kept.images is not None or every < 1 or spec.get("validation.sets") == []:
        return None
    return UNKNOWN_VALIDATION_IMAGES if iterations(spec) >= every else None


def _omitted(spec: TrainSpec) -> tuple[str, ...]:
    """Name what the run writes besides, in unknown numbers and sizes."""
    return ("validation images",) if spec.get("validation.save_images") else ()
