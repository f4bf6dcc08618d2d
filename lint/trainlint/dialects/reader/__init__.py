# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Problems held against who reads a config: published lines, a fork's own ones, or none."""
