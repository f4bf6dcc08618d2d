# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What data and weights a config names really are, where the user lets trainlint look (--data ROOT)."""

from trainlint.data_headers.look import Look

__all__ = ["Look"]
