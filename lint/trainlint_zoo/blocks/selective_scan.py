# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Mamba authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Mamba's selective scan with the tensors that its CUDA operator allocates and keeps; and its parameters.

The operator makes the output and, for every 2048 tokens, the state they end in (two numbers per state), keeps
the state with its inputs, and fills one gradient per input; those of B and C are summed in fp32. Source:
state-spaces/mamba 23f42a16, csrc/selective_scan/selective_scan.cpp, and 01887ed7,
mamba_ssm/ops/selective_scan_interface.py; e9594ce2 allocates and keeps the same.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

CHUNK = 2048
"""Tokens between two kept states."""
RANK = 16
"""Channels per rank of the step sizes' projection (dt_rank "auto")."""


class _Scan(torch.autograd.Function):
    """Shapes alone: the values are never computed."""

    @staticmethod
    def forward(ctx: Any, u: Tensor, delta: Tensor, *rest: Tensor) -> Tensor:
        """`rest`: A (d, n), B and C (b, groups, n, l), D (d), the bias of delta (d)."""
        u, delta = _packed(u), _packed(delta)
        a, b, c, d, bias = rest
        b, c = _packed(b), _packed(c)
        out = torch.empty_like(delta)
        chunks = -(-u.shape[2] // CHUNK)
        state = torch.zeros(u.shape[0], u.shape[1], chunks, 2 * a.shape[1], dtype=a.dtype, device=a.device)
        ctx.save_for_backward(u, delta, a, b, c, d.contiguous(), bias, state)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        u, delta, a, b, c, d, bias, _ = ctx.saved_tensors
        _ = _packed(grads[0])
        like = torch.zeros_like
        gradients = torch.empty_like(u), torch.empty_like(delta), like(a)
        summed = [torch.zeros_like(tensor, dtype=torch.float32) for tensor in (b, c)]
        last = like(d), like(bias)
        return *gradients, *(tensor.to(b.dtype) for tensor in summed), *last


def _packed(x: Tensor) -> Tensor:
    return x if x.stride(-1) == 1 else x.contiguous()


def selective_scan(u: Tensor, delta: Tensor, *rest: Tensor) -> Tensor:
    """(b, d, l), (b, d, l), A, B, C, D, bias -> (b, d, l)."""
    out: Tensor = _Scan.apply(u, delta, *rest)
    return out


class ScanParameters(nn.Module):
    """What `copies` scans over `inner` channels with `state` numbers per channel learn."""

    def __init__(self, inner: int, state: int, dt_rank: int, copies: int) -> None:
        super().__init__()
        self.state, self.dt_rank, self.copies = state, dt_rank, copies
        self.x_proj_weight = nn.Parameter(torch.empty(copies, dt_rank + 2 * state, inner))
        self.dt_projs_weight = nn.Parameter(torch.empty(copies, inner, dt_rank))
        self.dt_projs_bias = nn.Parameter(torch.empty(copies, inner))
        self.A_logs = nn.Parameter(torch.empty(copies * inner, state))
        self.Ds = nn.Parameter(torch.empty(copies * inner))

    def scan(self, xs: Tensor, prompt: Tensor | None = None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Scan (b, copies, inner, l), each copy by parameters of its own; `prompt` is added to C.

        Also returns what the published code goes on to name after its scan.
        """
        b, k, _, length = xs.shape
        parts = torch.einsum("b k d l, k c d -> b k c l", xs, self.x_proj_weight)
        dts, bs, cs = torch.split(parts, [self.dt_rank, self.state, self.state], dim=2)
        dts = torch.einsum("b k r l, k d r -> b k d l", dts, self.dt_projs_weight)
        xs = xs.float().view(b, -1, length)
        dts = dts.contiguous().float().view(b, -1, length)
        bs, cs = bs.float(), cs.float()
        if prompt is not None:
            cs = cs + prompt
        ds = self.Ds.float().view(-1)
        a = -torch.exp(self.A_logs.float()).view(-1, self.state)
        bias = self.dt_projs_bias.float().view(-1)
        return selective_scan(xs, dts, a, bs, cs, ds, bias).view(b, k, -1, length), (dts, bs, cs)


def rank_of(dim: int) -> int:
    """Return the width of the step sizes' projection for a model of `dim` channels."""
    return math.ceil(dim / RANK)
