# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From paths to documents: which files are read, by which reader; pages and notebooks hold several."""
