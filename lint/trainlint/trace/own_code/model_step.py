# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The training step of a repository's own model class, of BasicSR's kind: driven as its train.py drives it.

The class is built on the CPU with the options that the trainer would give it, less what is the user's disk,
and moves itself to the GPU; then it is fed and optimized. Which attribute holds a network gives its role.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.tape.checkout_files import OWN_CODE
from trainlint.trace.own_code.counters import returning
from trainlint.trace.own_code.loaded_options import load
from trainlint.trace.own_code.loader_batch import Batch, batch_of
from trainlint.trace.own_code.model_options import ITERATION_MULTIPLE, as_asked_for, options_of
from trainlint.trace.own_code.no_weights import saved
from trainlint.trace.own_code.repository import Repository, reason_of
from trainlint.trace.parallel.wrapper import Wrapper
from trainlint.trace.stage import Stage

ROLES: Final = {"net_g": "generator", "net_d": "discriminator", "net_g_ema": "generator (EMA)"}
"""Attributes of BasicSR's models -> what their networks are called everywhere."""
SAVED_ITERATION: Final = 1_000_000
"""Iteration under which it saves: torch.save repeats a file's name in it."""
FEED_METHODS: Final = ("feed_train_data", "feed_data")
LOG_ARGUMENTS: Final = ("tb_logger", "logger")
"""Arguments of optimize_parameters, after the iteration, that BasicSR's old trainers leave None."""
ACCUMULATED_ARGUMENT: Final = "current_accum_iter"
"""Argument of traiNNer-redux's: how many batches were accumulated, 0 with the last one."""
APPLY_ARGUMENT: Final = "apply_gradient"
"""Argument of traiNNer-redux's: whether this batch is the last one of its step."""
NOT_SAVED: Final = "what it saves could not be followed"


