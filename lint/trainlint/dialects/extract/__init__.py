# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document to jobs: which dialect it speaks, and which value fills which field of the spec."""
