# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's own optimizers: Adan, schedule-free Adan and AdamW, AdamW with Win acceleration.

Each keeps the state that the original keeps, and makes its temporaries in the original's order.
Source: muslll/neosr de9c33cc, neosr/optimizers (adan, adan_sf, adamw_sf, adamw_win).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint.trace.torch_private import (
    foreach_add_,
    foreach_addcdiv_,
    foreach_addcmul_,
    foreach_div_,
    foreach_lerp_,
    foreach_mul_,
    foreach_sqrt,
    foreach_sub_,
    foreach_zero_,
)

RECIPES: dict[str, str] = {}

TORCH_NAMES = {"adam": "Adam", "adamw": "AdamW", "nadam": "NAdam"}
"""Names, in small letters, of the classes that neosr takes from torch."""


class Listed(torch.optim.Optimizer):
    """An optimizer that works on the list of all parameters that have a gradient."""

    def __init__(self, params: Iterable[Any], **_: object) -> None:
        super().__init__(params, {"lr": 1e-4})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # torch overloads it for closures
        """Update every parameter that has a gradient."""
        del closure
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        for parameter in params:
            if not self.state[parameter]:
                self.state[parameter].update(self.begin(parameter))
        if params:
            self.update(params, [p.grad for p in params], [self.state[p] for p in params])

    def begin(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return the state that a parameter starts with."""
        raise NotImplementedError

    def update(self, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Tensor]]) -> None:
        """Move the parameters."""
        raise NotImplementedError


class Adan(Listed):
    """Four tensors of state per parameter; one list of temporaries (the denominators)."""

    free = False

    def begin(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return three moments, the negated gradient, and schedule-free's second weights.

        adan_sf clones them whether or not `schedule_free` is set.
        """
        names = ("exp_avg", "exp_avg_sq", "exp_avg_diff")
        state = {name: torch.zeros_like(parameter) for name in names}
        if self.free:
            state["z"] = torch.clone(parameter)
        return {**state, "neg_pre_grad": cast("Tensor", parameter.grad).clone().mul_(-1.0)}

    def update(self, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Tensor]]) -> None:
        """Run the multi-tensor update."""
        moments, squares, differences, negated = (
            [state[name] for state in states]
            for name in ("exp_avg", "exp_avg_sq", "exp_avg_diff", "neg_pre_grad")
        )
        foreach_mul_(grads, 1.0)
        foreach_add_(negated, grads)
        foreach_mul_(moments, 0.9)
        foreach_add_(moments, grads, alpha=0.1)
        foreach_mul_(differences, 0.9)
        foreach_add_(differences, negated, alpha=0.1)
        foreach_mul_(negated, 0.9)
        foreach_add_(negated, grads)
        foreach_mul_(squares, 0.9)
        foreach_addcmul_(squares, negated, negated, value=0.1)
        denominators = foreach_sqrt(squares)
        foreach_add_(denominators, 1e-8)
        if self.free:
            foreach_lerp_(params, [state["z"] for state in states], weight=0.1)
        foreach_addcdiv_(params, moments, denominators, value=-0.1)
        foreach_addcdiv_(params, differences, denominators, value=-0.1)
        foreach_zero_(negated)
        foreach_add_(negated, grads, alpha=-1.0)


class FreeAdan(Adan):
    """Schedule-free Adan: a fifth tensor per parameter."""

    free = True


class FreeAdamW(Listed):
    """Schedule-free AdamW: two tensors of state per parameter, one list of temporaries."""

    def begin(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return the second weights and the second moment."""
        return {"z": torch.clone(parameter.data), "exp_avg_sq": torch.zeros_like(parameter.data)}

    def update(self, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Tensor]]) -> None:
        """Run the multi-tensor update."""
        weights, squares = [state["z"] for state in states], [state["exp_avg_sq"] for state in states]
        foreach_addcmul_(squares, grads, grads, value=0.1)
        denominators = foreach_sqrt(squares)
        foreach_add_(denominators, 1e-8)
        foreach_div_(grads, denominators)
        foreach_lerp_(params, weights, weight=0.1)
        foreach_add_(params, grads, alpha=-0.1)
        foreach_sub_(weights, grads, alpha=0.1)


class WinAdamW(Listed):
    """AdamW with Win2 acceleration: four tensors of state, one parameter after the other."""

    def begin(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return two moments and two more sets of weights."""
        return {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq", "x", "y")}

    def update(self, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Tensor]]) -> None:
        """Update one parameter after the other."""
        for parameter, grad, state in zip(params, grads, states, strict=True):
            moment, square = state["exp_avg"], state["exp_avg_sq"]
            moment.mul_(0.9).add_(grad, alpha=0.1)
            square.mul_(0.9).addcmul_(grad, grad, value=0.1)
            denominator = (square.sqrt() / 0.9).add_(1e-8)
            change = (moment / denominator) / 0.9
            state["x"].add_(change, alpha=-0.1)
            state["y"].mul_(0.9).add_(state["x"], alpha=0.1).add_(change, alpha=-0.1)
            parameter.mul_(0.9).add_(change, alpha=-0.1).add_(state["x"], alpha=0.1)
            parameter.add_(state["y"], alpha=0.1)


OWN_OPTIMIZERS: Mapping[str, type[Listed]] = {
    "adan": Adan,
    "adan_sf": FreeAdan,
    "adamw_sf": FreeAdamW,
    "adamw_win": WinAdamW,
}


def build_optimizer(
    stage: Stage, role: str, params: Iterable[Tensor], entry: Mapping[str, Any]
) -> torch.optim.Optimizer:
    """Build the optimizer that a config's `optim_g` or `optim_d` names."""
    kind = str(entry.get("type")).lower()
    options = {name: value for name, value in entry.items() if name not in ("role", "type", "lr")}
    if kind in OWN_OPTIMIZERS:
        if options.get("max_grad_norm") or options.get("foreach") is False or "acceleration_mode" in options:
            raise CannotTraceError(f"{kind} with clipping of its own, without foreach or in another mode")
        return stage.adopt_optimizer(role, OWN_OPTIMIZERS[kind](params))
    if kind not in TORCH_NAMES:
        raise CannotTraceError(f"unknown optimizer {entry.get('type')}")
    return stage.optimizer(role, params, TORCH_NAMES[kind], lr=1e-4, **options)
