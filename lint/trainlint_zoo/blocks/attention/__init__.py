# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Blocks that attend: in windows, over channels, with biases by position."""
