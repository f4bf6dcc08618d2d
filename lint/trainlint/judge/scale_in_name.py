# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The up-sampling factor that a name says: train_SRx4_scratch, 2x_photos, MSRResNet_X3."""

from __future__ import annotations

import re
from typing import Final

from trainlint.expressions.patterns import later

_WORD: Final = later(
    r"(?:(?<![a-z])|(?<=sr)|(?<=scale))x([2-8])(?![0-9a-z])|(?<![0-9a-z])([2-8])x(?![0-9])", re.IGNORECASE
)


def scale_in(name: str) -> int:
    """Return the one factor that a name says; 0 where it says none, or several (finetune_x4_from_x2)."""
    scales = {int(before or after) for before, after in _WORD.findall(name)}
    return scales.pop() if len(scales) == 1 else 0
