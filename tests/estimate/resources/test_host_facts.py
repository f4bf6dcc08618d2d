# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Workers and /dev/shm, worked out by hand from torch's DataLoader."""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.host_needs import estimate_host
from trainlint.model.spec import TrainSpec, Value


def host(fields, **seen):
    return estimate_host(TrainSpec({name: Value(value) for name, value in fields.items()}), seen)


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


def test_each_worker_holds_a_decoded_image():
    """A megapixel in 8 bits and in float32."""
    paired = PAIRED | {"data.kind": "PairedImageDataset"}
    assert host(paired, pixels=1_000_000).ram - host(PAIRED).ram == 6 * 15_000_000


@pytest.mark.parametrize(
    ("kind", "frames", "targets", "inputs"),
    [
        ("REDSRecurrentDataset", 15, 15, 15),
        ("Vimeo90KRecurrentDataset", 14, 14, 14),
        ("REDSDataset", 5, 1, 5),
        ("VideoRecurrentTrainNonblindDenoisingDataset", 6, 6, 8),  # and the level of the noise: 4/3 of 6
    ],
)
def test_a_clip_is_handed_over_whole(kind, frames, targets, inputs):
    clip = PAIRED | {"data.kind": kind, "frames": frames}
    assert host(clip).shm == 6 * 2 * 16 * 12 * (targets * 128**2 + inputs * 32**2)


@pytest.mark.parametrize(
    ("kind", "frames", "images"),
    [("REDSRecurrentDataset", 15, 15 * 17 / 16), ("Vimeo90KRecurrentDataset", 14, 7 * 17 / 16)],
)
def test_each_worker_holds_a_clip_s_frames(kind, frames, images):
    """All in float32, the last one in 8 bits too; of Vimeo-90K's seven the mirrored ones are no others."""
    clip = PAIRED | {"data.kind": kind, "frames": frames, "scale": 4}
    fact = host(clip, pixels=1_000_000)
    assert fact.ram - fact.shm - (280 + 6 * 12) * 2**20 == 6 * (3_000_000 + images * 12_000_000)


def test_pinned_batches_come_on_top_as_powers_of_two():
    pinned, plain = host(PAIRED | {"pin_memory": True}), host(PAIRED)
    assert (plain.pinned, pinned.pinned) == (0, (6 * 2 + 2) * 2**22)  # 16 samples of 208,896 bytes: 3.2 MiB
    assert pinned.ram - plain.ram == pinned.pinned
    assert host(PAIRED | {"pin_memory": True, "crop.lq": None, "frames": 7}).pinned is None


@pytest.mark.parametrize(
    ("dialect", "more"), [("timm", 6), ("vae", 6), ("kair", 1), ("basicsr", 0), ("glfcr", 0)]
)
def test_validation_has_workers_of_its_own(dialect, more):
    fact, alone = host(PAIRED | {"dialect": dialect, "validation.every": 100}), host(PAIRED)
    assert (fact.worker_processes, fact.validation_workers) == (6, more)
    assert fact.shm * 6 == alone.shm * (6 + more)
    assert fact.ram - alone.ram == more * 12 * 2**20 + fact.shm - alone.shm


def test_neosr_has_each_worker_prepare_eight():
    assert host(PAIRED | {"dialect": "neosr"}).shm == 4 * host(PAIRED).shm


def test_a_database_is_mapped_and_takes_no_ram_of_its_own():
    fact = host(PAIRED, database=5 * 2**30)
    assert (fact.mapped, fact.ram) == (5 * 2**30, host(PAIRED).ram)


TEXT = {"dialect": "trl", "workers.total": 0, "batch.per_process": 2, "sequence.length": 1024}
SHAPE = {"model.download": 16 * 10**9, "weights.dtype": "fp32"}


def test_a_batch_of_text_has_three_numbers_a_token():
    assert host(TEXT | {"workers.total": 1}).shm == 2 * 2 * 1024 * 24


def test_each_of_several_processes_of_trl_loads_the_model_into_ram():
    assert host(TEXT | SHAPE | {"parallel": "ddp", "gpus": 2}).loading == 2 * 32 * 10**9
    assert host(TEXT | SHAPE).loading == 0  # onto the card
    assert host(TEXT | SHAPE | {"weights.dtype": "bf16", "parallel": "ddp", "gpus": 2}).loading == 0
    assert host(TEXT | SHAPE | {"dialect": "llamafactory", "parallel": "ddp", "gpus": 2}).loading == 0


def test_what_loading_takes_is_in_ram():
    launched = TEXT | {"parallel": "ddp", "gpus": 2}
    assert host(launched | SHAPE).ram - host(launched).ram == 2 * 32 * 10**9
