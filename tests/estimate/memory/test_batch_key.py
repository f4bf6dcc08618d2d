# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest batch at the config's own key, for every convention of a batch."""

from __future__ import annotations

import pytest

from trainlint.estimate.memory.batch_key import batch_at_key
from trainlint.estimate.memory.card import share_of
from trainlint.estimate.run.placement import place
from trainlint.model.facts import LargestBatch
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Target

MOST = 30
"""Samples that fit on the fullest GPU."""


def spec(field, value, **more):
    at = (("datasets", "train", "the_batch"),)
    fields = {name.replace("__", "."): Value(item) for name, item in more.items()}
    return TrainSpec({field: Value(value, at), **fields})


@pytest.mark.parametrize(
    ("field", "more", "count", "value", "samples"),
    [
        ("batch.per_gpu", {"gpus": 1}, 1, 30, 30),
        ("batch.per_gpu", {"gpus": 2}, 2, 30, 60),  # DataParallel: the loader takes twice that
        ("batch.per_gpu", {"gpus": 4}, 2, 15, 60),  # made for four GPUs: 16 puts 32 on each of two
        ("batch.per_gpu", {"gpus": 8}, 1, 3, 24),
        ("batch.per_gpu", {"gpus": 4, "launcher": "pytorch"}, 4, 30, 120),
        ("batch.per_process", {"gpus": 2}, 2, 60, 60),
        ("batch.total", {"gpus": 2}, 2, 60, 60),
        ("batch.total", {"gpus": 2, "launcher": "pytorch"}, 2, 60, 60),
    ],
)
def test_the_largest_batch_is_told_as_it_is_written(field, more, count, value, samples) -> None:
    placed = place(spec(field, 16, **more), Target("t", None, count))
    share = share_of(placed)
    assert batch_at_key(placed, share, MOST) == LargestBatch("the_batch", value, samples)
    again = place(spec(field, value, **more), Target("t", None, count))
    assert share_of(again).batch <= MOST  # what is said fits
    step = share.processes if field == "batch.total" else 1
    above = place(spec(field, value + step, **more), Target("t", None, count))
    assert share_of(above).batch > MOST


def test_nothing_is_told_where_nothing_fits_or_nothing_was_written() -> None:
    placed = place(spec("batch.per_gpu", 16, gpus=8), Target("t", None, 1))
    assert batch_at_key(placed, share_of(placed), 0) is None
    one = batch_at_key(placed, share_of(placed), 7)  # 1 for each of eight GPUs is 8 samples on the only one
    assert one == LargestBatch("the_batch", 0, 0)
    derived = TrainSpec({"batch.per_replica": Value(4, (), "derived")})
    assert batch_at_key(derived, share_of(derived), 9) is None


def test_a_batch_that_is_nowhere_written_has_not_the_name_of_the_mapping_around_it() -> None:
    given = TrainSpec({"batch.per_process": Value(1, (("process", 0, "train"),), "default")})
    placed = place(given, Target("t", None, 1))
    assert batch_at_key(placed, share_of(placed), MOST) == LargestBatch("batch", MOST, MOST)
