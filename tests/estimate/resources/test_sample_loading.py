# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The loader's seconds of a step, worked out by hand from the rates of factors.toml."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.sample_loading import loading_of
from trainlint.estimate.speed.rate_factors import factors
from trainlint.hardware import load_hardware
from trainlint.model.spec import TrainSpec, Value

KAGGLE = load_hardware().target("kaggle-t4x2")  # 4 cores
RATES = factors().loading
FIELDS = {
    "data.kind": "PairedImageDataset",
    "data.root": "data/own",
    "scale": 4,
    "crop.hr": 128,
    "workers.total": 2,
    "batch.total": 16,
}


def loading(seen=None, target=KAGGLE, **changes):
    fields = FIELDS | {name.replace("__", "."): value for name, value in changes.items()}
    spec = TrainSpec({name: Value(value) for name, value in fields.items() if value is not None})
    return loading_of(spec, target, seen or {})


@pytest.mark.parametrize("kind", ["PairedImageDataset", "paired", "sr", "super-resolution"])
def test_a_pair_is_two_images_over_the_workers(kind):
    """A megapixel and a sixteenth, decoded on the fastest machine by two workers, on the slowest by less."""
    found = loading({"pixels": 1_000_000, "jpegs": 0}, data__kind=kind)
    least, most = RATES.decode["png"]
    low = 16 * (1.0625 * least + 2 * RATES.file) / RATES.machines / 2
    high = 16 * (1.0625 * most + 2 * RATES.file) * RATES.machines / (1 + RATES.further)
    assert found.seconds == pytest.approx((low, (low * high) ** 0.5, high))
    assert not found.assumed
    assert "1.00 megapixels, looked at" in found.basis


def test_the_target_alone_is_decoded_where_the_input_is_made_of_it():
    paired, alone = (
        loading({"pixels": 10**6, "jpegs": 0}, data__kind=kind, data__root="own_lmdb")
        for kind in ("PairedImageDataset", "RealESRGANDataset")
    )
    assert 1.06 < paired.seconds[0] / alone.seconds[0] < 1.1


def test_shrinking_a_whole_target_comes_on_top():
    """KAIR's `sr` without dataroot_L makes the input of a sample in Python, of all of the target."""
    seen = {"pixels": 10**6, "jpegs": 0}
    alone, shrunk = (loading(seen, data__kind=kind) for kind in ("jpeg", "sr without inputs"))
    least, most = RATES.decode["shrunk"]
    assert shrunk.seconds[0] - alone.seconds[0] == pytest.approx(16 * least / RATES.machines / 2)
    high = 16 * most * RATES.machines / (1 + RATES.further)
    assert shrunk.seconds[2] - alone.seconds[2] == pytest.approx(high)


@pytest.mark.parametrize(
    ("kind", "frames", "files", "targets"),
    [
        ("REDSDataset", 5, 6, 1 + 5 / 16),
        ("Vimeo90KDataset", 7, 8, 1 + 7 / 16),
        ("PairedVideoDataset", 5, 6, 1 + 5 / 16),
        ("REDSRecurrentDataset", 15, 30, 15 * 17 / 16),
        ("Vimeo90KRecurrentDataset", 14, 14, 7 * 17 / 16),
        ("VideoRecurrentTrainVimeoDataset", 8, 14, 7 * 17 / 16),
        ("VideoRecurrentTrainDataset", 6, 12, 6 * 17 / 16),
        ("VideoRecurrentTrainNonblindDenoisingDataset", 6, 6, 6),
    ],
)
def test_of_a_clip_every_frame_that_is_read_counts(kind, frames, files, targets):
    """A clip of Vimeo-90K has seven frames, however often they are played."""
    found = loading({"pixels": 921_600, "jpegs": 0}, data__kind=kind, frames=frames)
    each = 0.9216 * targets * RATES.decode["png"][0] + files * RATES.file
    assert found.seconds[0] == pytest.approx(16 * each / RATES.machines / 2)


def test_jpeg_is_quicker_and_either_holds_both():
    png, jpeg, either = (loading({"pixels": 10**6, "jpegs": share}).seconds for share in (0, 1, 0.5))
    assert jpeg[0] < png[0]
    assert (either[0], either[2]) == (min(png[0], jpeg[0]), max(png[2], jpeg[2]))


def test_a_database_is_quicker_to_fetch_from():
    assert (
        loading({"pixels": 10_000}, data__root="gt.lmdb").seconds[0] < loading({"pixels": 10_000}).seconds[0]
    )


