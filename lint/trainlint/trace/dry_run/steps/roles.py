# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Roles: what the program's networks are called, and what their tensors are for.

A network is the outermost module that was moved to the GPU or called. Its role is its class, numbered where
there are several: the program's own names for them are in its code.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn

from trainlint.tape import Network
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.torch_names import local
from trainlint.trace.dry_run.truth import on_meta, told

ADAM = ("Adam", "AdamW", "NAdam", "RAdam", "Adamax")
WRAPPERS = (
    "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule", "AveragedModel",
    "ModelEma", "ModelEmaV2", "ModelEmaV3",
)  # fmt: skip
"""Classes of torch and timm that hold a network as their `module`."""

HALVES = 2


class Roles:
    """The networks that were met, in their order."""

    def __init__(self, ledger: LiveLedger) -> None:
        self.ledger = ledger
        self.roots: dict[str, weakref.ref[nn.Module]] = {}
        self.trained: dict[int, weakref.ref[Any]] = {}
        """Parameters that an optimizer has stepped, by identity."""
        self._known: weakref.WeakSet[nn.Module] = weakref.WeakSet()

    def meet(self, module: nn.Module) -> None:
        """Name a module that is a network and not yet part of one."""
        inner = unwrapped(module)
        if inner in self._known or not any(on_meta(t) for t in _tensors(inner)):
            return
        if twins := _twins(inner):
            self._known.add(inner)
            for twin in twins:
                self.meet(twin)
            return
        parts = {id(part) for part in inner.modules()}
        for role in [role for role, root in self.roots.items() if id(root()) in parts]:
            del self.roots[role]
        kind = type(inner).__name__
        same = sum(role.partition(" ")[0] == kind for role in self.roots)
        role = kind if not same else f"{kind} {same + 1}"
        self.roots[role] = weakref.ref(inner)
        self.ledger.owners.name(role, inner)
        self._known.update(inner.modules())
        self.label(role, inner)

    def label(self, role: str, module: nn.Module, kind: str = "parameters") -> None:
        """Say in the ledger what a network's tensors are for."""
        with told():
            for name, parameter in module.named_parameters():
                self.ledger.adopt(local(parameter), kind, f"{role}:{name}")
            for name, buffer in module.named_buffers():
                kind_of_buffer = "buffers" if kind == "parameters" else kind
                self.ledger.adopt(local(buffer), kind_of_buffer, f"{role}:{name}")

    def relabel(self) -> None:
        """Say it again for all, once it is known what the program trains."""
        trained = {key for key, parameter in self.trained.items() if parameter() is not None}
        classes = {type(m).__name__ for _, m in self.alive() if any(id(p) in trained for p in m.parameters())}
        for role, module in self.alive():
            kind = "parameters"
            if trained and not any(id(parameter) in trained for parameter in module.parameters()):
                parts = {type(part).__name__ for part in (module, *module.children())}
                kind = "ema" if parts & classes else "losses"
            self.label(role, module, kind)

    def label_gradients(self, parameters: Iterable[torch.Tensor]) -> None:
        """Say in the ledger which tensors are gradients, each with its parameter's owner."""
        with told():
            for parameter in parameters:
                if parameter.grad is not None:
                    owner = self.ledger.owner_of(local(parameter))
                    self.ledger.relabel(local(parameter.grad), "gradients", owner)

    def alive(self) -> Iterator[tuple[str, nn.Module]]:
        """Yield the networks that still exist."""
        for role, root in self.roots.items():
            module = root()
            if module is not None:
                yield role, module

    def standing(self) -> dict[str, Any]:
        """Return the bytes that stand on the GPU whatever a step takes: weights and what optimizers will add.

        An optimizer's parameters get a gradient each, and Adam's kind two states of the same size.
        """
        with told():
            weights = {id(t): _bytes(t) for _, module in self.alive() for t in _tensors(module) if on_meta(t)}
            trained: dict[int, int] = {}
            states: dict[int, int] = {}
            for candidate in gc.get_objects():
                if issubclass(type(candidate), torch.optim.Optimizer):
                    doubled = type(candidate).__name__ in ADAM
                    for group in candidate.param_groups:
                        for parameter in filter(on_meta, group["params"]):
                            trained[id(parameter)] = _bytes(parameter)
                            states[id(parameter)] = 2 * doubled * _bytes(parameter)
        names = [f"{network.arch} {network.parameters / 1e6:.1f} M" for network in self.networks()]
        return {
            "networks": names, "weights": sum(weights.values()),
            "gradients": sum(trained.values()), "states": sum(states.values()),
        }  # fmt: skip

    def networks(self) -> list[Network]:
        """Return the networks for the tape."""
        return [
            Network(role, type(module).__name__, sum(p.numel() for p in module.parameters()),
                    sum(p.numel() for p in module.parameters() if p.requires_grad))
            for role, module in self.alive()
        ]  # fmt: skip

    def of(self, optimizer: torch.optim.Optimizer) -> str:
        """Return the role of what an optimizer steps."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                with told():
                    owner = self.ledger.owner_of(local(parameter))
                if owner:
                    return owner.partition(":")[0]
        return ""


def unwrapped(module: nn.Module) -> nn.Module:
    """Return the network in a wrapper of torch's."""
    while type(module).__name__ in WRAPPERS and isinstance(getattr(module, "module", None), nn.Module):
        module = module.module  # type: ignore[assignment]  # just asked
    return module


def _twins(module: nn.Module) -> list[nn.Module]:
    """Return the two networks that are all that a module holds, where they are alike: one is an average."""
    parts = [part for part in module.children() if any(True for _ in part.parameters())]
    sizes = {(type(part), sum(p.numel() for p in part.parameters())) for part in parts}
    whole = sum(p.numel() for p in module.parameters())
    alike = len(parts) == HALVES and len(sizes) == 1 and whole == HALVES * next(iter(sizes))[1]
    return parts if alike and next(module.parameters(recurse=False), None) is None else []


def _tensors(module: nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()


def _bytes(tensor: torch.Tensor) -> int:
    part = local(tensor)
    return part.numel() * part.element_size()
