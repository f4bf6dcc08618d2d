# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Worker processes, and the shared memory through which they hand over batches."""

from __future__ import annotations

from trainlint.errors import CannotTraceError
from trainlint.estimate.facts import Host
from trainlint.spec import TrainSpec

PREFETCH = 2
"""Batches that torch's DataLoader has each worker prepare ahead (its default `prefetch_factor`)."""

PROCESS = 280 * 2**20
WORKER = 12 * 2**20
"""Private bytes of a process that imported torch, and of a worker forked from it after 20 batches: measured
with torch 2.14.0+cu130 and Python 3.11 on Linux (/proc/PID/smaps_rollup). Where workers are spawned (Windows,
macOS) each takes what a process takes; CUDA's share of the host's memory is not in it."""

FLOAT = 4  # bytes of a float32: every loader here hands over float32 tensors
RGB = 3  # channels of an image where the config does not say
POOL_CROP = 400  # RealESRGANDataset crops every image to this, whatever gt_size says
KERNELS = 3 * 21 * 21  # and adds two blur kernels and a sinc kernel, padded to 21 x 21


def estimate_host(spec: TrainSpec) -> Host:
    """Count the processes and shared bytes of a placed spec; `shm` is None where a sample's size is unknown.

    `ram` is that of processes, workers and the batches that may wait. The images that a data set keeps, CUDA
    and the trainer's own libraries come on top, of which no config says anything.
    Raises CannotTraceError where the number of workers is unknown.
    """
    if "workers.total" not in spec:
        raise CannotTraceError("the number of loader workers is not known")
    workers, shared = int(spec["workers.total"]), _shared(spec)
    processes = max(1, int(spec.get("gpus", 1))) if spec.get("parallel") == "ddp" else 1
    ram = None if shared is None else processes * PROCESS + workers * WORKER + shared
    return Host(worker_processes=workers, ram=ram, shm=shared)


def sample_bytes(spec: TrainSpec) -> int | None:
    """Return the bytes of one sample as a worker hands it over; None where it cannot be known."""
    channels = int(spec.get("channels", RGB))
    if spec.get("data.kind") == "RealESRGANDataset":
        return FLOAT * (channels * POOL_CROP**2 + KERNELS)
    if "frames" in spec or "crop.hr" not in spec or "crop.lq" not in spec:
        return None
    return FLOAT * channels * (int(spec["crop.hr"]) ** 2 + int(spec["crop.lq"]) ** 2)


def _shared(spec: TrainSpec) -> int | None:
    """Return the most bytes that wait in /dev/shm: every worker's prepared batches, over all processes."""
    sample = sample_bytes(spec)
    if sample is None or "batch.per_process" not in spec:
        return None
    ahead = spec.get("options", {}).get("prefetch_factor") or PREFETCH
    return int(spec["workers.total"] * ahead * spec["batch.per_process"] * sample)
