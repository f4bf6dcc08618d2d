# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a job is started: the command that names its option file, and what that command changes of it."""

from trainlint.start.override import Override
from trainlint.start.start import Start

__all__ = ["Override", "Start"]
