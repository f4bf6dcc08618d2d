# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compiled operators of repositories: what they allocate, against torch's own words for the same."""

import pytest
import torch
from torch.nn import functional as F

from trainlint_zoo.blocks.extensions import OPERATORS, upfirdn2d


@pytest.mark.parametrize(
    ("up", "down", "pad"), [(1, 1, (1, 2)), (2, 1, (2, 1)), (1, 2, (1, 1)), (2, 3, (0, 3))]
)
def test_filtering_has_the_shape_of_its_parts(up, down, pad):
    """Zeros between pixels, padding, a convolution without padding, every so many: as NVIDIA describes it."""
    image, kernel = torch.zeros(6, 9, 7, 1), torch.zeros(4, 4)
    spread = torch.zeros(6, 1, 9 * up, 7 * up)
    whole = F.conv2d(F.pad(spread, (*pad, *pad)), kernel[None, None])[:, :, ::down, ::down]
    made = upfirdn2d(image, kernel, up, up, down, down, *pad, *pad)
    assert made.shape == (6, *whole.shape[2:], 1)


def test_products_by_index_have_the_shape_of_a_gather():
    query, key = torch.zeros(2, 5, 8), torch.zeros(2, 8, 6)
    index = torch.zeros(2, 5, 3, dtype=torch.int32)
    scores = OPERATORS["smm_cuda.SMM_QmK_forward_cuda"](query, key, index)
    assert scores.shape == (query @ key).gather(2, index.long()).shape
    found = OPERATORS["smm_cuda.SMM_AmV_forward_cuda"](scores, key.transpose(1, 2).contiguous(), index)
    assert found.shape == (2, 5, 8)
    assert [g.shape for g in OPERATORS["smm_cuda.SMM_QmK_backward_cuda"](scores, query, key, index)] == [
        query.shape,
        key.shape,
    ]
