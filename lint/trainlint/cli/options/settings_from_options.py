# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a command's options become settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli.options.shared_options import SharedOptions
from trainlint.errors import UnreadableError, UsageError
from trainlint.hardware import load_hardware
from trainlint.model.target import Gpu
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import load_settings

if TYPE_CHECKING:
    from trainlint.estimate.speed.training_log import StepTimes


def _times(log: str | None) -> StepTimes | None:
    try:
        if log is None:
            return None
        from trainlint.estimate.speed.training_log import step_times  # noqa: PLC0415 - with --log alone

        return step_times(log)
    except UnreadableError as error:
        raise UsageError(f"--log {log}: {error}") from error


def _gpu(log: str | None, name: str | None) -> Gpu | None:
    if name is not None and log is None:
        raise UsageError("--log-gpu needs --log")
    return None if name is None else load_hardware().gpu(name)


def settings_from(
    paths: Sequence[str], options: SharedOptions, *, isolated: bool = False, given: Sequence[str] = ()
) -> Settings:
    """Return the settings that hold where the first path lies, with the command line's options on top.

    With `isolated` no file is read; `given` are settings as KEY=VALUE, over those of the files.
    """
    if options.log is not None and options.seconds_per_iteration is not None:
        raise UsageError("--log and --seconds-per-iteration both say how long a step takes: give one of them")
    start = next((Path(path) for path in paths if path != "-" and os.path.exists(path)), Path())  # noqa: PTH110  # no error where it may not look
    loaded = Settings() if isolated else load_settings(start)
    if given:
        from trainlint.settings.given_settings import with_given  # noqa: PLC0415 - with --config alone

        loaded = with_given(loaded, given)
    return loaded.with_options(
        target=options.target,
        trainer=options.trainer,
        repo=options.repo,
        trainer_basis="flag" if options.trainer else None,
        seconds_per_iteration=options.seconds_per_iteration,
        measured=_times(options.log),
        measured_on=_gpu(options.log, options.log_gpu),
        session_budget_h=options.session_budget_h,
        sessions=options.sessions,
        validation_size=options.validation_size,
        validation_images=options.validation_images,
        dataset_size=options.dataset_size,
        model_config=options.model_config,
        profiles=options.profiles_dir,
        python=options.python,
        networks=options.networks,
        launcher=options.launcher,
        gpu_count=options.gpu_count,
        reading=options.reading,
    )
