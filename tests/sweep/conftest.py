# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from trainlint.model.launcher import Launcher
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.sweep.step_task import perform
from trainlint.sweep.sweep import sweep
from trainlint.sweep.sweep_plan import base_of

EXAMPLES = Path(__file__).parents[2] / "examples"
"""Configs whose steps are stored in the package."""


class Sweeper:
    """Sweeps a config by overrides, from stored profiles alone."""

    def __init__(self, target: str, launcher: Launcher | None = None) -> None:
        self.settings = Settings(launcher=launcher).with_options(target=(target,))
        self.tapes = partial(tapes_for, self.settings, may_trace=False)
        self.pipeline = pipeline_for(self.settings, self.tapes(progress=str))
        self.target = self.pipeline.targets[0]

    def __call__(self, path, *overrides):
        base = base_of(str(path), overrides)
        return sweep(
            self.pipeline, base, self.target, self.settings, lambda tasks: perform(tasks, self.tapes)
        )

    def single(self, swept, combination):
        """Judge one combination as `trainlint check` does: "fail", "open" or "pass", and what fails."""
        values = [axis.values[at] for axis, at in zip(swept.axes, combination, strict=True)]
        jobs = self.pipeline.jobs(swept.base.document(values))
        results = self.pipeline.judge_all(jobs, self.target, largest=False)
        fails = {one.rule for each in results for one in each.findings if one.level == "fail"}
        word = "fail" if fails else "open" if any(each.undecided for each in results) else "pass"
        return word, fails


@pytest.fixture
def sweeper():
    return Sweeper
