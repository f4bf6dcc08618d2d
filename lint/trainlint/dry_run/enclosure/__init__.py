# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a program runs that is to leave nothing behind.

Its files are private, there is no network, and its end holds for all that it started. Only the user starts a
dry run, and the program is the user's: this keeps a rehearsal from doing what the real run does to disk and
network. It is no prison for code that wants out (docs/security.md).
"""
