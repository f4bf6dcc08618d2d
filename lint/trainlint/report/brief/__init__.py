# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The report that is read in ten seconds: whether it fits, what to change, and what follows from it."""
