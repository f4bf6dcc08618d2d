# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The target of a command that needs one where the user names none."""

from __future__ import annotations

from typing import Final

from trainlint.settings.settings import Settings

STAND_IN: Final = "rtx-4090"
ANOTHER_TARGET: Final = "--target NAME takes another"


def with_target(settings: Settings) -> tuple[Settings, str]:
    """Return settings with a target, and what to say of it: nothing where the user named one."""
    if settings.target:
        return settings, ""
    return settings.with_options(target=(STAND_IN,)), f"no target is named: one {STAND_IN} is assumed"
