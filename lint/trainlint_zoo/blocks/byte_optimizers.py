# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Optimizers with their state in bytes, or in memory that the driver may move to the host.

Papers: Dettmers et al., 8-bit Optimizers, 2022, and QLoRA, 2023. Read: bitsandbytes 0.50.2,
optim/optimizer.py. A tensor of fewer values than `MIN_BYTES` keeps its state in fp32, one of fewer than
`MIN_PAGED` is not paged; a block of 256 values in bytes has one scale. The kernels step in place. Paged state
is cudaMallocManaged's: the driver moves it away where the card is full, so that it counts for nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import torch
from torch import Tensor
from torch.optim import Optimizer

MIN_BYTES: Final = 4096
MIN_PAGED: Final = 100_000
BLOCK: Final = 256
STATES: Final = {"AdamW": 2, "Adam": 2, "Lion": 1, "Prodigy": 4, "AdamWBF16": 3, "OptimiLion": 2}
"""What of each parameter's size an algorithm keeps."""
ALIKE: Final = ("AdamWBF16", "OptimiLion")
"""Algorithms whose state is in the parameter's precision, with what rounding lost of it (Kahan's sum)."""


class ByteOptimizer(Optimizer):
    """One of bitsandbytes' optimizers: its state, made in the first step."""

    def __init__(
        self, params: Iterable[Tensor], *, states: int, in_bytes: bool, paged: bool, alike: bool = False,
        in_floats: Iterable[Tensor] = (),
    ) -> None:  # fmt: skip
        self.states, self.in_bytes, self.paged, self.alike = states, in_bytes, paged, alike
        self.in_floats = {id(parameter) for parameter in in_floats}
        super().__init__(params, {"lr": 1e-4})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # nobody gives it one
        """Make what state is missing, and step."""
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    if not self.state[parameter]:
                        self.state[parameter] = self._made(parameter)
                    parameter.mul_(1.0)  # stands for the kernel

    def _made(self, parameter: Tensor) -> dict[str, Tensor]:
        if self.paged and parameter.numel() >= MIN_PAGED:
            return {"paged": torch.empty(0)}
        in_bytes = self.in_bytes and parameter.numel() >= MIN_BYTES and id(parameter) not in self.in_floats
        made = {}
        for number in range(self.states):
            dtype = torch.uint8 if in_bytes else parameter.dtype if self.alike else torch.float32
            made[f"state{number + 1}"] = torch.zeros_like(parameter, dtype=dtype)
            if in_bytes:
                scales = -(-parameter.numel() // BLOCK)
                made[f"absmax{number + 1}"] = torch.zeros(scales, device=parameter.device)
        return made


def byte_optimizer(
    name: str, params: Iterable[Tensor], in_floats: Iterable[Tensor] = ()
) -> ByteOptimizer | None:
    """Return the optimizer of a name such as PagedAdamW8bit; None where it is torch's, or not known.

    The state of `in_floats` is no bytes (GlobalOptimManager.register_module_override with 32 bits).
    """
    paged, in_bytes = name.startswith("Paged"), name.endswith("8bit")
    algorithm = name.removeprefix("Paged").removesuffix("8bit")
    if algorithm not in STATES or (hasattr(torch.optim, name) and not (paged or in_bytes)):
        return None
    states = STATES[algorithm]
    return ByteOptimizer(
        params, states=states, in_bytes=in_bytes, paged=paged, alike=algorithm in ALIKE, in_floats=in_floats
    )
