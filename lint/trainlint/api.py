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

from trainlint.cli.batch import lint_all
from trainlint.cli.tapes import tapes_for
from trainlint.cli.toolbox import inputs_of, pipeline_for
from trainlint.errors import TrainlintError, UsageError
from trainlint.estimate.tapes.source import TapeSource
from trainlint.judge.finding import Finding, Fix, Level, Outcome, Skip
from trainlint.judge.result import Report, Result
from trainlint.read.document import Source
from trainlint.settings import Settings
from trainlint.settings_file import load_settings
from trainlint.tape.step import GIVEN

if TYPE_CHECKING:
    from torch import nn

    from trainlint.tape import Tape

__all__ = [
    "Finding", "Fix", "Level", "Outcome", "Report", "Result", "Settings", "Skip", "TrainlintError", "check",
    "estimate",
]  # fmt: skip


def check(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    targets: Sequence[str] = (),
    *,
    trace: bool = True,
    **settings: Any,
) -> Report:
    """Lint files, folders or globs as `trainlint check` does.

    `targets` are names of `trainlint targets`; none: those of the settings. `trace`: torch may be started for
    steps that no stored profile knows. `settings` are fields of `Settings` (`gpu_count=1`), over those in
    files. Raises UsageError for a path or target that is not there.
    """
    paths = [os.fspath(path)] if isinstance(path, str | os.PathLike) else [os.fspath(one) for one in path]
    if not paths:
        raise UsageError("no paths given: name files or folders")
    _check_names(settings)
    found = load_settings(_start(paths[0])).with_options(target=tuple(targets), **settings)
    tapes = tapes_for(found, _silent, may_trace=trace)
    inputs = sorted(inputs_of(paths, found, None), key=lambda item: item.path)
    pipeline = pipeline_for(found, tapes, (item.path for item in inputs))
    report = lint_all(pipeline, inputs, _silent)
    return replace(report, notes=(*report.notes, *tapes.refused()), rules=pipeline.rules.rules)


def estimate(
    model: nn.Module | Callable[[], nn.Module] | Mapping[str, Any],
    input_shape: Sequence[int] | Sequence[Sequence[int]] = (),
    *,
    batch: int = 1,
    targets: Sequence[str] = (),
    optimizer: str | Mapping[str, Any] = "AdamW",
    loss: str = "mse",
    precision: str = "fp32",
    **keys: Any,
) -> Report:
    """Judge the training of a network on each target: memory, largest batch, and what else is known of it.

    `model` is a module, a function that makes one (on the meta device: no memory is taken), or a mapping in
    trainlint's own format. `input_shape` is that of one sample, without the batch; several for a network with
    several inputs. Further `keys` are those of docs/native.md (`accumulate`, `ema`, `iterations`, `workers`,
    ...). It runs the network's own code; torch has to be installed.
    """
    settings = Settings().with_options(target=tuple(targets))
    if isinstance(model, Mapping):
        job = {"trainlint": 1, **model, **keys}
        tapes = tapes_for(settings, _silent, may_trace=True)
    else:
        name = _name_of(model)
        job = {
            "trainlint": 1, "name": name, "model": f"{GIVEN}:{name}",
            "input": [list(one) if isinstance(one, Sequence) else one for one in input_shape],
            "batch": batch, "optimizer": optimizer, "loss": loss, "precision": precision, **keys,
        }  # fmt: skip
        tapes = _tapes_of(model)
    text = json.dumps(job, default=_plain)
    pipeline = replace(pipeline_for(settings, tapes), checkout=None)
    found = pipeline.lint_source(Source(f"<{job.get('name') or 'estimate'}>.json", text), named=True)
    return Report(tuple(found), files=1, rules=pipeline.rules.rules)


def _name_of(model: nn.Module | Callable[[], nn.Module]) -> str:
    """Return the name of a network's class, or of the function that makes it."""
    name = str(getattr(model, "__name__", type(model).__name__))
    return name if name.isidentifier() else "Network"


def _tapes_of(model: nn.Module | Callable[[], nn.Module]) -> TapeSource:
    """Return what traces a network that is at hand; nothing of it is stored."""

    def trace_it(step: Mapping[str, Any], **options: Any) -> Tape:
        from trainlint.trace.given import trace_given  # noqa: PLC0415  # imports torch

        return trace_given(model, step, **options)

    return TapeSource(progress=_silent, trace=trace_it, own_code=True)


def _check_names(settings: Mapping[str, Any]) -> None:
    for name in settings:
        if name not in Settings.__struct_fields__:
            raise UsageError(f'there is no setting "{name}": docs/settings.md lists them')


def _start(path: str) -> Any:
    return Path(path) if os.path.lexists(path) else Path()


def _plain(value: Any) -> Any:
    """Return a sequence that JSON does not know (torch.Size) as a list; TypeError for anything else."""
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{value!r} is nothing that a job can hold")


def _silent(_task: str) -> None:
    """Show no progress."""
