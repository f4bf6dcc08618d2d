# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A batch of no data set: what a key's shape is known by."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from trainlint.errors import CannotTraceError
from trainlint.trace.own_code.loader_batch import Batch


def test_a_key_that_is_resized_as_another_has_its_side():
    """CodeFormer's third stage is fed its second stage's input, too."""
    train = {"type": "FFHQBlindJointDataset", "in_size": 512, "gt_size": 256}
    assert Batch({}, lambda side: side, train)["in_large_de"] == 512


@pytest.mark.parametrize("train", [{"type": "Another", "in_size": 512}, {"type": "FFHQBlindJointDataset"}])
def test_any_other_is_refused(train):
    with pytest.raises(CannotTraceError, match="whose shape is not known"):
        Batch({}, lambda side: side, train)["in_large_de"]
