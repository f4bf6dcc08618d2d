# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""On which machine and by which launcher a job is judged, and what the settings add to it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from trainlint.model.launcher import Launcher
from trainlint.model.target import Target


class Placing(Struct, frozen=True):
    """A machine, a launcher and what the settings add: all that turns normalise's spec into a placed one.

    `launcher` None: as the job itself says. `images` are those of the training set where the config does not
    say, `model` the config.json of the base model.
    """

    target: Target | None = None
    launcher: Launcher | None = None
    images: int | None = None
    model: Path | None = None
