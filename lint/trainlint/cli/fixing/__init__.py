# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What --fix and --diff write: which files, which edits, and what is said of them."""
