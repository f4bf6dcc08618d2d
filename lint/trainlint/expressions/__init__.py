# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CEL and patterns: the expressions of rules and dialects, compiled and asked."""
