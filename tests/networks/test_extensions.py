# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compiled operators of repositories: what they allocate, against torch's own words for the same."""

import pytest
import torch
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.extensions import known, upfirdn2d


def test_names_are_known_by_their_ends():
    assert known("basicsr.ops.upfirdn2d.upfirdn2d_ext.upfirdn2d") is upfirdn2d
    assert known("upfirdn2d_ext.upfirdn2d") is upfirdn2d
    assert known("my_upfirdn2d_ext.upfirdn2d") is None
    assert known("cv2.blur") is None


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
    scores = known("smm_cuda.SMM_QmK_forward_cuda")(query, key, index)
    assert scores.shape == (query @ key).gather(2, index.long()).shape
    found = known("smm_cuda.SMM_AmV_forward_cuda")(scores, key.transpose(1, 2).contiguous(), index)
    assert found.shape == (2, 5, 8)
    assert [g.shape for g in known("smm_cuda.SMM_QmK_backward_cuda")(scores, query, key, index)] == [
        query.shape,
        key.shape,
    ]


def test_a_scan_that_is_called_otherwise_is_refused():
    u, state, grouped = torch.zeros(2, 8, 16), torch.zeros(8, 4), torch.zeros(2, 4, 16)
    scan = known("mamba_ssm.ops.selective_scan_interface.selective_scan_fn")
    skip, bias = torch.zeros(8), torch.zeros(8)
    assert scan(u, u, state, grouped, grouped, skip, None, bias, True).shape == u.shape
    with pytest.raises(CannotTraceError, match="without z"):
        scan(u, u, state, grouped, grouped, skip, u, bias, True)
