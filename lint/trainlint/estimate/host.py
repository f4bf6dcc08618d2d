# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Worker processes, and the shared memory through which they hand over batches."""

from __future__ import annotations

from trainlint.errors import CannotTraceError
from trainlint.estimate.facts import Host
from trainlint.spec import TrainSpec

PREFETCH = 2
"""Batches that torch's DataLoader has each worker prepare ahead (its default `prefetch_factor`)."""

FLOAT = 4  # bytes of a float32: every loader here hands over float32 tensors
RGB = 3  # channels of an image where the config does not say
POOL_CROP = 400  # RealESRGANDataset crops every image to this, whatever gt_size says
KERNELS = 3 * 21 * 21  # and adds two blur kernels and a sinc kernel, padded to 21 x 21


def estimate_host(spec: TrainSpec) -> Host:
    """Count the processes and shared bytes of a placed spec; `shm` is None where a sample's size is unknown.

    RAM is left open: it is the data set's decoded images and libraries, which no config tells.
    Raises CannotTraceError where the number of workers is unknown.
    """
    if "workers.total" not in spec:
        raise CannotTraceError("the number of loader workers is not known")
    return Host(worker_processes=spec["workers.total"], shm=_shared(spec))


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
