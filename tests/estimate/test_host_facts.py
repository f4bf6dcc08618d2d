# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Workers and /dev/shm, worked out by hand from torch's DataLoader."""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.host import estimate_host
from trainlint.spec import TrainSpec, Value


def host(fields):
    return estimate_host(TrainSpec({name: Value(value) for name, value in fields.items()}))


PAIRED = {"workers.total": 6, "batch.per_process": 16, "crop.hr": 128, "crop.lq": 32, "channels": 3}


def test_paired_crops_wait_two_batches_per_worker():
    sample = 4 * 3 * (128 * 128 + 32 * 32)
    assert sample == 208_896
    fact = host(PAIRED)
    assert (fact.worker_processes, fact.shm) == (6, 6 * 2 * 16 * sample)


def test_realesrgan_hands_over_400_pixel_crops_and_three_kernels():
    fields = {"data.kind": "RealESRGANDataset", "workers.total": 5, "batch.per_process": 12, "crop.hr": 256}
    assert host(fields).shm == 5 * 2 * 12 * 1_925_292


def test_the_trainer_may_prefetch_more():
    assert host(PAIRED | {"options": {"prefetch_factor": 4}}).shm == 2 * host(PAIRED).shm


def test_no_workers_need_no_shared_memory():
    fact = host(PAIRED | {"workers.total": 0})
    assert (fact.worker_processes, fact.shm) == (0, 0)


@pytest.mark.parametrize("change", [{"frames": 7}, {"crop.lq": None}, {"batch.per_process": None}])
def test_an_unknown_sample_size_is_none(change):
    fields = {name: value for name, value in (PAIRED | change).items() if value is not None}
    assert host(fields).shm is None


def test_unknown_workers_are_a_reason():
    with pytest.raises(CannotTraceError, match="workers"):
        host({"batch.per_process": 16})


def test_ram_is_processes_workers_and_what_waits():
    alone, launched = host(PAIRED), host(PAIRED | {"parallel": "ddp", "gpus": 4})
    assert alone.ram == (280 + 6 * 12) * 2**20 + alone.shm
    assert launched.ram - alone.ram == 3 * 280 * 2**20
    assert host({"workers.total": 6}).ram is None
