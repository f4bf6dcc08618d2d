# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The image of a validation: the config's, the user's, or one that the named set is known to hold."""

from __future__ import annotations

import pytest

from trainlint.estimate.run.benchmark_sets import BENCHMARKS
from trainlint.estimate.run.validation_image import known_set, validation_image
from trainlint.model.spec import TrainSpec, Value


def image(sets=(), given=None, **fields):
    values = {"validation.every": 100, "scale": 4, "validation.sets": list(sets)} | {
        name.replace("__", "."): value for name, value in fields.items()
    }
    return validation_image(TrainSpec({name: Value(v) for name, v in values.items() if v is not None}), given)


def folder(*folders, name=""):
    return {"name": name, "folders": list(folders)}


RECOGNISED = [
    (folder("datasets/DIV2K/DIV2K_valid_HR", name="val"), "DIV2K"),
    (folder("D:\\data\\DF2K\\val"), "Flickr2K"),
    (folder("/data/2023/DIV2K/benchmark/Urban100/HR"), "Urban100"),  # the deepest folder is the set
    (folder(["datasets/Set14/GTmod12"], ["datasets/Set14/LRbicx4"]), "Set14"),
    (folder("", "./GoPro/test/input.lmdb"), "GoPro"),
    (folder("/mine/hr", name="Set5"), "Set5"),
    (folder("", name="DIV2K_val100"), "DIV2K"),
]


@pytest.mark.parametrize(("one", "title"), RECOGNISED)
def test_a_set_is_known_by_its_folder_or_its_name(one, title):
    assert known_set([one]).title == title


UNKNOWN = [
    folder("datasets/DIV2K/DIV2K_train_HR_sub"),
    folder("datasets/DIV2K/valid/256"),
    folder("datasets/DIV2K_512x512/hr"),
    folder("datasets/GoPro/val/input_crops"),
    folder("datasets/DIV2K/valid", name="DIV2K_patches"),
    folder("datasets/DIV2K10/hr"),  # a set of one's own making
    folder("C:\\datasets\\val\\gt", name="val"),
    folder(None, name=None),
]


@pytest.mark.parametrize("one", UNKNOWN)
def test_patches_and_foreign_sets_are_not_known(one):
    assert known_set([one]) is None
    assert image([one]) is None


def test_the_network_gets_the_known_image_divided_by_the_scale():
    found = image([folder("DIV2K/hr")])
    assert (found.height, found.width, found.basis) == (339, 510, "DIV2K has images of 2040x1356, x4")
    whole = image([folder("GoPro/test")], scale=1)
    assert (whole.height, whole.width, whole.basis) == (720, 1280, "GoPro has images of 1280x720")


def test_of_several_sets_the_largest_images_count():
    sets = [folder("Set5/hr"), folder("Urban100/hr"), folder("mine/hr")]
    assert image(sets).basis.startswith("Urban100")


def test_the_users_size_goes_before_the_sets_and_the_configs_before_both():
    div2k = [folder("DIV2K/hr")]
    assert (image(div2k, (50, 60)).height, image(div2k, (50, 60)).width) == (50, 60)
    own = image(div2k, (50, 60), validation__height=7, validation__width=8)
    assert (own.height, own.width) == (7, 8)


def test_without_validation_without_a_scale_or_with_frames_there_is_no_image():
    div2k = [folder("DIV2K/hr")]
    assert image(div2k, validation__every=None) is None
    assert image(div2k, (50, 60), validation__every=None) is None
    assert image(div2k, scale=None) is None
    assert image(div2k, frames=7) is None


def test_tiles_go_with_the_image():
    found = image([folder("DIV2K/hr")], validation__tile=192, validation__overlap=16)
    assert (found.tile, found.overlap) == (192, 16)


def test_every_set_has_a_source_and_words_of_its_own():
    words = [word for benchmark in BENCHMARKS for word in benchmark.words]
    assert len(words) == len(set(words))
    assert all(benchmark.source and benchmark.height * benchmark.width for benchmark in BENCHMARKS)


def test_a_size_that_is_given_holds_where_validation_comes_with_epochs() -> None:
    epochs = TrainSpec({"options": Value({"validation_epochs": 1})})
    assert validation_image(epochs, (224, 200)).height == 224
    assert validation_image(epochs, None) is None
    assert validation_image(TrainSpec({}), (224, 200)) is None
