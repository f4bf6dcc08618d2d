# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""For Python code: lint configs, and estimate a network that no config describes.

    from trainlint.api import check, estimate

Nothing is printed; what the user can put right raises a `TrainlintError`. Names that docs/api.md does not
have may change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from trainlint.dialects.forgetting import forget
from trainlint.errors import TrainlintError, UsageError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.document import Source
from trainlint.model.finding import Finding, Fix, Level, Outcome, Skip
from trainlint.model.result import Report, Result
from trainlint.session.call_arguments import paths_of, settings_over
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import load_settings
from trainlint.tape.step import GIVEN_MODULE

if TYPE_CHECKING:
    from torch import nn

    from trainlint.tape import Tape
    from trainlint.trace.given_step import Parts

__all__ = [
    "Finding", "Fix", "Level", "Outcome", "Report", "Result", "Settings", "Skip", "TrainlintError", "check",
    "estimate",
]  # fmt: skip


class PrintedReport(Report, frozen=True):
    """A report that prints as the command does: `print(report)`."""

    def __str__(self) -> str:
        """Return the first screen of the command's text."""
        from trainlint.report.formats.text import render  # noqa: PLC0415 - for who prints it
        from trainlint.report.style import Style  # noqa: PLC0415 - the same

        return render(self, Style()).rstrip("\n")


def check(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    targets: str | Sequence[str] = (),
    *,
    trace: bool = True,
    **settings: Any,
) -> Report:
    """Lint files, folders or globs as `trainlint check` does.

    `targets` are names of `trainlint targets`; none: those of the settings. `trace`: torch may be started for
    steps that no stored profile knows. `settings` are what a settings file may say, with underscores
    (`gpu_count=1`), over those in files; None is no setting. Raises UsageError for a path or target that is
    not there, and for what a setting may not be.
    """
    forget()
    paths = paths_of(path)
    all_settings = settings_over(load_settings(_start(paths[0])), targets, settings)
    tapes = tapes_for(all_settings, _silent, may_trace=trace)
    inputs = sorted(inputs_of(paths, all_settings, None), key=lambda item: item.path)
    pipeline = pipeline_for(all_settings, tapes, (item.path for item in inputs))
    report = lint_all(pipeline, inputs, _silent)
    return PrintedReport(
        report.results, report.files, report.unrecognised, (*report.notes, *tapes.refused()), report.crashes,
        pipeline.rules.rules, programs=report.programs,
    )  # fmt: skip


def estimate(
    model: nn.Module | Callable[[], nn.Module] | Mapping[str, Any],
    input: Any = (),  # noqa: A002 - the word for it
    *,
    batch: int = 1,
    targets: str | Sequence[str] = (),
    optimizer: str | type | Mapping[str, Any] = "AdamW",
    loss: str | Callable[..., Any] | None = "mse",
    step: Callable[..., Any] | None = None,
    precision: str = "fp32",
    **keys: Any,
) -> Report:
    """Judge the training of a network on each target: memory, largest batch, and what else is known of it.

    `model` is a module, a function that makes one (on the meta device: no memory is taken), or a mapping in
    trainlint's own format. `input` is one sample without the batch: a shape, or a tensor whose shape and type
    are meant; a list of them for several inputs, a dict for inputs by name. `loss` is a name, a module or a
    function of output and target; a network that returns `.loss` needs none. `step` is a function of the
    network and a batch that returns the loss, where the step is another. Further `keys` are those of
    docs/native.md (`accumulate`, `ema`, `iterations`, `workers`, ...). It runs the network's own code; torch
    has to be installed. `print(report)` is the report as text.
    """
    forget()
    if isinstance(keys.get("target"), str):
        raise UsageError(
            f'target is the shape that the loss compares with: give a machine as targets="{keys["target"]}"'
        )
    settings = settings_over(Settings(), targets, {})
    if isinstance(model, Mapping):
        job = {"trainlint": 1, **model, **keys}
        tapes = tapes_for(settings, _silent, may_trace=True)
    else:
        _check_model(model, optimizer)
        parts = _parts(input, keys.get("target"), loss, step)
        name = _name_of(model)
        job = {
            "trainlint": 1, "name": name, "model": f"{GIVEN_MODULE}:{name}", "input": _shapes(parts.sample),
            "batch": batch, "optimizer": _optimizer(optimizer),
            "precision": PRECISIONS.get(str(precision), precision),
            "loss": loss if isinstance(loss, str) else "mse", **keys,
        }  # fmt: skip
        tapes = _tapes_of(model, parts)
    text = json.dumps(job, default=_plain)
    pipeline = pipeline_for(settings, tapes)
    pipeline = replace(pipeline, reader=replace(pipeline.reader, checkout=None))
    path = f"<{job.get('name') or 'estimate'}>"
    judged = pipeline.lint_source(Source(f"{path}.json", text), named=True)
    results = [replace(result, path=path, source=replace(result.source, path=path)) for result in judged]
    if not isinstance(model, Mapping):
        _check_arguments(results)
    return PrintedReport(tuple(results), files=1, rules=pipeline.rules.rules)


