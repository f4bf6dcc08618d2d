# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""StyleGAN2's operators: sizes that fit the convolutions around them, what they keep, two derivatives."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from trainlint_zoo.blocks.faces.stylegan2_ops import FusedLeakyReLU, smooth_down, smooth_up, upsample

TAPS = [[1, 2, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1]]


def kept(module, x):
    """Return the shapes of what is kept for the backward pass, and where each lies."""
    found = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: found.append(t) or t, lambda t: t):
        return module(x), found


@pytest.mark.parametrize("taps", TAPS, ids=len)
@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_filters_fit_the_convolutions_around_them(taps, kernel):
    image, weight = torch.zeros(2, 4, 10, 8), torch.zeros(4, 4, kernel, kernel)
    assert upsample(taps)(image).shape == (2, 4, 20, 16)
    assert smooth_up(taps, kernel)(F.conv_transpose2d(image, weight, stride=2)).shape == (2, 4, 20, 16)
    assert F.conv2d(smooth_down(taps, kernel)(image), weight, stride=2).shape == (2, 4, 5, 4)


def test_a_filter_keeps_itself_and_its_mirror_image_only():
    image = torch.zeros(2, 3, 8, 8, requires_grad=True)
    made, found = kept(upsample([1, 3, 3, 1]), image)
    assert made.shape == (2, 3, 16, 16)
    assert [tensor.shape for tensor in found] == [(4, 4), (4, 4)]


def test_the_activation_keeps_its_result_not_its_input():
    image = torch.zeros(2, 3, 8, 8, requires_grad=True)
    made, found = kept(FusedLeakyReLU(3), image)
    assert [tensor.data_ptr() for tensor in found] == [made.data_ptr()] != [image.data_ptr()]


@pytest.mark.parametrize("module", [FusedLeakyReLU(3), upsample([1, 3, 3, 1]), smooth_down([1, 2, 1], 3)])
def test_a_gradient_has_a_gradient(module):
    image = torch.zeros(2, 3, 8, 8, requires_grad=True)
    made = module(image)
    weight = torch.zeros_like(made, requires_grad=True)
    (first,) = torch.autograd.grad(made, image, weight, create_graph=True)
    (second,) = torch.autograd.grad(first, weight, torch.zeros_like(first))
    assert (first.shape, second.shape) == (image.shape, made.shape)


def test_the_bias_has_the_sum_over_all_else():
    module = FusedLeakyReLU(5)
    image = torch.zeros(2, 5, requires_grad=True)
    module(image).backward(torch.zeros(2, 5))
    assert (image.grad.shape, module.bias.grad.shape) == ((2, 5), (5,))
