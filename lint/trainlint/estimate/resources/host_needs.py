# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Worker processes, the shared memory through which they hand over batches, and what they take of RAM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.dialects.extract.base_model import BYTES
from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.decoded_files import CLEAN_CLIPS, frames_of
from trainlint.estimate.resources.sample_loading import decoded_pixels
from trainlint.model.facts import HostNeeds
from trainlint.model.spec import TrainSpec, crop_pixels

PREFETCH = 2
"""Batches that torch's DataLoader has each worker prepare ahead (its default `prefetch_factor`)."""

PREFETCHES: Final = {"neosr": 8}
"""Where the trainer asks for more (neosr/data/__init__.py)."""

PROCESS_BYTES = 280 * 2**20
WORKER_BYTES = 12 * 2**20
"""Private bytes of a process that imported torch, and of a worker forked from it after 20 batches: measured
with torch 2.14.0+cu130 and Python 3.11 on Linux (/proc/PID/smaps_rollup). Where workers are spawned (Windows,
macOS) each takes what a process takes; CUDA's share of the host's memory is not in it."""

DECODED: Final = 3
IN_FLOAT: Final = 12
"""Bytes of a decoded RGB pixel in a worker: in 8 bits, and in the float32 copy of which the crop is cut. Of a
clip every frame is there in float32 until all are cropped (BasicSR 8d56e3a basicsr/data/reds_dataset.py and
vimeo90k_dataset.py; KAIR fc1732f data/dataset_video_train.py)."""

AS_MANY: Final = frozenset({"timm", "vae"})
ONE_WORKER: Final = frozenset({"kair"})
"""Trainers whose validation has a loader with as many workers as training, whose processes stay alive (timm,
timm/data/loader.py: persistent_workers; the VAE script), and with one (KAIR, main_train_psnr.py). GLF-CR's
second loader is in its number of workers; BasicSR, traiNNer-redux and neosr validate without."""

PINNED_BATCHES: Final = 2
"""Pinned batches besides those that wait: the one that trains, and one on its way."""

TOKEN_BYTES = 3 * 8
"""Bytes of a token in a batch of text: its number, its place in the mask and its label, in 64 bits each."""
STORED_PRECISION: Final = "bf16"
"""What the weights of published models are stored in, or float16."""
FIRST_ON_HOST: Final = frozenset({"trl"})
"""Trainers whose processes load the model into the host's memory first where there are several, to move it
then (trl/trainer/sft_trainer.py: device_map is None). LLaMA-Factory and axolotl load it onto the card.
Weights that keep their type are files in memory, which give way: 419 MiB of bfloat16 took 2 MiB, 841 where
float32 was asked for (transformers 5.24, safetensors and .bin alike, /proc/PID/smaps_rollup)."""

FLOAT_BYTES = 4  # bytes of a float32: every loader here hands over float32 tensors
RGB_CHANNELS = 3  # channels of an image where the config does not say
POOL_CROP = 400  # RealESRGANDataset crops every image to this, whatever gt_size says
KERNELS = 3 * 21 * 21  # and adds two blur kernels and a sinc kernel, padded to 21 x 21


def estimate_host(spec: TrainSpec, looked: Mapping[str, Any]) -> HostNeeds:
    """Count the processes and bytes of a placed spec; None where the size of a sample is unknown.

    `ram` is that of processes, workers with an image each, and the batches that may wait, pinned or not. The
    images that a data set keeps, CUDA and the trainer's own libraries come on top, of which no config says
    anything. `mapped` is the database (lmdb) that `looked` found: it is read through the page cache, which
    gives way to all else.
    Raises CannotTraceError where the number of workers is unknown.
    """
    if "workers.total" not in spec:
        raise CannotTraceError("the number of loader workers is not known")
    workers, tested = int(spec["workers.total"]), _validation_workers(spec)
    processes = max(1, int(spec.get("gpus", 1))) if spec.get("parallel") == "ddp" else 1
    batch, ahead = _batch(spec), _ahead(spec)
    shared = None if batch is None else (workers + tested) * ahead * batch
    pinned = None
    if batch is not None:
        pinned = (
            (workers * ahead + PINNED_BATCHES * processes) * _rounded(batch) if spec.get("pin_memory") else 0
        )
    image_pixels, sample = decoded_pixels(spec, looked)
    loading = _loading(spec, processes)
    worker = WORKER_BYTES + round(image_pixels * DECODED + sample * IN_FLOAT)
    private = processes * PROCESS_BYTES + loading + (workers + tested) * worker
    return HostNeeds(
        worker_processes=workers,
        ram=None if shared is None or pinned is None else private + shared + pinned,
        shm=shared,
        validation_workers=tested,
        pinned=pinned,
        mapped=looked.get("database"),
        loading=loading,
    )


def _loading(spec: TrainSpec, processes: int) -> int:
    """Return the RAM that the weights of a language model take on their way to the cards, at the least."""
    name = str(spec.get("weights.dtype"))
    if spec.get("dialect") not in FIRST_ON_HOST or processes == 1 or "quant.bits" in spec:
        return 0
    size = BYTES.get(name, BYTES[STORED_PRECISION])
    weights = int(spec.get("model.download", 0)) * size // BYTES[STORED_PRECISION]
    return 0 if size == BYTES[STORED_PRECISION] else processes * weights


def sample_bytes(spec: TrainSpec) -> int | None:
    """Return the bytes of one sample as a worker hands it over; None where it cannot be known."""
    if "sequence.length" in spec:
        return TOKEN_BYTES * int(spec["sequence.length"])
    channels = int(spec.get("channels", RGB_CHANNELS))
    if spec.get("data.kind") == "RealESRGANDataset":
        return FLOAT_BYTES * (channels * POOL_CROP**2 + KERNELS)
    kind, frames = str(spec.get("data.kind") or "").lower(), spec.get("frames")
    played = (1, 1) if frames is None else frames_of(kind, int(frames))
    if played is None or "crop.hr" not in spec or "crop.lq" not in spec:
        return None
    of_input = channels + 1 if kind in CLEAN_CLIPS else channels  # the level of its noise
    targets, inputs = channels * crop_pixels(spec, "crop.hr"), of_input * crop_pixels(spec, "crop.lq")
    return FLOAT_BYTES * (played[0] * targets + played[1] * inputs)


def _batch(spec: TrainSpec) -> int | None:
    """Return the bytes of one process's batch; None where a sample's or its number is not known."""
    sample = sample_bytes(spec)
    return None if sample is None or "batch.per_process" not in spec else spec["batch.per_process"] * sample


def _ahead(spec: TrainSpec) -> int:
    """Return the batches that each worker prepares ahead."""
    written = spec.get("options", {}).get("prefetch_factor")
    return int(written or PREFETCHES.get(str(spec.get("dialect")), PREFETCH))


def _validation_workers(spec: TrainSpec) -> int:
    """Return the processes of validation's loader, alive with those of training."""
    dialect = spec.get("dialect")
    if dialect in AS_MANY:
        return int(spec["workers.total"])
    return int(dialect in ONE_WORKER and bool(spec.get("validation.every")))


def _rounded(size: int) -> int:
    """Return what torch pins for so many bytes: the next power of two (ATen/core/CachingHostAllocator.h)."""
    return 1 << max(size - 1, 0).bit_length()
