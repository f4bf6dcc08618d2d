# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Optimizers of a step: torch's own classes, with their state, temporaries and gradients labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.building.argument_origin import RefusedOptionError, UnknownOptimizerError
from trainlint.trace.building.refusal import elsewhere
from trainlint.trace.recording.storage_ledger import StorageLedger

REFUSAL_ERRORS: Final = (TypeError, ValueError, RuntimeError, IndexError)
"""What a constructor of torch.optim raises on options that it does not take."""


def build(
    ledger: StorageLedger, role: str, params: Iterable[Any], kind: str, options: Mapping[str, Any]
) -> torch.optim.Optimizer:
    """Build torch.optim's class `kind`; RefusedOptionError where its constructor refuses `options`."""
    optimizer_class = getattr(torch.optim, kind, None)
    if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, torch.optim.Optimizer)):
        raise UnknownOptimizerError(kind)
    trained = list(params)
    try:
        optimizer = _made(optimizer_class, trained, options)
    except REFUSAL_ERRORS as error:
        if elsewhere(error):
            raise CannotTraceError(f"{kind} cannot be built here: {error}") from error
        reason = f"{kind} cannot be built: {error}"
        raise RefusedOptionError(
            reason, f"optimizers:{role}", _refused(optimizer_class, trained, options)
        ) from error
    return adopt(ledger, role, optimizer)


def _made(kind: Callable[..., Any], params: list[Any], options: Mapping[str, Any]) -> torch.optim.Optimizer:
    with torch.device("cpu"):  # what it makes without a device (Adagrad's step counts) is on the host
        made: torch.optim.Optimizer = kind(params, **options)
    return made


def _refused(kind: Callable[..., Any], params: list[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return each option without which alone the optimizer can be built."""
    refused = {}
    for name, value in options.items():
        with suppress(*REFUSAL_ERRORS):
            _made(kind, params, {key: options[key] for key in options if key != name})
            refused[name] = value
    return refused


def adopt(ledger: StorageLedger, role: str, optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """Label what is born inside `step` as "optimizer", and the gradients that it finds as "gradients"."""
    owner = f"{role}:optimizer"
    for state in optimizer.state.values():  # Adagrad makes its state when it is built
        for value in state.values():
            if isinstance(value, torch.Tensor):
                ledger.adopt(value, "optimizer", owner)
    label: list[Any] = []

    def before(*_args: Any) -> None:
        label_gradients(ledger, (p for group in optimizer.param_groups for p in group["params"]))
        label.append(ledger.label("optimizer", owner=owner))
        label[-1].__enter__()

    def after(*_args: Any) -> None:
        label.pop().__exit__(None, None, None)

    optimizer.register_step_pre_hook(before)
    optimizer.register_step_post_hook(after)
    return optimizer


def label_gradients(ledger: StorageLedger, params: Iterable[torch.Tensor]) -> None:
    """Label the gradients that there are, each with its parameter's owner."""
    for parameter in params:
        if parameter.grad is not None:
            ledger.relabel(parameter.grad, "gradients", ledger.owner_of(parameter))
