# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Optimizers of a step: torch's own classes, with their state, temporaries and gradients labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.refusal import elsewhere
from trainlint.trace.recording.ledger import StorageLedger


def build(
    ledger: StorageLedger, role: str, params: Iterable[Any], kind: str, options: Mapping[str, Any]
) -> torch.optim.Optimizer:
    """Build torch.optim's class `kind`; BadArgumentsError where its constructor refuses `options`."""
    found = getattr(torch.optim, kind, None)
    if not (isinstance(found, type) and issubclass(found, torch.optim.Optimizer)):
        raise CannotTraceError(f'unknown optimizer "{kind}"')
    try:
        with torch.device("cpu"):  # what it makes without a device (Adagrad's step counts) is on the host
            optimizer = found(params, **options)
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        if elsewhere(error):
            raise CannotTraceError(f"{kind} cannot be built here: {error}") from error
        raise BadArgumentsError(f"{kind} cannot be built: {error}", f"optimizers:{role}") from error
    return adopt(ledger, role, optimizer)


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
    """Tell the ledger which storages are gradients, and whose."""
    for parameter in params:
        if parameter.grad is not None:
            ledger.relabel(parameter.grad, "gradients", ledger.owner_of(parameter))