def _check_arguments(results: Sequence[Result]) -> None:
    """Refuse a call whose arguments no job has: a keyword that is unknown, a batch of 0."""
    for finding in (finding for result in results for finding in result.findings):
        if finding.rule in ("missing-key", "unknown-key", "wrong-type", "wrong-value"):
            raise UsageError(f"estimate(): {finding.message} (docs/native.md lists what it takes)")


PRECISIONS = {
    **{f"{torch}{name}": ours for torch in ("", "torch.")
       for name, ours in (("float32", "fp32"), ("float16", "fp16"), ("bfloat16", "bf16"))},
    "half": "fp16",
}  # fmt: skip
"""Other words for a precision, and torch's types."""


def _check_model(model: Any, optimizer: Any) -> None:
    """Raise UsageError for what is no network and what names no optimizer."""
    if not callable(model):
        raise UsageError(
            f"model is {model!r}, expected a module, a function that makes one, or a mapping (docs/native.md)"
        )
    if hasattr(optimizer, "param_groups"):
        kind = type(optimizer).__name__
        raise UsageError(
            f'optimizer is a {kind}, expected its name ("{kind}"), its class, or a mapping with its type'
        )


def _parts(sample: Any, target: Any, loss: Any, step: Any) -> Parts:
    """Return what a network is fed with. Raises UsageError for what is no input."""
    from trainlint.trace.given_network import leaf  # noqa: PLC0415  # imports torch
    from trainlint.trace.given_step import Parts  # noqa: PLC0415  # the same

    try:
        if isinstance(sample, Mapping):
            made: Any = {str(name): leaf(part) for name, part in sample.items()}
        elif hasattr(sample, "dtype") or all(isinstance(size, int) for size in sample):
            made = leaf(sample)
        else:
            made = tuple(leaf(part) for part in sample)
    except (TypeError, ValueError):
        made = None
    if not made or (not isinstance(made, tuple | Mapping) and not made.shape):
        raise UsageError(
            f"input is {sample!r}, expected the shape of one sample without the batch, (3, 256, 256), "
            "a tensor of that shape, or several of them in a list or a dict"
        )
    if step is not None and not callable(step):
        raise UsageError(f"step is {step!r}, expected a function of the network and a batch")
    if isinstance(loss, type) or not (loss is None or isinstance(loss, str) or callable(loss)):
        made_of = f"{loss.__name__}()" if isinstance(loss, type) else "a function of output and target"
        raise UsageError(f"loss is {loss!r}, expected {made_of}")
    try:
        wanted = tuple(target) if target is not None else None
    except TypeError:
        raise UsageError(f"target is {target!r}, expected the shape of one sample's target") from None
    return Parts(made, wanted, loss, step)


def _shapes(sample: Any) -> list[Any]:
    """Return the shapes of a sample as the format of jobs writes them."""
    if hasattr(sample, "shape"):
        return list(sample.shape) or [1]
    return [list(part.shape) or [1] for part in (sample.values() if isinstance(sample, Mapping) else sample)]


def _optimizer(optimizer: str | type | Mapping[str, Any]) -> Any:
    return optimizer.__name__ if isinstance(optimizer, type) else optimizer


def _name_of(model: nn.Module | Callable[[], nn.Module]) -> str:
    """Return the name of a network's class, or of the function that makes it."""
    name = str(getattr(model, "__name__", type(model).__name__))
    return name if name.isidentifier() else "Network"


def _tapes_of(model: nn.Module | Callable[[], nn.Module], parts: Parts) -> TapeSource:
    """Return what traces a network that is at hand; nothing of it is stored."""

    def trace_it(step: Mapping[str, Any], **options: Any) -> Tape:
        from trainlint.trace.given_network import trace_given  # noqa: PLC0415  # imports torch

        return trace_given(model, step, parts, **options)

    return TapeSource(progress=_silent, trace=trace_it, own_code=True)


def _start(path: str) -> Any:
    return Path(path) if os.path.lexists(path) else Path()


def _plain(value: Any) -> Any:
    """Return a sequence that JSON does not know (torch.Size) as a list; TypeError for anything else."""
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{value!r} is not something a job can hold")


def _silent(_task: str) -> None:
    """Show no progress."""