class ModelStep:
    """One trace of a model class."""

    def __init__(self, step: Mapping[str, Any], stage: Stage, repository: Repository) -> None:
        self.step, self.stage, self.repository = step, stage, repository
        self.options = options_of(step, stage.layout.mode)
        self.known: dict[int, str] = {}
        self.networks = 0
        self.model = self._built()
        for name, module in _modules(self.model):
            self._register(name, module)
        for optimizer in _optimizers(self.model):
            stage.adopt_optimizer(self._trained_by(optimizer), optimizer)
        self.ahead: Batch | None = None

    def _built(self) -> Any:
        own = self.step[OWN_CODE]
        make = self.repository.model(str(own["model"]), str(own["package"]))
        try:
            with torch.device("cpu"), returning(self.stage):
                options = as_asked_for(make, self.options, self.step)
                load(str(own["package"]), options)
                return make(options)
        except CannotTraceError:
            raise
        except (Exception, SystemExit) as error:  # a library may leave by exit()
            why = f"{reason_of(error)}{self.repository.stubs.unmet(str(error))}"
            raise CannotTraceError(f"its model class cannot be built here: {why}") from error

    def wrapped(self, module: nn.Module) -> Any:
        """Register a network that is about to be replicated, and return what replicates it."""
        self.networks += 1
        first = ("generator", "discriminator")
        role = first[self.networks - 1] if self.networks <= len(first) else f"network {self.networks}"
        return self._replicated(role, module)

    def _replicated(self, role: str, module: nn.Module) -> Any:
        self._register(role, module)
        replicated = self.stage.replicate(role, module)
        if isinstance(replicated, Wrapper):  # one under DistributedDataParallel has buckets of its own
            copied = partial(self._copied, f"{role} (copy)", module)
            vars(replicated)["__deepcopy__"] = copied
        return replicated

    def _copied(self, role: str, module: nn.Module, memo: dict[int, Any]) -> Any:
        return self._replicated(role, copy.deepcopy(module, memo))

    def _register(self, name: str, module: nn.Module) -> None:
        """Put a module on the GPU's account, once, if it moved there."""
        there = [tensor for tensor in (*module.parameters(), *module.buffers()) if tensor.is_meta]
        if id(module) in self.known or not there:
            return
        role = self.known[id(module)] = ROLES.get(name, name)
        trained = any(p.requires_grad for p in module.parameters())
        kind = "ema" if name.endswith("_ema") else "parameters" if trained else "losses"
        self.stage.register(role, module, arch=type(module).__name__, kind=kind)

    def _trained_by(self, optimizer: torch.optim.Optimizer) -> str:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for name, module in _modules(self.model):
            if any(id(p) in held for p in module.parameters()):
                return self.known.get(id(module), name)
        return "generator"

    def train_step(self, batch: int) -> None:
        """Feed a batch and optimize, with a number of iterations that divides by much.

        A trainer that says in each call whether gradients are applied makes several for one step.
        """
        names = self._arguments()
        repeats = int(self.step.get("accumulate") or 1) if APPLY_ARGUMENT in names else 1
        for nth in range(1, repeats + 1):
            self._feed(batch)
            now = {ACCUMULATED_ARGUMENT: nth % repeats, APPLY_ARGUMENT: nth == repeats}
            number = [self._iteration()] if names else []
            self.model.optimize_parameters(*number, *map(now.get, names[1:]))

    def _feed(self, batch: int) -> None:
        data = self._batch(batch)
        if self.step.get("prefetch.mode") == "cuda":
            data, self.ahead = self.ahead or data, self._batch(batch)
        feed = next((getattr(self.model, name) for name in FEED_METHODS if hasattr(self.model, name)), None)
        if feed is None:
            raise CannotTraceError(f"{type(self.model).__name__} has none of {', '.join(FEED_METHODS)}")
        feed(data)

    def _batch(self, samples: int) -> Batch:
        return batch_of(self.step, self.stage, samples, self.options["datasets"]["train"])

    def _arguments(self) -> list[str]:
        """Return what optimize_parameters is given: the iteration first, then no log to write to."""
        known = list(inspect.signature(self.model.optimize_parameters).parameters.values())
        needed = [p.name for p in known if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        if any(name not in (*LOG_ARGUMENTS, ACCUMULATED_ARGUMENT, APPLY_ARGUMENT) for name in needed[1:]):
            raise CannotTraceError(f"its optimize_parameters takes {', '.join(needed)}")
        return needed or [p.name for p in known[:1]]

    def _iteration(self) -> int:
        total = int(self.options["train"].get("total_iter") or ITERATION_MULTIPLE)
        return max(total // ITERATION_MULTIPLE * ITERATION_MULTIPLE, ITERATION_MULTIPLE)

    def validate(self, height: int, width: int) -> None:
        """Refuse: what its validation does is nowhere asked for."""
        raise CannotTraceError(f"its own validation of {height} x {width} pixels is not run")

    def checkpoint(self) -> dict[str, Any]:
        """Return what it saves; nothing where its code does not get that far without a disk."""
        with saved() as files:
            try:
                self.model.save(0, SAVED_ITERATION)
            except Exception:  # noqa: BLE001 - whatever its code raises
                self.stage.note(NOT_SAVED)
                return {}
        return files


def _modules(model: Any) -> Iterator[tuple[str, nn.Module]]:
    """Yield the modules that a model class holds, by its attributes."""
    for name, value in vars(model).items():
        held = value.module if isinstance(value, Wrapper) else value
        if isinstance(held, nn.Module):
            yield name, held
        elif isinstance(held, dict | list | tuple):
            for key, item in held.items() if isinstance(held, dict) else enumerate(held):
                if isinstance(item, nn.Module):
                    yield f"{name}.{key}", item


def _optimizers(model: Any) -> Iterator[torch.optim.Optimizer]:
    seen: set[int] = set()
    for value in vars(model).values():
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, torch.optim.Optimizer) and id(item) not in seen:
                seen.add(id(item))
                yield item
