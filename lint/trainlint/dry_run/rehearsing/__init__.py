# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs of the program in an enclosure, and the tape that their recordings make together."""
