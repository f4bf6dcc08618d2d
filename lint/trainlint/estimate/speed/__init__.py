# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a step takes: the work of its kernels against a card's rates, as a range."""

from trainlint.estimate.speed.pace import ImagePace, Pace, Setup, image_pace, pace_of

__all__ = ["ImagePace", "Pace", "Setup", "image_pace", "pace_of"]
