# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from trainlint.trace.dry_run.gpu import wide_products  # noqa: E402 - it imports torch


@pytest.fixture
def registered():
    library = torch.library.Library("aten", "IMPL")
    wide_products.register(library)
    yield
    library._destroy()


@pytest.mark.skipif("dtype" not in torch.ops.aten.addmm.overloads(), reason="a torch before 2.8")
def test_a_sum_may_be_wider_than_its_factors(registered):
    left, right = (torch.empty(shape, dtype=torch.bfloat16, device="meta") for shape in ((4, 6), (6, 5)))
    total = torch.empty(4, 5, device="meta")
    assert torch.addmm(total, left, right, out_dtype=torch.float32, out=total) is total
    made = torch.addmm(total, left, right, out_dtype=torch.float32)
    assert (made.shape, made.dtype) == ((4, 5), torch.float32)
    batched = torch.baddbmm(total[None], left[None], right[None], out_dtype=torch.float32)
    assert (batched.shape, batched.dtype) == ((1, 4, 5), torch.float32)
    narrow = torch.addmm(total.bfloat16(), left, right)
    assert narrow.dtype == torch.bfloat16
