# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Settings looked for on a target: every one that is offered was judged as an edited text."""

from trainlint.solve.best_settings import Best, best
from trainlint.solve.largest_value import FIELDS, Solved, solve

__all__ = ["FIELDS", "Best", "Solved", "best", "solve"]
