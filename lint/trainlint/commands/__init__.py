# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Training commands: what a script or a shell's line starts, and what it changes of an option file."""
