# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command starts: which interpreter runs what, as the first of how many processes."""
