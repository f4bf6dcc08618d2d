# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""trainlint: reads a training config and says whether the run fits before the GPU is paid for."""

__version__ = "0.1.0"
