# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A second opinion on a network that refuses an input: torch's own fake tensors, which pass for CUDA's.

They share nothing with the tracer's imitation but the network: what both refuse, in the same module, a GPU
refuses too. What only the imitation refuses is its own fault, and no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.trace.cuda.factories import on_meta
from trainlint.trace.cuda.seen_device import GPU
from trainlint.trace.recording.tensor_owners import Owners, failed_in
from trainlint.trace.torch_private import FakeTensorMode, without_modes


def failure(
    net: nn.Module, inputs: Sequence[Tensor], device: torch.device = GPU
) -> tuple[Exception, str] | None:
    """Return what `net` raises on fake tensors of a device, shaped like `inputs`, and in which module.

    A build of torch without CUDA cannot have all of a GPU's: batch_norm asks for its version of cuDNN.
    """
    held = [*net.named_parameters(remove_duplicate=False), *net.named_buffers(remove_duplicate=False)]
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    with on_meta(acting=False), without_modes(), fake, torch.no_grad():
        state = {name: _fake(tensor, device) for name, tensor in held}
        given = tuple(_fake(tensor, device) for tensor in inputs)
        try:
            with Owners().watching():
                torch.func.functional_call(net, state, given)
        except Exception as error:  # noqa: BLE001 - whatever own code raises
            return error, failed_in(error)
    return None


def _fake(tensor: Tensor, device: torch.device) -> Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
