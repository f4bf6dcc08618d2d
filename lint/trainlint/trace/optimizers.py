"""Optimizers of a step: torch's own classes, with their state, temporaries and gradients labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.recorder import Recorder


def build(
    recorder: Recorder, role: str, params: Iterable[Any], kind: str, options: Mapping[str, Any]
) -> torch.optim.Optimizer:
    """Build torch.optim's class `kind`; TypeError and ValueError are the constructor's own."""
    found = getattr(torch.optim, kind, None)
    if not (isinstance(found, type) and issubclass(found, torch.optim.Optimizer)):
        raise CannotTraceError(f'unknown optimizer "{kind}"')
    return adopt(recorder, role, found(params, **options))


def adopt(recorder: Recorder, role: str, optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """Label what is born inside `step` as "optimizer", and the gradients that it finds as "gradients"."""
    label: list[Any] = []

    def before(*_args: Any) -> None:
        label_gradients(recorder, (p for group in optimizer.param_groups for p in group["params"]))
        label.append(recorder.label("optimizer", owner=f"{role}:optimizer"))
        label[-1].__enter__()

    def after(*_args: Any) -> None:
        label.pop().__exit__(None, None, None)

    optimizer.register_step_pre_hook(before)
    optimizer.register_step_post_hook(after)
    return optimizer


def label_gradients(recorder: Recorder, params: Iterable[torch.Tensor]) -> None:
    """Tell the recorder which storages are gradients, and whose."""
    for parameter in params:
        if parameter.grad is not None:
            recorder.relabel(parameter.grad, "gradients", recorder.owner_of(parameter))