def test_workers_beyond_the_cores_help_nobody():
    two, four, many = (loading({"pixels": 10**6}, workers__total=count).seconds[0] for count in (2, 4, 40))
    assert two == pytest.approx(2 * four)
    assert many == four


def test_cores_that_nobody_knows_are_few_or_enough():
    """A range from as many as there are workers to two a GPU, which says so."""
    unknown = replace(KAGGLE, cpu_cores=None)
    found = loading({"pixels": 10**6}, target=unknown, workers__total=16)
    many, few = (
        loading({"pixels": 10**6}, target=replace(KAGGLE, cpu_cores=cores), workers__total=16)
        for cores in (16, 2 * KAGGLE.gpu_count)
    )
    assert not found.cores_known
    assert "how many cores the machine has is not known: 4 or more" in found.basis
    assert (found.seconds[0], found.seconds[2]) == (many.seconds[0], few.seconds[2])


def test_without_workers_each_process_loads():
    none = loading({"pixels": 10**6}, workers__total=0).seconds[0]
    assert none == loading({"pixels": 10**6}, workers__total=1).seconds[0]
    launched = loading({"pixels": 10**6}, workers__total=0, parallel="ddp", gpus=2).seconds[0]
    assert none == pytest.approx(2 * launched)


def test_a_known_set_has_its_own_size():
    found = loading(data__root="datasets/DIV2K/DIV2K_train_HR")
    assert not found.assumed
    assert found.basis == "DIV2K has PNG images of 2040x1356"
    assert loading({"pixels": 2040 * 1356, "jpegs": 0}).seconds == found.seconds


@pytest.mark.parametrize("root", ["datasets/DF2K/DF2K_HR_sub", "datasets/own", None])
def test_an_unknown_size_is_assumed_and_said_to_be(root):
    """From the crop, which no image is smaller than, to the largest that is usual."""
    found = loading(data__root=root)
    assert found.assumed
    assert found.basis.startswith("assumed: images between the crop's size")
    assert found.seconds[0] == loading({"pixels": 128 * 128, "jpegs": 0.5}).seconds[0]
    assert found.seconds[2] == loading({"pixels": RATES.largest, "jpegs": 0.5}).seconds[2]


def test_accumulated_batches_are_all_loaded():
    assert loading(accumulate=4).seconds[0] == pytest.approx(4 * loading().seconds[0])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"workers__total": None}, "workers or its batch"),
        ({"data__kind": "ClipsOfOurOwn", "frames": 7}, "type ClipsOfOurOwn"),
        ({"frames": 7}, "what a data set"),
        ({"crop__hr": None}, "size of the training images"),
        ({"data__kind": "ImageDataset"}, "size of the training images"),
        ({"data__kind": None}, "what a data set decodes"),
    ],
)
def test_what_is_not_known_is_a_reason(changes, words):
    with pytest.raises(CannotTraceError, match=words):
        loading(**changes)


MEGAPIXEL = {"pixels": 10**6, "jpegs": 1}


def test_kairs_sets_decode_a_target_or_a_pair():
    """A pair of "sr" is a target and a sixteenth of it, one of "plain" twice the target."""
    alone, pair, alike = (loading(MEGAPIXEL, data__kind=kind).seconds[0] for kind in ("dncnn", "SR", "plain"))
    assert pair == loading(MEGAPIXEL).seconds[0]
    assert alone == loading(MEGAPIXEL, data__kind="RealESRGANDataset").seconds[0]
    assert alike == pytest.approx(2 * alone)


def test_timm_scales_what_it_decoded():
    """At the least a small crop of it to 224 pixels; at the most all of it."""
    found = loading(MEGAPIXEL, data__kind="ImageDataset", crop__hr=None, crop__lq=224)
    low, high = RATES.file + RATES.decode["jpeg"][0], RATES.file + RATES.decode["jpeg"][1]
    quick, slow = RATES.decode["scaled"]
    assert found.seconds[0] == pytest.approx(16 * (low + 0.224**2 * quick) / RATES.machines / 2)
    assert found.seconds[2] == pytest.approx(16 * (high + slow) * RATES.machines / (1 + RATES.further))


def test_glf_cr_reads_three_files_a_sample_and_half_of_its_workers_validate():
    plain, masked = (
        loading(data__kind=kind, workers__total=4) for kind in ("AlignedDataset", "AlignedDataset with masks")
    )
    assert plain.seconds[0] == pytest.approx(16 * RATES.patch["plain"][0] / RATES.machines / 2)
    assert masked.seconds[0] > plain.seconds[0]
    assert not plain.assumed
